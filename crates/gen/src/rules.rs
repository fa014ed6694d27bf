//! Dependency rules for make, Ninja and CMake.

use crate::File;
use std::path::{Path, PathBuf};

/// Rules in make's syntax: each generated file below `dir` depends on all type files that were read.
pub fn rules(dir: &Path, files: &[File], sources: &[PathBuf]) -> String {
    let names = |paths: &mut dyn Iterator<Item = PathBuf>| {
        paths.map(|path| quoted(&path.display().to_string())).collect::<Vec<_>>().join(" \\\n  ")
    };
    let targets = names(&mut files.iter().map(|file| dir.join(&file.path)));
    let sources = names(&mut sources.iter().cloned());
    if targets.is_empty() { String::new() } else { format!("{targets}: \\\n  {sources}\n") }
}

/// A path in make's syntax.
fn quoted(path: &str) -> String {
    path.replace('$', "$$").replace('#', "\\#").replace(' ', "\\ ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_quote_what_make_would_read_otherwise() {
        let file = |path: &str| File { path: path.into(), text: String::new() };
        let rules = rules(Path::new("out dir"), &[file("a.h"), file("b.h")], &["c$#.lcm".into()]);
        assert_eq!(rules, "out\\ dir/a.h \\\n  out\\ dir/b.h: \\\n  c$$\\#.lcm\n");
    }
}
