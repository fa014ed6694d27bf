//! What a thread wrote before it published, another one reads after it received: plain memory, without an atomic access of its own.
//! Thread sanitizer (`cargo xtask sanitize`) watches it, and reports an ordering that is too weak anywhere between the two.

#[cfg(not(loom))]
#[allow(dead_code)] // others receive by it
mod support;

#[cfg(not(loom))]
mod threads {
    use super::support::Channel;
    use saltus_ring::{Commit, Fault, Heap, LaneLayout, LaneWriter, Lanes, Memory, Merge, Start, Which};
    use std::cell::UnsafeCell;
    use std::mem::MaybeUninit;
    use std::sync::atomic::{
        AtomicUsize,
        Ordering::{Relaxed, SeqCst},
    };
    use std::thread;

    const PUBLISHERS: usize = 2;
    /// Messages of each publisher: its ring is overwritten thousands of times.
    const MESSAGES: usize = if cfg!(miri) { 50 } else { 10_000 };

    /// A place for each message, which its publisher writes once.
    struct Plain(Vec<UnsafeCell<u64>>);

    // SAFETY: each place is written by one thread before its message is published, and read only after that was received.
    unsafe impl Sync for Plain {}

    /// A channel whose clock orders nothing, so that only the lanes do.
    struct Unordered(Channel);

    impl Unordered {
        fn publish(&self, writer: &mut LaneWriter<&Heap>, bytes: &[u8]) {
            let timestamp = self.0.now.fetch_add(1, Relaxed); // as said above
            let mut reservation = writer.reserve(bytes.len()).unwrap();
            reservation.fill(0, bytes);
            reservation.commit(Commit { len: bytes.len(), timestamp, lease: 1 });
        }
    }

    impl Lanes for Unordered {
        type Mem = Heap;
        fn used(&self) -> usize {
            self.0.used()
        }
        fn lane(&self, i: usize) -> Option<&Heap> {
            self.0.lane(i)
        }
        fn layout(&self) -> &LaneLayout {
            self.0.layout()
        }
        fn now(&self) -> u64 {
            self.0.now.load(Relaxed) // as said above
        }
    }

    fn handed_over(which: Which) {
        let channel = Unordered(Channel::new(PUBLISHERS, 4, 100));
        let plain = Plain((0..PUBLISHERS * MESSAGES).map(|_| UnsafeCell::new(0)).collect());
        let (plain, ended) = (&plain, AtomicUsize::new(0));
        let mut merge = Merge::new(&channel, Start::Oldest); // from the first message on
        thread::scope(|scope| {
            let publishers = (0..PUBLISHERS).map(|lane| {
                let (channel, ended) = (&channel, &ended);
                scope.spawn(move || {
                    let mut writer = channel.0.writer(lane);
                    for place in lane * MESSAGES..(lane + 1) * MESSAGES {
                        // SAFETY: nobody reads it before the publish below.
                        unsafe { *plain.0[place].get() = !(place as u64) };
                        let mut message = vec![place as u8; 8 + place % 90];
                        message[..8].copy_from_slice(&(place as u64).to_le_bytes());
                        channel.publish(&mut writer, &message);
                    }
                    ended.fetch_add(1, SeqCst); // its reader only ends by it
                })
            });
            let publishers = publishers.collect::<Vec<_>>();
            loop {
                let all = ended.load(SeqCst) == PUBLISHERS;
                let mut bytes = Vec::new();
                let received = merge.receive(&channel, which, |mem, meta| {
                    let mut copy = vec![MaybeUninit::new(0); meta.len];
                    mem.copy_out(meta.at, &mut copy);
                    // SAFETY: initialized above, and only initialized bytes are written to it.
                    bytes = copy.iter().map(|byte| unsafe { byte.assume_init() }).collect();
                    Ok(())
                });
                match received {
                    Ok(Some(_)) => {
                        let place = u64::from_le_bytes(bytes[..8].try_into().unwrap());
                        // SAFETY: written before the message that was just received.
                        assert_eq!(unsafe { *plain.0[place as usize].get() }, !place);
                        assert_eq!(bytes.len(), 8 + place as usize % 90);
                        assert!(bytes[8..].iter().all(|byte| *byte == place as u8), "torn");
                        if which == Which::Current && all {
                            break;
                        }
                    }
                    Ok(None) if all => break,
                    // Nothing is there, or the publishers were too fast for it.
                    Ok(None) | Err(Fault::Overrun) => thread::yield_now(),
                    Err(other) => panic!("{other:?}"),
                }
            }
            for publisher in publishers {
                publisher.join().expect("a thread");
            }
            if which == Which::Next {
                assert_eq!(merge.received() + merge.missed(), (PUBLISHERS * MESSAGES) as u64);
            }
        });
    }

    /// Reads what another thread writes at any time: what thread sanitizer must report.
    fn race() {
        let plain = Plain(vec![UnsafeCell::new(0)]);
        let plain = &plain;
        thread::scope(|scope| {
            // SAFETY: none; it runs only where the sanitizer ends the program.
            let write = scope.spawn(move || unsafe { *plain.0[0].get() = 1 });
            // SAFETY: as above.
            println!("{}", unsafe { *plain.0[0].get() });
            write.join().expect("a thread");
        });
    }

    /// Reads what was freed: what address sanitizer must report.
    fn freed() {
        let freed = {
            let owner = Box::new(1_u64);
            &raw const *owner
        };
        // SAFETY: none; it runs only where the sanitizer ends the program.
        println!("{}", unsafe { freed.read_volatile() });
    }

    pub fn main() {
        match std::env::args().nth(1).as_deref() {
            Some("--race") => return race(),
            Some("--freed") => return freed(),
            _ => {}
        }
        for which in [Which::Next, Which::Newest, Which::Current] {
            handed_over(which);
            println!("test who_receives_{which:?}_sees_what_was_written_before ... ok");
        }
        println!("test result: ok. 3 passed; 0 failed");
    }
}

fn main() {
    #[cfg(not(loom))]
    threads::main();
}
