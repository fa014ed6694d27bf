//! The book: the pages of docs/SUMMARY.md as HTML, by mdBook.

use crate::pages;
use crate::run::{Outcome, Step, failed, output, read, root};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// The version of mdBook that builds it.
const MDBOOK: &str = "0.5.4";

/// Checks the links of the pages, then builds the book into target/book. Installs mdBook into target/tools if
/// necessary, which takes some minutes.
pub fn steps() -> Vec<Step> {
    vec![Step::new("links between pages", pages::links), Step::new("the book", build)]
}

/// Builds the book.
pub fn build() -> Outcome {
    let root = root();
    let mdbook = mdbook()?;
    let stage = root.join("target/book-source");
    if stage.exists() {
        fs::remove_dir_all(&stage).map_err(failed(&stage))?;
    }
    let src = stage.join("src");
    let book = pages::book(&root)?;
    for page in &book {
        let text = read(&root.join(page))?;
        pages::write(&src.join(page), &pages::for_book(page, &text, &book))?;
    }
    for picture in ["png", "svg", "html"].iter().flat_map(|kind| pages::files(&root, Path::new("docs"), kind))
    {
        let to = src.join(&picture);
        pages::write(&to, "")?;
        fs::copy(root.join(&picture), &to).map_err(failed(&to))?;
    }
    pages::write(&src.join("SUMMARY.md"), &summary(&read(&root.join("docs/SUMMARY.md"))?))?;
    pages::write(&stage.join("book.toml"), &read(&root.join("docs/book.toml"))?)?;
    output(Command::new(mdbook).arg("build").arg(&stage))?;
    let index = root.join("target/book/index.html");
    if !index.is_file() {
        return Err(format!("mdbook made no {}", index.display()));
    }
    println!("{}", index.display());
    Ok(())
}

/// The summary with paths from the root of the repository, as in the copy.
fn summary(text: &str) -> String {
    text.replace("](", "](docs/").replace("](docs/../", "](")
}

/// The path of mdBook, which is installed if necessary.
fn mdbook() -> Result<PathBuf, String> {
    let tools = root().join("target/tools");
    let program = tools.join("bin/mdbook");
    let is_there = program.is_file()
        && output(Command::new(&program).arg("--version"))
            .is_ok_and(|version| version.trim().ends_with(MDBOOK));
    if !is_there {
        eprintln!("=== installing mdbook {MDBOOK} into {}", tools.display());
        let mut install = Command::new("cargo");
        install.args(["install", "--quiet", "--locked", "mdbook", "--version", MDBOOK, "--root"]);
        output(install.arg(&tools))?;
    }
    Ok(program)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_summary_leads_to_the_same_pages_from_the_root() {
        let text = "- [a](a.md)\n- [b](../b/README.md)\n";
        assert_eq!(summary(text), "- [a](docs/a.md)\n- [b](b/README.md)\n");
    }
}
