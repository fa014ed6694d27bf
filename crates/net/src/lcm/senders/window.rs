//! Which of the last sequence numbers have arrived.

/// How many of a sender's last numbers are remembered individually.
pub const WINDOW: u32 = 1024;
const WORDS: usize = WINDOW as usize / 64;

/// One bit for each of the last [`WINDOW`] numbers, up to the newest. Numbers wrap.
pub(super) struct Window {
    newest: u32,
    /// How many numbers before the newest could have arrived: those since the first. At most `WINDOW`.
    since: u32,
    bits: [u64; WORDS],
}

impl Window {
    /// Only `first` has arrived.
    pub fn new(first: u32) -> Window {
        let mut window = Window { newest: first, since: 0, bits: [0; WORDS] };
        window.mark(first);
        window
    }
    /// The newest number that has arrived.
    pub fn newest(&self) -> u32 {
        self.newest
    }
    /// Whether `number` has arrived, as far as remembered.
    pub fn has(&self, number: u32) -> bool {
        let (word, bit) = place(number);
        self.newest.wrapping_sub(number) < WINDOW && self.bits[word] & bit != 0
    }
    /// Whether `number`, not newer than the newest, is newer than the first one received: unless it arrived, it was
    /// counted as lost.
    pub fn was_expected(&self, number: u32) -> bool {
        self.newest.wrapping_sub(number) < self.since
    }
    /// Records that `number`, one of the last, has arrived.
    pub fn mark(&mut self, number: u32) {
        let (word, bit) = place(number);
        self.bits[word] |= bit;
    }
    /// Records that `number` has arrived and is the newest; those between have not.
    pub fn advance(&mut self, number: u32) {
        let step = number.wrapping_sub(self.newest);
        self.since = self.since.saturating_add(step).min(WINDOW);
        if step >= WINDOW {
            self.bits = [0; WORDS];
        } else {
            for missing in 1..step {
                let (word, bit) = place(self.newest.wrapping_add(missing));
                self.bits[word] &= !bit;
            }
        }
        self.newest = number;
        self.mark(number);
    }
}

fn place(number: u32) -> (usize, u64) {
    let at = number % WINDOW;
    (at as usize / 64, 1 << (at % 64))
}
