//! One measurement: the other processes, their placement, and the result.

use super::publish::Times;

/// Placement of publisher and spies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// The publisher alone on the first core, spies on the others: shows the effect of their reading.
    Apart,
    /// All where the scheduler places them: includes the effect of a busy machine.
    Anywhere,
}

impl Where {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Where::Apart => "publisher alone on a core",
            Where::Anywhere => "all where the scheduler places them",
        }
    }
}

/// The processes besides the publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Company {
    /// The given number of spies.
    Spies(usize),
    /// As many processes as the largest number of spies, with the same processor time but without Saltus.
    Burners,
    /// None, repeated: shows how much this machine varies by itself.
    NobodyAgain,
}

impl Company {
    /// The name in tables.
    pub fn name(self, most: usize) -> String {
        match self {
            Company::Spies(1) => "1 spy".into(),
            Company::Spies(n) => format!("{n} spies"),
            Company::Burners => format!("{most} burners"),
            Company::NobodyAgain => "0 spies again".into(),
        }
    }
}

/// One measurement.
pub struct Run {
    pub place: Where,
    pub company: Company,
    pub rep: usize,
    /// Publish calls at a steady rate, and at full rate.
    pub times: [Times; 2],
    /// Processor time of the company for each second, as a part of one core.
    pub share: f64,
}
