//! A subscriber that limits the number of unseen messages still counts every message once.

mod support;

use saltus_ring::{Merge, Start, Which};
use support::Channel;

#[test]
fn a_limit_keeps_the_newest_and_counts_the_rest() {
    let channel = Channel::new(1, 8, 64);
    let mut writer = channel.writer(0);
    let mut merge = Merge::new(&channel, Start::Now);
    for n in 0..20u8 {
        channel.publish(&mut writer, &[n]);
    }
    assert_eq!(merge.unseen_count(&channel), 20);
    assert_eq!((merge.limit(&channel, 3), merge.limit(&channel, 3)), (17, 0));
    assert_eq!(merge.peek(&channel, Which::Next), Some(18));
    assert_eq!(merge.peek(&channel, Which::Newest), Some(20));
    assert_eq!(channel.receive(&mut merge, Which::Next), Some((0, 18, vec![17])));
    assert_eq!((merge.received(), merge.missed(), merge.unseen_count(&channel)), (1, 17, 2));
}

#[test]
fn from_the_beginning_means_that_what_is_gone_was_missed() {
    let channel = Channel::new(1, 4, 64);
    let mut writer = channel.writer(0);
    for n in 1..=50u8 {
        channel.publish(&mut writer, &[n]);
    }
    let mut merge = Merge::new(&channel, Start::Beginning);
    while channel.receive(&mut merge, Which::Next).is_some() {}
    assert!(merge.received() >= 4 && merge.received() + merge.missed() == 50);
    let mut merge = Merge::new(&channel, Start::Oldest);
    while channel.receive(&mut merge, Which::Next).is_some() {}
    assert!(merge.received() >= 4 && merge.missed() == 0);
}

#[test]
fn a_limit_over_several_lanes_gives_up_the_oldest_of_all() {
    let channel = Channel::new(2, 8, 64);
    let mut writers = [channel.writer(0), channel.writer(1)];
    let mut merge = Merge::new(&channel, Start::Now);
    for n in 1..=6u8 {
        channel.publish(&mut writers[n as usize % 2], &[n]);
    }
    assert_eq!(merge.limit(&channel, 2), 4);
    let mut next = || channel.receive(&mut merge, Which::Next).map(|(_, _, bytes)| bytes[0]);
    assert_eq!((next(), next(), next()), (Some(5), Some(6), None));
    assert_eq!((merge.received(), merge.missed()), (2, 4));
}

#[test]
fn a_limit_counts_what_was_overwritten_before_it() {
    let channel = Channel::new(2, 2, 64);
    let mut writers = [channel.writer(0), channel.writer(1)];
    let mut merge = Merge::new(&channel, Start::Now);
    for n in 1..=30u8 {
        channel.publish(&mut writers[n as usize % 2], &[n]);
    }
    merge.limit(&channel, 1);
    assert_eq!(channel.receive(&mut merge, Which::Next).map(|(_, _, bytes)| bytes[0]), Some(30));
    assert_eq!((merge.received(), merge.missed()), (1, 29));
}
