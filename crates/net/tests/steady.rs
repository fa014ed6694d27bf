//! In the steady state nothing is allocated: not to publish a message of any size, not to drain it.

use saltus_net::lcm::{Received, Udpm};
use saltus_net::udp::Options;
use saltus_netns::isolated;
use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// The system's allocator, counted.
struct Counted;

static COUNT: AtomicU64 = AtomicU64::new(0);

// SAFETY: everything is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        COUNT.fetch_add(1, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        COUNT.fetch_add(1, Relaxed);
        // SAFETY: as the caller promises.
        unsafe { System.realloc(at, layout, size) }
    }
}

#[global_allocator]
static ALLOCATOR: Counted = Counted;

#[test]
fn nothing_is_allocated_in_the_steady_state() {
    isolated(|| {
        let mut udpm = Udpm::open(&Options::default()).unwrap();
        let sizes = [0, 64, 1500, 60_000, 300_000, 70_000];
        let payload = vec![7; 300_000];
        let mut round = |rounds: usize| {
            let mut heard = 0;
            for _ in 0..rounds {
                for size in sizes {
                    udpm.publish(b"CHANNEL", &payload[..size]).unwrap();
                    udpm.drain(1000, |m: Received<'_>| heard += usize::from(m.payload == &payload[..size]))
                        .unwrap();
                }
            }
            assert_eq!(heard, rounds * sizes.len());
        };
        round(5);
        let before = COUNT.load(Relaxed);
        round(50);
        assert_eq!(COUNT.load(Relaxed) - before, 0);
    });
}
