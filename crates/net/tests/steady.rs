//! In the steady state nothing is allocated: not when publishing a message of any size, not when draining it.

use saltus_net::lcm::{Received, Udpm};
use saltus_net::udp::Options;
use saltus_netns::isolated;
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

/// The system's allocator, counted for each thread: the test harness may allocate in another.
struct Counted;

thread_local! {
    static COUNT: Cell<u64> = const { Cell::new(0) };
}

fn count() {
    // While a thread exits, allocations are not counted.
    let _ = COUNT.try_with(|count| count.set(count.get() + 1));
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counted {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count();
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(at, layout) }
    }
    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        count();
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
            let mut received = 0;
            for _ in 0..rounds {
                for size in sizes {
                    udpm.publish(b"CHANNEL", &payload[..size]).unwrap();
                    udpm.drain(1000, |m: Received<'_>| {
                        received += usize::from(m.payload == &payload[..size])
                    })
                    .unwrap();
                }
            }
            assert_eq!(received, rounds * sizes.len());
        };
        round(5);
        let before = COUNT.get();
        assert!(before > 0, "they are counted");
        round(50);
        assert_eq!(COUNT.get() - before, 0);
    });
}
