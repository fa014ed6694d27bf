//! Any bytes of any clients, in any pieces, for a hub: its output is frames, and queues stay bounded. Bytes give
//! the same frames in one piece and in many.

use saltus_net::tcpq::frame::{Decoder, Garbage};
use saltus_net::tcpq::{Intake, QueueLimits, Switch};

const CLIENTS: usize = 3;
const HELLO: &[u8] = b"\x28\x76\x17\xfb\0\0\x01\0";
const HUB: u32 = 0x2876_17fa;
const LIMITS: QueueLimits = QueueLimits { bytes: 4096, messages: 16 };

/// The number of frames in `pieces`, all their bytes, and why there are no more.
fn frames<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> (usize, Option<Garbage>) {
    let (mut decoder, mut count) = (Decoder::new(), 0);
    for mut piece in pieces {
        loop {
            match decoder.next(&mut piece) {
                Ok(Some(_)) => count += 1,
                Ok(None) => break,
                Err(garbage) => return (count, Some(garbage)),
            }
        }
    }
    (count, None)
}

/// Sends everything queued for a client, which must be frames.
fn send(switch: &mut Switch, intakes: &mut [Intake; CLIENTS], id: usize) {
    let Some(queue) = switch.queue(id as u64) else { return };
    let bytes: Vec<u8> = queue.pieces(usize::MAX).flatten().copied().collect();
    switch.sent(id as u64, bytes.len());
    let mut input = &bytes[..];
    while intakes[id].next(&mut input).expect("what a hub sends is frames").is_some() {}
    assert!(switch.queue(id as u64).is_some_and(|queue| queue.is_empty()) && intakes[id].held() == 0);
}

/// See the module.
pub fn attack(data: &[u8]) {
    assert_eq!(frames(std::iter::once(data)), frames(data.chunks(3)));
    let mut switch = Switch::new(LIMITS, 1 << 20, 1 << 16);
    let mut intakes = std::array::from_fn(|_| Intake::new(HUB));
    let join = |switch: &mut Switch, id: usize| {
        switch.join(id as u64, 0);
        switch.received(id as u64, HELLO).expect("a hello");
    };
    (0..CLIENTS).for_each(|id| join(&mut switch, id));
    // Each step: a byte that chooses the sender, and how much of the rest; 3: a client reads.
    let mut rest = data;
    while let Some((&step, follows)) = rest.split_first() {
        let (id, len) = (usize::from(step % 4), usize::from(step / 4).min(follows.len()));
        if id == CLIENTS {
            send(&mut switch, &mut intakes, len % CLIENTS);
            rest = follows;
            continue;
        }
        let (piece, next) = follows.split_at(len);
        rest = next;
        switch.begin();
        let mut done = Some((id as u64, switch.received(id as u64, piece)));
        while let Some((id, result)) = done {
            if result.is_err() {
                switch.leave(id);
                intakes[id as usize] = Intake::new(HUB);
                join(&mut switch, id as usize);
            }
            done = switch.work();
        }
        for id in 0..CLIENTS as u64 {
            let waiting = switch.client(id).map_or((0, 0), |client| (client.waiting, client.waiting_bytes));
            assert!(waiting.0 <= LIMITS.messages + 66 && waiting.1 <= LIMITS.bytes + 8 * 1024, "{waiting:?}");
        }
    }
    (0..CLIENTS).for_each(|id| send(&mut switch, &mut intakes, id));
}
