//! Separation of product and laboratory: the packages that users install depend on nothing below `lab`.

use crate::run::{Outcome, output, root};
use crate::workspace;
use std::collections::BTreeSet;
use std::process::Command;

/// The packages built for users, as arguments of `cargo tree`.
const PRODUCTS: &[&[&str]] = &[
    &["-p", "saltus-cli"],
    &["-p", "saltus-cli", "--no-default-features"],
    &["-p", "saltus-c"],
    &["-p", "saltus-python"],
    &["-p", "saltus-java"],
    &["-p", "saltus-ach"],
    &["-p", "saltus-lcm"],
];

/// The example that the feature `demo` adds.
const DEMO: &str = "saltus-robot";

/// Fails if the dependencies of a product, without tests, include a crate of the laboratory.
pub fn product() -> Outcome {
    let lab = root().join("lab");
    let packages = workspace::packages(&root())?;
    let of_lab: BTreeSet<String> = packages
        .into_iter()
        .filter(|package| package.dir.starts_with(&lab))
        .map(|package| package.name)
        .collect();
    if of_lab.is_empty() {
        return Err("no package lies below lab".into());
    }
    let mut found = Vec::new();
    for product in PRODUCTS {
        let mut tree = Command::new("cargo");
        tree.args(["tree", "--locked", "--edges", "normal,build", "--prefix", "none", "--format", "{p}"]);
        let text = output(tree.args(*product))?;
        let names: BTreeSet<&str> = text.lines().filter_map(|line| line.split_whitespace().next()).collect();
        let plain = product.contains(&"--no-default-features");
        let unwanted = names.iter().filter(|name| of_lab.contains(**name) || plain && **name == DEMO);
        found.extend(unwanted.map(|name| format!("{} depends on {name}", product.join(" "))));
    }
    if found.is_empty() { Ok(()) } else { Err(found.join(", ")) }
}
