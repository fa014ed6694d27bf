//! Runs cases.

use crate::case::{Case, Provider, Step, of_provider, substituted};
use crate::codes::Code;
use crate::driver::Driver;
use crate::expect::check;
use crate::languages::{Language, fingerprint};
use crate::place::Place;
use crate::words::{line, made_by, name_of};
use saltus_conformance_types::tools::Result;
use serde_json::Value;
use std::time::{Duration, Instant};

/// Longer runs are reported.
const SLOW: Duration = Duration::from_secs(3);

/// Which language plays which role.
#[derive(Clone, Debug)]
pub struct Cast<'a> {
    /// The transport of the messages.
    pub provider: Provider,
    /// Roles, and their languages: one, or two.
    pub roles: Vec<(&'static str, &'a Language)>,
}

impl Cast<'_> {
    /// For people: `shm, publisher in C, subscriber in Python`.
    pub fn printed(&self) -> String {
        let roles = self.roles.iter().map(|(role, language)| format!(", {role} in {}", language.name));
        std::iter::once(self.provider.name().to_string()).chain(roles).collect()
    }

    /// Whether a case applies to them.
    pub fn may(&self, case: &Case) -> bool {
        let of_two = self.roles.len() == 2;
        case.on.contains(&self.provider)
            && case.is_of_two() == of_two
            && self.roles.iter().all(|(role, language)| case.cannot(role, language.key).is_none())
    }

    /// Runs cases one after the other with the same programs; returns their number, and the failures.
    pub fn play(&self, cases: &[&Case], codes: &[Code]) -> (usize, Vec<String>) {
        let mut failures = Vec::new();
        let mut played = 0;
        let place = match Place::new(self.provider) {
            Ok(place) => place,
            Err(why) => return (0, vec![why]),
        };
        let mut drivers = None;
        for case in cases.iter().filter(|case| self.may(case)) {
            played += 1;
            let ready = match drivers.take() {
                Some(ready) => Ok(ready),
                None => self.start(&place),
            };
            let start = Instant::now();
            let outcome = ready.and_then(|mut ready: Vec<Driver>| {
                self.play_one(case, &mut ready, &place, codes)?;
                Ok(ready)
            });
            let took = start.elapsed();
            if took > SLOW {
                println!("{:.1} s for {} ({})", took.as_secs_f64(), case.name, self.printed());
            }
            match outcome {
                Ok(ready) => drivers = Some(ready),
                // After a failure the programs cannot be used for the next case.
                Err(why) => failures.push(format!("{} ({}): {why}", case.name, self.printed())),
            }
        }
        for driver in drivers.into_iter().flatten() {
            if let Err(why) = driver.end() {
                failures.push(format!("{}: {why}", self.printed()));
            }
        }
        (played, failures)
    }

    fn start(&self, place: &Place) -> Result<Vec<Driver>> {
        self.roles
            .iter()
            .map(|(_, language)| Driver::start(language, &place.dir, place.space.as_ref()))
            .collect()
    }

    fn play_one(&self, case: &Case, drivers: &mut [Driver], place: &Place, codes: &[Code]) -> Result<()> {
        let url = place.url(case.options(self.provider));
        let dir = place.directory();
        std::fs::create_dir_all(&dir).map_err(|e| format!("{}: {e}", dir.display()))?;
        let fingerprint = fingerprint()?;
        let dir_said = dir.to_string_lossy();
        let names = [("$URL", url.as_str()), ("$DIR", &dir_said), ("$FINGERPRINT", &fingerprint)];
        let open = Step {
            role: String::new(),
            verb: "domain".into(),
            with: serde_json::Map::from_iter([("url".to_string(), Value::String(url.clone()))]),
        };
        let mut made = Vec::new();
        for (at, driver) in drivers.iter_mut().enumerate() {
            driver.must(&line(&open, "")?)?;
            made.push((at, "domain", "d".to_string()));
        }
        let mut printed = vec![String::new(); drivers.len()];
        for (number, step) in case.steps.iter().enumerate() {
            let in_step = |why: String| format!("step {}, {}: {why}", number + 1, step.printed());
            let with = of_provider(&substituted(&Value::Object(step.with.clone()), &names), self.provider);
            let with = with.as_object().cloned().unwrap_or_default();
            let step = Step { with, ..step.clone() };
            let at = self.roles.iter().position(|(role, _)| *role == step.role);
            let at = at.ok_or_else(|| in_step(format!("nobody is `{}`", step.role)))?;
            let driver = &mut drivers[at];
            if step.verb != "answer" {
                let name = name_of(&step);
                let of = |one: &&(usize, &'static str, String)| one.0 == at && one.2 == name;
                let kind = made.iter().rev().find(of).map_or("", |(_, kind, _)| kind);
                printed[at] = line(&step, kind).map_err(in_step)?;
                driver.say(&printed[at]).map_err(in_step)?;
                let made_now = made_by(&step.verb).filter(|_| step.expected().get("error").is_none());
                made.extend(made_now.map(|kind| (at, kind, name)));
            }
            if !step.is_later() {
                let answer = driver.answer().map_err(in_step)?;
                let reported = |why| in_step(format!("{}: {why}", driver.language));
                check(step.expected(), &answer, codes).map_err(reported)?;
            }
        }
        for (at, kind, name) in made.into_iter().rev() {
            drivers[at].must(&format!("close {kind} {name}"))?;
        }
        Ok(())
    }
}
