//! The memory cost of a channel, as the guide states it.

mod common;

use common::*;
use saltus_channel::Attributes;

#[test]
fn a_channel_uses_the_memory_that_the_guide_states() {
    let domain = TestDomain::new();
    let guide = include_str!("../../../docs/guide.md");
    let kib = |bytes: u64| match bytes {
        b if b >= 1 << 20 => format!("{} MiB + {} KiB", b >> 20, (b & 0xF_FFFF) >> 10),
        b => format!("{} KiB", b >> 10),
    };
    for (i, (frames, size, label)) in
        [(16, 512, "16 × 512 B (the default)"), (64, 64, "64 × 64 B"), (8, 1 << 20, "8 × 1 MiB")]
            .into_iter()
            .enumerate()
    {
        let attributes = Attributes::new().depth(frames).max_message_size(size);
        let channel = domain.create(format!("c{i}"), &attributes).unwrap();
        let _first = channel.publisher().unwrap();
        let one = channel.memory();
        assert_eq!(one, attributes.memory(), "the memory used is the memory stated");
        let _second = channel.publisher().unwrap();
        let line = format!("| {label} | {} | {} |", kib(one), kib(channel.memory() - one));
        assert!(guide.contains(&line), "the guide should contain: {line}");
    }
}
