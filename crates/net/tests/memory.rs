//! Memory stays at what the counters report, for any senders and datagrams.

use saltus_net::lcm::packet::Fragment;
use saltus_net::lcm::reassembly::{Limits, Reassembly, Taken};
use std::alloc::{GlobalAlloc, Layout, System};
use std::net::{Ipv4Addr, SocketAddrV4};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The system's allocator, counting what it has allocated.
struct Counted;

static LIVE: AtomicUsize = AtomicUsize::new(0);

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        LIVE.fetch_add(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        LIVE.fetch_sub(layout.size(), Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

#[test]
fn memory_matches_the_counters() {
    let piece = vec![1; 60_000];
    let before = LIVE.load(Relaxed);
    let mut reassembly = Reassembly::new(Limits::default());
    let mut most = 0;
    let mut take = |port: u16, sequence: u32, size: u32, number: u16, offset: u32, payload: &[u8]| {
        let channel = (number == 0).then_some(&b"CH"[..]);
        let from = SocketAddrV4::new(Ipv4Addr::LOCALHOST, port);
        let whole = Fragment { sequence, size, offset, number, count: u16::MAX, channel, payload };
        let whole = matches!(reassembly.take(from, 0, &whole), Taken::Whole { .. });
        let (live, said) = (LIVE.load(Relaxed) - before, reassembly.memory());
        // The tables of messages, at most 1000, are not counted.
        assert!(live <= said + (1 << 20), "{live} B are held, {said} B are reported");
        most = most.max(live);
        whole
    };
    for sequence in 0..3000 {
        // A whole message whose memory is then free; one with a large size in its header that never completes;
        // pieces beyond gaps.
        let size = 60_000 * (1 + sequence % 7);
        let wholes = (0..size / 60_000).map(|i| take(1, sequence, size, i as u16, i * 60_000, &piece));
        assert_eq!(wholes.filter(|whole| *whole).count(), 1);
        take(2, sequence, 2 * size, 0, 0, &piece[..10]);
        take(3, sequence, 1 << 28, 5, sequence * 7, &piece[..1 + sequence as usize % 900]);
        take(4, 0, 1 << 28, 5, 1 + sequence * 60, &piece[..30]);
    }
    assert!(most < 100 << 20, "{most} B");
}
