//! Limits for lanes that lap the reader, so that none of them hides the others' messages.

/// A lane that lapped the reader this often in a row is left out of choices, so that others are read.
const PATIENCE: u32 = 4;

/// How often each lane lapped the reader.
#[derive(Debug)]
pub(super) struct Fairness {
    /// Its capacity is the channel's maximum number of lanes.
    lanes: Vec<Lane>,
}

#[derive(Clone, Copy, Debug, Default)]
struct Lane {
    /// How often it has lapped the reader since it last delivered; at most 64.
    times: u32,
    /// The number of further choices that leave it out; 0 if `times < PATIENCE`.
    out: u32,
}

impl Fairness {
    /// Without lanes yet, with capacity for `most`.
    pub fn new(most: usize) -> Fairness {
        Fairness { lanes: Vec::with_capacity(most) }
    }
    /// Adds a lane without history.
    pub fn push(&mut self) {
        self.lanes.push(Lane::default()); // within the capacity reserved by `new`
    }

    /// How often lane `i` has lapped the reader since it last delivered.
    #[inline(always)]
    pub fn times(&self, i: usize) -> u32 {
        self.lanes[i].times
    }

    /// Records that lane `i` lapped the reader. Returns whether to skip it so that others are read.
    #[cold]
    pub fn hurry(&mut self, i: usize) -> bool {
        let times = (self.lanes[i].times + 1).min(64);
        let out = if times >= PATIENCE { 1 << (times - PATIENCE + 1).min(16) } else { 0 };
        self.lanes[i] = Lane { times, out };
        out > 0
    }

    /// Whether lane `i` is left out of this choice. A lane whose publisher is too fast, or hostile, must not hide
    /// the others' messages: it is tried again after 2 choices, then after 4, and so on.
    #[inline(always)]
    pub fn left_out(&mut self, used: usize, i: usize) -> bool {
        let out = self.lanes[i].out > 0 && used > 1;
        if out {
            self.lanes[i].out -= 1;
        }
        out
    }

    /// Lane `i` has delivered: its history is cleared.
    #[inline(always)]
    pub fn delivered(&mut self, i: usize) {
        self.lanes[i] = Lane::default();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn two_lanes() -> Fairness {
        let mut fairness = Fairness::new(2);
        fairness.push();
        fairness.push();
        fairness
    }
    /// The number of consecutive choices that leave lane 0 out.
    fn pause(fairness: &mut Fairness) -> u32 {
        (0..1 << 20).take_while(|_| fairness.left_out(2, 0)).count() as u32
    }

    #[test]
    fn a_hasty_lane_is_left_out_for_longer_and_longer_up_to_a_bound() {
        let mut fairness = two_lanes();
        let pauses: Vec<u32> = (0..70)
            .map(|_| {
                fairness.hurry(0);
                pause(&mut fairness)
            })
            .collect();
        assert_eq!(pauses[..6], [0, 0, 0, 2, 4, 8]);
        assert_eq!(pauses[69], 1 << 16);
        assert_eq!((fairness.times(0), fairness.times(1)), (64, 0));
    }

    #[test]
    fn a_delivery_forgives_and_a_lone_lane_is_never_left_out() {
        let mut fairness = two_lanes();
        let patience: Vec<bool> = (0..4).map(|_| fairness.hurry(0)).collect();
        assert_eq!(patience, [false, false, false, true]);
        assert!(!fairness.left_out(1, 0) && fairness.left_out(2, 0));
        fairness.delivered(0);
        assert_eq!((fairness.times(0), fairness.left_out(2, 0)), (0, false));
    }
}
