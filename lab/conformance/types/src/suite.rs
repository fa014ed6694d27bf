//! All drivers, built once.

use crate::corpus::Corpus;
use crate::driver::{Answer, Driver};
use crate::languages::{c, cpp, java, python, rust};
use crate::tools::{self, Result};
use saltus_gen::Style;
use saltus_types::StructId;
use std::path::Path;

/// Types, and a driver for each kind of code that can be generated from them.
#[derive(Debug)]
pub struct Suite {
    /// The types.
    pub corpus: Corpus,
    /// The drivers: LCM's first.
    pub drivers: Vec<Driver>,
}

type Build = fn(&Corpus, &Path) -> Result<Driver>;

/// Directory and builder of every driver; those that take longest to build are first.
const BUILDS: [(&str, Build); 11] = [
    ("cpp", |corpus, dir| cpp::ours(corpus, dir)),
    ("rust", |corpus, dir| rust::ours(corpus, dir)),
    ("c", |corpus, dir| c::ours(corpus, dir)),
    ("java", |corpus, dir| java::ours(corpus, Style::Modern, dir)),
    ("java-lcm", |corpus, dir| java::ours(corpus, Style::Lcm, dir)),
    ("oracle-java", |corpus, dir| java::oracle(corpus, dir)),
    ("oracle-cpp", |corpus, dir| cpp::oracle(corpus, dir)),
    ("oracle-c", |corpus, dir| c::oracle(corpus, dir)),
    ("python", |corpus, dir| python::ours(corpus, Style::Modern, dir)),
    ("python-lcm", |corpus, dir| python::ours(corpus, Style::Lcm, dir)),
    ("oracle-python", |corpus, dir| python::oracle(corpus, dir)),
];

/// One driver's answers for all messages; `None` where it does not support the type.
type Answers = Vec<Option<Answer>>;

impl Suite {
    /// Generates and builds everything below `dir`, on two cores.
    ///
    /// # Errors
    /// All errors of generating and building, in words.
    pub fn build(corpus: Corpus, dir: &Path) -> Result<Suite> {
        tools::lcm()?;
        let built = tools::in_parallel(2, &BUILDS, |(name, build)| {
            let dir = dir.join(name);
            std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
            build(&corpus, &dir).map_err(|why| format!("{name}: {why}"))
        });
        let (good, bad): (Vec<_>, Vec<_>) = built.into_iter().partition(Result::is_ok);
        if bad.is_empty() {
            let mut drivers: Vec<Driver> = good.into_iter().flatten().collect();
            drivers.sort_by_key(|driver| !driver.is_oracle);
            return Ok(Suite { corpus, drivers });
        }
        Err(bad.into_iter().filter_map(Result::err).collect::<Vec<_>>().join("\n"))
    }

    /// Every driver's answer for every message, in the order of the drivers; `None` where it does not support the
    /// type.
    ///
    /// # Errors
    /// Drivers that crash or whose output is invalid.
    pub fn ask<'a>(
        &self,
        drivers: &[&'a Driver],
        messages: &[(StructId, &[u8])],
    ) -> Result<Vec<(&'a Driver, Answers)>> {
        let answers = tools::in_parallel(2, drivers, |driver| {
            let known: Vec<usize> =
                (0..messages.len()).filter(|&i| driver.types.contains(&messages[i].0)).collect();
            let asked: Vec<(StructId, &[u8])> = known.iter().map(|&i| messages[i]).collect();
            let mut all = vec![None; messages.len()];
            for (i, answer) in known.into_iter().zip(driver.ask(&self.corpus, &asked)?) {
                all[i] = Some(answer);
            }
            Ok((*driver, all))
        });
        answers.into_iter().collect()
    }

    /// The drivers of our code.
    pub fn ours(&self) -> Vec<&Driver> {
        self.drivers.iter().filter(|driver| !driver.is_oracle).collect()
    }
    /// All drivers.
    pub fn all(&self) -> Vec<&Driver> {
        self.drivers.iter().collect()
    }
}
