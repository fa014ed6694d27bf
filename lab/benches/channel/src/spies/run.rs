//! One measurement: the other processes, their placement, and the result.

use super::publish::Times;

/// Where publisher and spies run.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Where {
    /// The publisher alone on the first core, spies on the others: what their reading does.
    Apart,
    /// All where the scheduler puts them: what the machine does, too.
    Anywhere,
}

impl Where {
    /// The name in tables.
    pub fn name(self) -> &'static str {
        match self {
            Where::Apart => "publisher on a core of its own",
            Where::Anywhere => "all where the scheduler puts them",
        }
    }
}

/// The processes besides the publisher.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Company {
    /// So many spies.
    Spies(usize),
    /// As many processes as the most spies, which use the same processor time, without Saltus.
    Burners,
    /// None, once more: how much this machine varies by itself.
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
