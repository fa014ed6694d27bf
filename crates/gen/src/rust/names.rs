//! Names of types, packages and fields in Rust.

use super::keywords::{MODULES, TYPES};
use crate::Options;
use crate::names::{Reserved, identifier, is_reserved};
use saltus_types::{EnumId, Schema, StructId, TypeName};
use std::collections::{BTreeSet, HashMap};

/// Name of the module for types without a package; its contents are exported one level up.
pub(super) const ROOT: &str = "root";

/// The modules from the root of the generated code down to one.
pub(super) type Module = Vec<String>;

/// The Rust name of everything in a schema.
#[derive(Debug)]
pub(super) struct Names {
    modules: HashMap<String, Module>,
    structs: Vec<(String, String)>,
    enums: Vec<(String, String)>,
    plains: Vec<String>,
}

impl Names {
    pub fn new(schema: &Schema, options: &Options) -> Names {
        let prefix = options.package_prefix.as_deref().unwrap_or("");
        let package = |name: &TypeName| match (prefix, name.package.as_str()) {
            ("", package) => package.to_string(),
            (prefix, "") => prefix.to_string(),
            (prefix, package) => format!("{prefix}.{package}"),
        };
        let of_structs: Vec<&TypeName> = schema.structs().iter().map(|s| &s.name).collect();
        let of_enums: Vec<&TypeName> = schema.enums().iter().map(|e| &e.name).collect();
        let all: Vec<&TypeName> = of_structs.iter().chain(&of_enums).copied().collect();

        let packages: BTreeSet<String> = all.iter().map(|name| package(name)).collect();
        let modules = modules(&packages);

        let mut same = HashMap::<(String, String), usize>::new();
        for name in &all {
            *same.entry((package(name), camel(stripped(&name.name)))).or_default() += 1;
        }
        let mut taken = HashMap::<String, BTreeSet<String>>::new();
        let mut names: Vec<(String, String)> = Vec::with_capacity(all.len());
        for name in &all {
            let key = (package(name), camel(stripped(&name.name)));
            let clear = same[&key] == 1 && !is_reserved(&key.1, TYPES);
            let (package, short) = key;
            let id = if clear { short } else { camel(&name.name) };
            let id = unique(id, TYPES, taken.entry(package.clone()).or_default());
            names.push((package, id));
        }
        let enums = names.split_off(of_structs.len());
        let plains = names.iter().map(|(package, name)| {
            unique(format!("{name}Plain"), TYPES, taken.entry(package.clone()).or_default())
        });
        let plains = plains.collect();
        Names { modules, structs: names, enums, plains }
    }

    /// The module of a package.
    pub fn module(&self, package: &str) -> Module {
        self.modules.get(package).cloned().unwrap_or_default()
    }
    /// The package (with prefix) of a struct.
    pub fn package(&self, id: StructId) -> &str {
        &self.structs[id.0].0
    }
    /// The package (with prefix) of an enum.
    pub fn enum_package(&self, id: EnumId) -> &str {
        &self.enums[id.0].0
    }
    /// Name of a struct in its module.
    pub fn name(&self, id: StructId) -> &str {
        &self.structs[id.0].1
    }
    /// Name of an enum in its module.
    pub fn enum_name(&self, id: EnumId) -> &str {
        &self.enums[id.0].1
    }
    /// Name of a struct's plain layout in its module.
    pub fn plain(&self, id: StructId) -> &str {
        &self.plains[id.0]
    }
    /// The path of `name`, in the module of package `to`, for code in the module of package `from`.
    pub fn path(&self, from: &str, to: &str, name: &str) -> String {
        if from == to {
            return name.into();
        }
        let (from, to) = (self.module(from), self.module(to));
        // Types without a package are in a separate module, but can be named without it.
        let depth = from.len().max(1);
        let common = from.iter().zip(&to).take_while(|(a, b)| a == b).count();
        let mut parts = vec!["super"; depth - common];
        parts.extend(to[common..].iter().map(String::as_str));
        parts.push(name);
        parts.join("::")
    }
}

/// Modules for packages and their outer packages: lower case, no keywords, siblings never the same.
fn modules(packages: &BTreeSet<String>) -> HashMap<String, Module> {
    let mut modules = HashMap::from([(String::new(), Module::new())]);
    let mut taken = HashMap::<String, BTreeSet<String>>::new();
    for package in packages {
        let mut parent = String::new();
        for part in package.split('.').filter(|part| !part.is_empty()) {
            let path = if parent.is_empty() { part.to_string() } else { format!("{parent}.{part}") };
            if !modules.contains_key(&path) {
                let id = identifier(&part.to_ascii_lowercase(), MODULES);
                let id = unique(id, MODULES, taken.entry(parent.clone()).or_default());
                let module: Module = modules[&parent].iter().cloned().chain([id]).collect();
                modules.insert(path.clone(), module);
            }
            parent = path;
        }
        // A package name may have dots without a name between them.
        let module = modules[&parent].clone();
        modules.insert(package.clone(), module);
    }
    modules
}

/// `id`, changed until it is neither reserved nor used; marks it as used.
fn unique(mut id: String, reserved: Reserved, taken: &mut BTreeSet<String>) -> String {
    while is_reserved(&id, reserved) || taken.contains(&id) {
        id.push('_');
    }
    taken.insert(id.clone());
    id
}

fn stripped(name: &str) -> &str {
    name.strip_suffix("_t").filter(|rest| !rest.is_empty()).unwrap_or(name)
}

/// `laser_scan` as `LaserScan`, `IMU_data` as `ImuData`, `poseStamped` as `PoseStamped`.
fn camel(name: &str) -> String {
    let mut out = String::new();
    for part in name.split(|c: char| !c.is_ascii_alphanumeric()).filter(|part| !part.is_empty()) {
        let shouted = part.len() > 1 && !part.contains(|c: char| c.is_ascii_lowercase());
        let (first, rest) = part.split_at(1);
        out += &first.to_ascii_uppercase();
        out += &if shouted { rest.to_ascii_lowercase() } else { rest.to_string() };
    }
    if out.is_empty() {
        out.push_str("Type");
    }
    identifier(&out, &[])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_are_called_as_rust_calls_types() {
        let names = ["laser_scan", "IMU_data", "poseStamped", "A", "RGB", "x-y", "é", "3d_point", "a_1_2"];
        let ids = ["LaserScan", "ImuData", "PoseStamped", "A", "Rgb", "XY", "Type", "_3dPoint", "A12"];
        assert_eq!(names.map(camel), ids);
        assert_eq!(["pose_t", "_t", "pose"].map(stripped), ["pose", "_t", "pose"]);
    }

    #[test]
    fn packages_that_become_the_same_module_do_not() {
        let packages = ["a.Fn", "a.fn_", "A", "", "root"].map(String::from);
        let modules = modules(&BTreeSet::from(packages));
        assert_eq!(modules["A"], ["a"]);
        assert_eq!(modules["a"], ["a_"]);
        assert_eq!(modules["a.Fn"], ["a_", "fn_"]);
        assert_eq!(modules["a.fn_"], ["a_", "fn__"]);
        assert_eq!(modules["root"], ["root_"]);
        assert!(modules[""].is_empty());
    }
}
