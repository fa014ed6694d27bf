//! Zenoh's error messages.

/// An error message of Zenoh, without source locations.
pub fn of(why: &zenoh::Error) -> String {
    let text = why.to_string();
    let is_place = |word: &str| word.contains(".rs:");
    let mut words: Vec<&str> = text.split(' ').collect();
    while let Some(at) = words.windows(2).position(|two| two[0] == "at" && is_place(two[1])) {
        words.drain(at..at + 2);
    }
    words.join(" ")
}
