//! The page of error codes, with which all languages must agree.

use saltus_conformance_types::tools::{Result, root};

/// An error on the page.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Code {
    /// Its number.
    pub number: i32,
    /// Its name in C: `SALTUS_NOT_FOUND`.
    pub c: String,
    /// Its name in other languages: `NotFound`.
    pub name: String,
}

/// All errors of docs/errors.md.
///
/// # Errors
/// The page cannot be read, or has no table of codes.
pub fn read() -> Result<Vec<Code>> {
    let page = root().join("docs/errors.md");
    let text = std::fs::read_to_string(&page).map_err(|e| format!("{}: {e}", page.display()))?;
    let cell = |text: &str| text.trim().trim_matches('`').to_string();
    let row = |line: &str| {
        let mut cells = line.strip_prefix('|')?.split('|').map(cell);
        let (number, c, name) = (cells.next()?.parse().ok()?, cells.next()?, cells.next()?);
        (number > 0).then_some(Code { number, c, name })
    };
    let all: Vec<Code> = text.lines().filter_map(row).collect();
    if all.is_empty() { Err(format!("{} has no table of codes", page.display())) } else { Ok(all) }
}

impl Code {
    /// Whether a language's name of an error means this one. Rust has only numbers, and answers `-`.
    pub fn is_called(&self, name: &str) -> bool {
        [&self.c, &self.name].contains(&&name.to_string())
            || name == "-"
            // Java's exception for an invalid call.
            || self.name == "Invalid" && ["IllegalStateException", "IllegalArgumentException"].contains(&name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_page_has_the_codes_of_c() {
        let all = read().unwrap();
        let header = std::fs::read_to_string(root().join("bindings/c/include/saltus.h")).unwrap();
        let defined = |code: &Code| header.contains(&format!("\n    {} = {},\n", code.c, code.number));
        assert!(all.len() > 20 && all.iter().all(defined));
        let invalid = all.iter().find(|code| code.number == saltus::SALTUS_INVALID as i32).unwrap();
        assert_eq!((invalid.c.as_str(), invalid.name.as_str()), ("SALTUS_INVALID", "Invalid"));
        assert!(invalid.is_called("Invalid") && !invalid.is_called("NotFound"));
    }
}
