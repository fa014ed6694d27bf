//! What the supervisor says of the processes, twenty times a second, for whoever wants to show it.
//!
//! ```text
//! kind | elapsed | kills | freezes | over | members M | M × (process id << 16 | role << 8 | mood) | checksum
//! ```

use super::{Torn, open, put, seal, words};

const KIND: u64 = 11;
/// Most processes.
pub const MEMBERS: usize = 16;
/// The longest message, bytes.
pub const MOST: usize = 8 * (7 + MEMBERS);

/// How a process is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mood {
    /// It was started and has not beaten yet, or it is gone.
    #[default]
    Beginning,
    /// It lives.
    Well,
    /// It was frozen.
    Frozen,
}

/// A process.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Member {
    /// Its process id, 0 while there is none.
    pub pid: u32,
    /// Its role: its place in the demo's list.
    pub role: u8,
    /// How it is.
    pub mood: Mood,
}

/// How it goes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CrewState {
    /// Time since the start, ns.
    pub elapsed: u64,
    /// Processes killed so far.
    pub kills: u64,
    /// Processes frozen so far.
    pub freezes: u64,
    /// Whether it is over, and nothing more will come.
    pub over: bool,
    /// The processes.
    pub members: Vec<Member>,
}

impl CrewState {
    /// Writes the message into `out`, which is used again and again.
    pub fn write(&self, out: &mut Vec<u8>) {
        out.clear();
        put(
            out,
            &[KIND, self.elapsed, self.kills, self.freezes, self.over as u64, self.members.len() as u64],
        );
        for m in &self.members {
            put(out, &[(m.pid as u64) << 16 | (m.role as u64) << 8 | m.mood as u64]);
        }
        seal(out);
    }

    /// Reads it from what was received.
    pub fn parse(bytes: &[u8]) -> Result<CrewState, Torn> {
        let mut rest = words(open(bytes, KIND)?);
        let mut next = || rest.next().ok_or(Torn);
        let (elapsed, kills, freezes, over) = (next()?, next()?, next()?, next()? != 0);
        let count = next()? as usize;
        if count > MEMBERS {
            return Err(Torn);
        }
        let member = |word: u64| {
            let mood =
                [Mood::Beginning, Mood::Well, Mood::Frozen].into_iter().find(|m| *m as u64 == word & 0xff);
            Ok(Member { pid: (word >> 16) as u32, role: (word >> 8) as u8, mood: mood.ok_or(Torn)? })
        };
        let members = (0..count).map(|_| member(next()?)).collect::<Result<_, _>>()?;
        Ok(CrewState { elapsed, kills, freezes, over, members })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_comes_back_and_the_longest_fits() {
        let member = Member { pid: u32::MAX, role: 9, mood: Mood::Frozen };
        let state =
            CrewState { elapsed: 1, kills: 2, freezes: 3, over: true, members: vec![member; MEMBERS] };
        let mut bytes = Vec::new();
        state.write(&mut bytes);
        assert_eq!((bytes.len(), CrewState::parse(&bytes)), (MOST, Ok(state)));
        for len in 0..bytes.len() {
            assert_eq!(CrewState::parse(&bytes[..len]), Err(Torn));
        }
    }

    #[test]
    fn counts_and_moods_that_lie_are_refused() {
        for (count, member) in [(u64::MAX, 0), (1, 7)] {
            let mut bytes = Vec::new();
            put(&mut bytes, &[KIND, 1, 1, 1, 0, count, member]);
            seal(&mut bytes);
            assert_eq!(CrewState::parse(&bytes), Err(Torn));
        }
    }
}
