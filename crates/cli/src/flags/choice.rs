//! Options whose value is one of a list of words.

use clap::builder::{PossibleValue, PossibleValuesParser, TypedValueParser};

/// The words with their help, and what each means.
pub(crate) type Choices<T> = &'static [(&'static str, &'static str, T)];

/// A parser for one of the words.
pub(crate) fn one_of<T: Clone + Send + Sync>(choices: Choices<T>) -> impl TypedValueParser<Value = T> {
    let words = choices.iter().map(|(word, help, _)| PossibleValue::new(*word).help(*help));
    PossibleValuesParser::new(words).try_map(|typed| {
        let meant = choices.iter().find(|(word, ..)| *word == typed).map(|(_, _, meant)| meant.clone());
        meant.ok_or("not one of the words")
    })
}
