//! Error messages for people: without the numbers of system errors, and of limited length.

use std::io;

/// What precedes the number that the standard library appends to the text of a system error.
pub const SYSTEM_NUMBER: &str = " (os error ";

/// A message without numbers of system errors, and with their text in lower case: `no such file or directory`.
pub fn plain(words: &str) -> String {
    let (mut done, mut rest) = (String::new(), words);
    while let Some((before, after)) = rest.split_once(SYSTEM_NUMBER) {
        let number =
            after.split_once(')').and_then(|(number, rest)| Some((number.parse::<i32>().ok()?, rest)));
        let Some((number, behind)) = number else {
            done = done + before + SYSTEM_NUMBER;
            rest = after;
            continue;
        };
        let text = io::Error::from_raw_os_error(number).to_string();
        let text = text.split(SYSTEM_NUMBER).next().unwrap_or_default();
        done += before.strip_suffix(text).unwrap_or(before);
        if before.ends_with(text) {
            let mut chars = text.chars();
            done.extend(chars.next().into_iter().flat_map(char::to_lowercase));
            done += chars.as_str().trim_end_matches('.'); // Windows writes sentences
        }
        rest = behind;
    }
    done + rest
}

/// Longest message. Quoted names and lines can have any length.
const LONGEST: usize = 2000;

/// Removes the middle of a message that is too long.
pub fn bounded(words: &str) -> String {
    if words.len() <= LONGEST {
        return words.to_owned();
    }
    let boundary = |at: &usize| words.is_char_boundary(*at);
    let head = (0..=LONGEST / 2).rev().find(boundary).unwrap_or(0);
    let tail = (words.len() - LONGEST / 2..words.len()).find(boundary).unwrap_or(words.len());
    format!("{} [{} bytes omitted] {}", &words[..head], tail - head, &words[tail..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_systems_words_have_no_number() {
        let of = |n| io::Error::from_raw_os_error(n);
        let words = plain(&format!("cannot read a: {}; or b: {}; go", of(2), of(5)));
        assert!(words.starts_with("cannot read a: ") && words.ends_with("; go"), "{words}");
        assert!(!words.contains("os error") && !words.contains(".;"), "{words}");
        if cfg!(unix) {
            assert_eq!(words, "cannot read a: no such file or directory; or b: input/output error; go");
        }
        assert_eq!(plain("a (os error x) b (os error 99999999)"), "a (os error x) b");
    }

    #[test]
    fn a_sentence_is_bounded_whatever_it_quotes() {
        let long = bounded(&"é".repeat(1 << 20));
        assert!(long.len() < 2 * LONGEST && long.contains("bytes omitted"), "{}", long.len());
        assert_eq!(bounded("short"), "short");
    }
}
