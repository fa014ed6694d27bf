//! Tables of providers in the documentation match the table of schemes. `SALTUS_WRITE_TABLES=1` rewrites them.

use saltus_domain::{Reach, SCHEMES, Scheme};
use std::path::Path;

/// The guide's table.
fn guide() -> String {
    let row = |scheme: &Scheme| {
        let newest = match scheme.traits.reach {
            Reach::Network => "O(1), once it has arrived",
            Reach::Process | Reach::Machine | Reach::File => "O(1)",
        };
        let words = &scheme.words;
        let built = scheme.feature.map(|feature| format!("built with `--features {feature}`"));
        let needs: Vec<&str> =
            [words.needs].into_iter().filter(|s| !s.is_empty()).chain(built.as_deref()).collect();
        let (name, needs) = (scheme.name, needs.join("; "));
        format!(
            "| `{name}://` | {} | {newest} | {} | {} | {} | {needs} |\n",
            words.reaches, words.order, words.lost, words.loss_counts
        )
    };
    let head = "| | reaches | newest | order | a message may be lost | reported losses | needs |\n\
                |---|---|---|---|---|---|---|\n";
    SCHEMES.iter().map(row).fold(head.into(), |table, row| table + &row)
}

/// The table in the documentation of the crate.
fn rustdoc() -> String {
    let row = |scheme: &Scheme| {
        let feature = if scheme.feature.is_some() { " (a feature)" } else { "" };
        format!(
            "//! | `{}://`{feature} | {} | {} |\n",
            scheme.name, scheme.words.order, scheme.words.loss_counts
        )
    };
    let head = "//! | | order | reported losses |\n//! |---|---|---|\n";
    SCHEMES.iter().map(row).fold(head.into(), |table, row| table + &row)
}

/// Compares the lines between the first two markers of `file` with `table`.
fn holds(file: &str, [begin, end]: [&str; 2], table: &str) {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    let (before, rest) = text.split_once(begin).unwrap_or_else(|| panic!("{file} has no {begin:?}"));
    let (found, after) = rest.split_once(end).unwrap_or_else(|| panic!("{file} has no {end:?}"));
    if found != table && std::env::var_os("SALTUS_WRITE_TABLES").is_some() {
        return std::fs::write(&path, format!("{before}{begin}{table}{end}{after}")).unwrap();
    }
    assert!(
        found == table,
        "{file} is out of date: SALTUS_WRITE_TABLES=1 cargo test -p saltus-domain --test table\n{table}"
    );
}

#[test]
fn the_guides_table_is_that_of_the_schemes() {
    holds("../../docs/providers.md", ["<!-- schemes -->\n", "<!-- end of schemes -->"], &guide());
}

#[test]
fn the_crates_table_is_that_of_the_schemes() {
    holds("src/lib.rs", ["//! <!-- schemes -->\n//!\n", "//!\n//! <!-- end of schemes -->"], &rustdoc());
}
