//! Python: a package for each package, a module for each type, as in LCM's generator.
//!
//! ```text
//! exlcm/__init__.py        from .pose_t import pose_t
//! exlcm/pose_t.py          class pose_t
//! exlcm/_saltus_wire.py    what the classes stand on; one for each outermost package
//! plain_t.py               a type without a package
//! ```
//!
//! The text is formatted as by `black`.

mod doc;
mod enums;
mod layout;
mod lcm;
mod modern;
mod module;
mod package;

use crate::{File, Options, Style, Types, Unsupported, levels};
use module::{Place, WIRE};
pub(crate) use package::extended;
use package::{INIT, Package};
use saltus_types::Schema;
use std::collections::BTreeMap;
use std::path::PathBuf;

const WIRE_MODERN: &str = include_str!("wire_modern.py");
const WIRE_LCM: &str = include_str!("wire_lcm.py");

pub(crate) fn files(schema: &Schema, types: Types<'_>, options: &Options) -> Result<Vec<File>, Unsupported> {
    let mut files = Vec::new();
    let mut packages: BTreeMap<Vec<String>, Package> = BTreeMap::new();
    let mut add = |place: Place, source: &str, text: String| {
        files.push(File { path: place.file(), text });
        let package = packages.entry(place.package).or_default();
        package.classes.insert(place.class);
        package.sources.insert(source.into());
    };
    let counted = if options.style == Style::Lcm { levels::counted(schema) } else { Vec::new() };
    for &id in types.structs {
        let place = Place::of(&schema.get(id).name, options);
        let text = match options.style {
            Style::Modern => modern::module(schema, id, options),
            Style::Lcm => lcm::module(schema, id, options, counted[id.0]),
        };
        add(place, &schema.get(id).file, text);
    }
    for id in types.all_enums(schema) {
        let e = schema.get_enum(id);
        add(Place::of(&e.name, options), &e.file, enums::module(schema, id, options));
    }
    check_names(schema, types, &packages, options)?;
    add_packages(&mut files, &packages, options);
    Ok(files)
}

/// A module and a package of the same name cannot both be imported.
fn check_names(
    schema: &Schema,
    types: Types<'_>,
    packages: &BTreeMap<Vec<String>, Package>,
    options: &Options,
) -> Result<(), Unsupported> {
    for name in types.names(schema) {
        let place = Place::of(name, options);
        let mut path = place.package.clone();
        path.push(place.class);
        if packages.keys().any(|p| p.starts_with(&path)) {
            let why = format!("Python cannot import it: a package has the same name, {}", path.join("."));
            return Err(Unsupported { name: name.to_string(), why });
        }
    }
    Ok(())
}

/// `__init__.py` of every package and its outer packages; below the outermost also the runtime of the classes.
fn add_packages(files: &mut Vec<File>, packages: &BTreeMap<Vec<String>, Package>, options: &Options) {
    let wire = if options.style == Style::Lcm { WIRE_LCM } else { WIRE_MODERN };
    let mut all: BTreeMap<&[String], Option<&Package>> = BTreeMap::new();
    for (path, package) in packages {
        for depth in 0..path.len() {
            all.entry(&path[..depth.max(1)]).or_default();
        }
        all.insert(path, Some(package));
    }
    for (path, package) in all {
        let dir: PathBuf = path.iter().collect();
        if path.len() <= 1 {
            files.push(File { path: dir.join(format!("{WIRE}.py")), text: wire.into() });
        }
        if path.is_empty() {
            continue;
        }
        if path.len() == 1 {
            files.push(File { path: dir.join("py.typed"), text: String::new() });
        }
        let text = package.map_or_else(|| Package::default().init(), Package::init);
        files.push(File { path: dir.join(INIT), text });
    }
}
