//! The providers that are Cargo features, as listed in the manifests: none is named here.

use crate::run::{read, root};
use crate::workspace;

/// Their names: the features that `all` of saltus-domain turns on.
pub fn names() -> Vec<String> {
    let manifest = read(&root().join("crates/domain/Cargo.toml")).unwrap_or_default();
    let all = manifest.lines().find_map(|line| line.strip_prefix("all = ["));
    let all = all.expect("saltus-domain has a feature `all`");
    all.split('"').skip(1).step_by(2).map(String::from).collect()
}

/// The features of every package of the workspace that has one of their names, for `--features`.
pub fn features() -> String {
    let names = names();
    let of = |package: workspace::Package| {
        let manifest = read(&package.dir.join("Cargo.toml")).unwrap_or_default();
        let features = manifest.split_once("[features]").map_or("", |(_, rest)| rest);
        let features = features.split("\n[").next().unwrap_or_default().to_string();
        let has = |name: &&String| features.lines().any(|line| line.starts_with(&format!("{name} = ")));
        names.iter().filter(has).map(|name| format!("{}/{name}", package.name)).collect::<Vec<_>>()
    };
    let packages = workspace::packages(&root()).expect("the manifest names the members");
    packages.into_iter().flat_map(of).collect::<Vec<_>>().join(",")
}

/// Their tests, without those that run without them already, as arguments for `cargo test` and for the test programs. One build serves both
/// selections, the second of which needs other projects' programs.
pub fn tests(which: usize) -> (String, Vec<String>) {
    let crates = names().iter().map(|name| format!(" -p saltus-{name}")).collect::<String>();
    let packages =
        format!("-p saltus-domain -p saltus-bridge{crates} --features saltus-domain/all,saltus-bridge/dds");
    match which {
        0 => {
            let tested = ["mem", "memq", "shm", "udpm", "mpudpm", "tcpq", "file", "toy"];
            let skipped = tested.iter().flat_map(|name| ["--skip".into(), format!("{name}::")]);
            (format!("{packages} --lib --test conformance"), skipped.collect())
        }
        _ => {
            let others = "--test dds --test zenoh --test zenoh_session --test zmq --test zmq_helper";
            (format!("{packages} {others}"), Vec::new())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifests_name_the_providers() {
        let names = names();
        assert!(names.len() >= 3 && names.iter().all(|name| !name.is_empty()), "{names:?}");
        for name in names {
            assert!(features().contains(&format!("saltus-cli/{name}")), "{}", features());
            assert!(
                root().join(format!("crates/{name}/Cargo.toml")).is_file(),
                "{name} has a crate of its own"
            );
        }
    }
}
