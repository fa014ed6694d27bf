//! Finds the highest load that a contender sustains: the load rises step by step until it is too much, then the last
//! step is halved.

use crate::error::Fallible;

/// The loads to try.
#[derive(Clone, Copy, Debug)]
pub struct Search {
    /// The lowest.
    pub from: f64,
    /// The highest.
    pub to: f64,
    /// From one load to the next, as a factor.
    pub step: f64,
    /// How often the last step is halved.
    pub halvings: u32,
}

/// The result of a search.
#[derive(Clone, Debug, PartialEq)]
pub struct Found<T> {
    /// The highest load that was sustained, if any was.
    pub good: Option<f64>,
    /// The lowest that was too much, if any was.
    pub bad: Option<f64>,
    /// The result at the highest load that was sustained.
    pub best: Option<T>,
}

impl Search {
    /// Searches; `sustains` tries a load, and returns whether it was sustained and with what result.
    pub fn highest<T>(&self, mut sustains: impl FnMut(f64) -> Fallible<(bool, T)>) -> Fallible<Found<T>> {
        let mut found = Found { good: None, bad: None, best: None };
        let mut load = self.from;
        while found.bad.is_none() && load <= self.to {
            found.note(load, sustains(load)?);
            load *= self.step;
        }
        for _ in 0..self.halvings {
            let (Some(good), Some(bad)) = (found.good, found.bad) else { break };
            let middle = (good * bad).sqrt();
            found.note(middle, sustains(middle)?);
        }
        Ok(found)
    }
}

impl<T> Found<T> {
    fn note(&mut self, load: f64, (is_borne, gave): (bool, T)) {
        if is_borne {
            (self.good, self.best) = (Some(load), Some(gave));
        } else {
            self.bad = Some(load);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SEARCH: Search = Search { from: 500.0, to: 16e6, step: 4.0, halvings: 3 };

    #[test]
    fn the_limit_is_found_to_a_fifth() {
        for limit in [600.0, 4_321.0, 99_999.0, 3e6] {
            let found = SEARCH.highest(|load| Ok((load <= limit, load))).expect("no error");
            let (good, bad) = (found.good.expect("one"), found.bad.expect("one"));
            assert!(good <= limit && limit < bad && bad / good < 1.2, "{good} to {bad} for {limit}");
            assert_eq!(found.best, Some(good));
        }
    }

    #[test]
    fn nothing_and_everything_have_ends() {
        let none = SEARCH.highest(|load| Ok((false, load))).expect("no error");
        assert_eq!(none, Found { good: None, bad: Some(500.0), best: None });
        let all = SEARCH.highest(|load| Ok((true, load))).expect("no error");
        assert!(all.bad.is_none() && all.good.expect("one") * SEARCH.step > SEARCH.to);
        assert!(SEARCH.highest(|_| Err::<(bool, ()), _>("broken".into())).is_err());
    }
}
