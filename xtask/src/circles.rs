//! Cycles of modules: files of one crate that need each other, directly or through others.

use crate::modules::{self, Needs};
use crate::run::{Outcome, root};
use crate::workspace::{self, Package};
use std::collections::BTreeSet;
use std::fmt::Write;
use std::path::{Path, PathBuf};

/// Refuses a cycle of modules in any package of the workspace.
pub fn check() -> Outcome {
    let mut refused = String::new();
    for package in workspace::packages(&root())? {
        refused.extend(of(&package)?);
    }
    if refused.is_empty() { Ok(()) } else { Err(format!("files need each other:\n{refused}")) }
}

/// Prints the cycles of all packages, or of those named, allowed or not.
pub fn print(names: &[&str]) -> Outcome {
    for package in workspace::packages(&root())? {
        if names.is_empty() || names.contains(&package.name.as_str()) {
            of(&package)?.iter().for_each(|circle| print!("{circle}"));
        }
    }
    Ok(())
}

/// The cycles of a package, as text: the names that its files use from each other.
pub fn of(package: &Package) -> Result<Vec<String>, String> {
    let mut reported = Vec::new();
    for root in &package.roots {
        let needs = modules::needs(root)?;
        reported.extend(circles(&needs).iter().map(|circle| text(&needs, circle, &package.dir)));
    }
    reported.dedup();
    Ok(reported)
}

/// Files that reach each other, in groups of two and more.
fn circles(needs: &Needs) -> Vec<BTreeSet<PathBuf>> {
    let reached = |from: &PathBuf| {
        let (mut reached, mut todo) = (BTreeSet::new(), vec![from]);
        while let Some(file) = todo.pop() {
            for next in needs.get(file).into_iter().flat_map(|to| to.keys()) {
                if reached.insert(next.clone()) {
                    todo.push(next);
                }
            }
        }
        reached
    };
    let reached: Vec<_> = needs.keys().map(|file| (file, reached(file))).collect();
    let mut found = BTreeSet::new();
    for (file, far) in &reached {
        let back = reached.iter().filter(|(other, back)| far.contains(*other) && back.contains(*file));
        let circle: BTreeSet<PathBuf> = back.map(|(other, _)| (*other).clone()).collect();
        if circle.len() > 1 {
            found.insert(circle);
        }
    }
    found.into_iter().collect()
}

/// A cycle as text: `a.rs -> b.rs: Name, Name`.
fn text(needs: &Needs, circle: &BTreeSet<PathBuf>, dir: &Path) -> String {
    let short = |file: &Path| file.strip_prefix(dir).unwrap_or(file).display().to_string();
    let mut reported = format!("a circle of {} files in {}:\n", circle.len(), dir.display());
    for from in circle {
        for (to, names) in needs[from].iter().filter(|(to, _)| circle.contains(*to)) {
            let names = names.iter().map(String::as_str).collect::<Vec<_>>().join(", ");
            let _ = writeln!(reported, "  {} -> {}: {names}", short(from), short(to));
        }
    }
    reported
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;

    /// The cycles of a tree of files, the first of which is its root.
    fn reported(name: &str, files: &[(&str, &str)]) -> String {
        let dir = std::env::temp_dir().join(format!("saltus-circles-{}-{name}", std::process::id()));
        for (file, text) in files {
            let file = dir.join(file);
            fs::create_dir_all(file.parent().unwrap()).unwrap();
            fs::write(file, text).unwrap();
        }
        let package = Package { roots: vec![dir.join(files[0].0)], ..Package::new(&dir) };
        let reported = of(&package).unwrap().concat();
        fs::remove_dir_all(&dir).unwrap();
        reported
            .lines()
            .filter(|line| line.starts_with("  "))
            .map(|line| format!("{}\n", line.trim()))
            .collect()
    }

    #[test]
    fn optional_references_are_not_a_circle() {
        let tree = [
            (
                "lib.rs",
                "mod a; mod b; pub mod c; pub fn c() -> A { c::C } pub use a::A; pub use b::{B, make as build}; pub use c::*;",
            ),
            (
                "a.rs",
                "//! See [`crate::B`].\nuse crate::B; pub struct A(B); // super::c::C\n #[cfg(test)] mod tests;",
            ),
            ("a/tests.rs", "use super::*; use crate::c::C;"),
            (
                "b.rs",
                "pub struct B; pub fn make() { let a = \"crate::a::A\"; } #[cfg(test)] mod t { use crate::A; }",
            ),
            ("c/mod.rs", "pub(crate) mod d; pub(in crate::c) use d::D; use crate::A; pub struct C(A);"),
            (
                "c/d.rs",
                "pub struct D; use crate::c::{self}; type X = c::d::D; use std::fmt; use ::c::C; impl fmt::Debug for D { fn make(&self) { self.make() } }",
            ),
        ];
        assert_eq!(reported("none", &tree), "");
    }

    #[test]
    fn names_are_followed_to_where_they_are_defined() {
        let tree = [
            ("lib.rs", "mod a; mod b; mod c; pub use a::A; pub use b::*;"),
            (
                "a.rs",
                "use crate::{self as all, c::{self, Other as Renamed}}; pub struct A(c::C, all::B, Renamed);",
            ),
            ("b.rs", "pub struct B; fn f() -> super::A { unreachable!() }"),
            ("c.rs", "pub struct C; pub struct Other; use std::vec; fn f() { g(super::A::new()) }"),
        ];
        let circle = "a.rs -> b.rs: B\na.rs -> c.rs: C, Other\nb.rs -> a.rs: A\nc.rs -> a.rs: A\n";
        assert_eq!(reported("followed", &tree), circle);
    }

    #[test]
    fn globs_macros_and_parents_count_by_what_is_used() {
        let tree = [
            (
                "main.rs",
                "#[macro_use] mod a; mod b; mod c; use b::helper; fn main() { helper() } pub struct Top;",
            ),
            (
                "a.rs",
                "macro_rules! own { () => {} } own!(); macro_rules! twice { ($x:expr) => { $crate::b::helper($x) } }",
            ),
            ("b.rs", "use super::*; pub fn helper() -> Top { twice!(1) } macro_rules! own { () => {} }"),
            ("c/mod.rs", "mod d; pub use d::{D, unused}; pub fn f(d: D) {}"),
            ("c/d.rs", "pub struct D; pub fn unused() {} fn g() { super::f(D) }"),
        ];
        let circles = "a.rs -> b.rs: helper\nb.rs -> a.rs: twice\nb.rs -> main.rs: Top\nmain.rs -> b.rs: helper\n\
            c/d.rs -> c/mod.rs: f\nc/mod.rs -> c/d.rs: D\n";
        assert_eq!(reported("globs", &tree), circles);
    }

    #[test]
    fn files_are_found_where_rust_looks() {
        let tree = [
            ("src/lib.rs", "mod outer { mod inner; #[path = \"far.rs\"] mod near; }"),
            ("src/outer/inner.rs", "pub struct I(super::near::N);"),
            ("src/outer/far.rs", "pub struct N; impl N { fn n(i: super::inner::I) {} }"),
        ];
        // Inside a module in the file, paths start in that module's folder.
        let circle = "src/outer/far.rs -> src/outer/inner.rs: I\nsrc/outer/inner.rs -> src/outer/far.rs: N\n";
        assert_eq!(reported("where", &tree), circle);
    }
}
