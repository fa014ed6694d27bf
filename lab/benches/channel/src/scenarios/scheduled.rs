//! A writer that sends on a schedule; several scenarios use it.

use crate::case::Case;
use crate::clock;
use crate::contender::Link;
use crate::control::Control;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::Head;
use crate::outcome::Outcome;
use crate::pace::{Real, offer};
use crate::place::Seat;
use crate::run::{World, dismiss};
use crate::schedule::Schedule;
use crate::shared::Buffer;

/// How the writer keeps its schedule, and how it stops.
pub struct Scheduled {
    /// The period, in ns.
    pub period: u64,
    /// Whether it spins until a message is due instead of sleeping.
    pub spins: bool,
    /// How long messages in flight are waited for before the last message is sent, in ns.
    pub grace: u64,
    /// Length of the last message, in bytes.
    pub last_word: usize,
    /// Readers that the last message is for.
    pub readers: usize,
}

impl Scheduled {
    /// Adds the writer. `prepare` may write into each message before its head is written, and says whether it is sent.
    pub fn add_writer(
        self,
        crew: &mut Crew,
        world: &World,
        case: &Case,
        link: &dyn Link,
        mut prepare: impl FnMut(&Head, &mut Buffer) -> bool,
    ) -> Fallible<()> {
        let role = |control: &Control| {
            let mut sender = link.sender(0)?;
            let mut message = Buffer::new(case.size)?;
            let mut outcome = Outcome::default();
            let window = control.start();
            let schedule = Schedule::new(clock::now() + self.period, self.period);
            let time = Real { spins: self.spins };
            let head = offer(&time, &schedule, &window, &mut outcome, |head| {
                if !prepare(head, &mut message) {
                    return Ok(());
                }
                head.write(&mut message);
                sender.send(&message)
            })?;
            clock::sleep_until(clock::now() + self.grace);
            dismiss(&mut *sender, head, &mut message[..self.last_word], control, self.readers)?;
            Ok(outcome)
        };
        crew.add(Seat::writer(case, &world.cores, 0), role).map(drop)
    }
}
