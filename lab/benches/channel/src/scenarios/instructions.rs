//! Instructions of one message, in and out in one process, counted from outside: the process is single-stepped
//! under ptrace, without the kernel's instructions. A count does not depend on the machine's state.

use crate::case::Case;
use crate::contender::Contender;
use crate::crew::Crew;
use crate::error::Fallible;
use crate::message::Head;
use crate::outcome::Outcome;
use crate::place::Seat;
use crate::run::World;
use crate::shared::Buffer;
use crate::trace::{AFTER, COUNTED, Traced};
use std::sync::atomic::Ordering::SeqCst;
use std::time::Duration;

/// Messages counted; as many are sent before them as warm-up.
const MESSAGES: u64 = 20;

/// The result of a count.
#[derive(Clone, Debug)]
pub struct Steps {
    /// Conditions.
    pub case: Case,
    /// The contender.
    pub contender: &'static str,
    /// Instructions per message, for sending and receiving together.
    pub per_message: f64,
}

/// Counts for one contender.
pub fn run(world: &World, contender: &dyn Contender, case: &Case) -> Fallible<Steps> {
    let link = world.link(contender, case)?;
    let mut crew = Crew::new()?;
    let pid = crew.add(Seat::writer(case, &world.cores, 0), |control| {
        let (mut sender, mut receiver) = (link.sender(0)?, link.receiver(0)?);
        let (mut message, mut buffer) = (Buffer::new(case.size)?, Buffer::new(case.size)?);
        control.start();
        let mut exchange = |number| -> Fallible<()> {
            Head { number, ..Head::default() }.write(&mut message);
            sender.send(&message)?;
            match receiver.poll(&mut buffer)? && Head::read(&buffer).number == number {
                true => Ok(()),
                false => Err("did not receive what was just published".into()),
            }
        };
        (1..=MESSAGES).try_for_each(&mut exchange)?;
        control.counting.store(COUNTED, SeqCst);
        (MESSAGES + 1..=2 * MESSAGES).try_for_each(&mut exchange)?;
        control.counting.store(AFTER, SeqCst);
        Ok(Outcome::default())
    })?;
    crew.wait_ready()?;
    let traced = Traced::attach(pid)?;
    crew.control().go(Duration::from_millis(1));
    let steps = traced.steps(crew.control())?;
    crew.finish()?;
    let per_message = steps as f64 / MESSAGES as f64;
    Ok(Steps { case: *case, contender: contender.name(), per_message })
}
