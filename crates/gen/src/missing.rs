//! Structs that generated code refers to and that have no generated code.

use crate::{File, Lang, Options, generate};
use saltus_types::{Loaded, StructId, Type};
use std::collections::BTreeSet;
use std::path::Path;

/// The structs that those of the named files refer to and for which there is no code, neither in `made` nor from
/// earlier runs below `dir`; each with the first struct that refers to it.
pub fn missing(
    loaded: &Loaded,
    lang: Lang,
    options: &Options,
    dir: &Path,
    made: &[File],
) -> Vec<(StructId, StructId)> {
    // Whether all files of a struct exist, if they are not being generated now.
    let was_made = |id: StructId| {
        let files = generate(&loaded.schema, &[id], lang, options);
        let mut own = files.into_iter().flatten().filter(|file| made.iter().all(|m| m.path != file.path));
        let mut count = 0;
        own.all(|file| {
            count += 1;
            dir.join(file.path).exists()
        }) && count > 0
    };
    let (mut seen, mut missing) = (BTreeSet::new(), Vec::new());
    for &outer in &loaded.named {
        for field in &loaded.schema.get(outer).fields {
            let Type::Struct(id) = field.ty else { continue };
            if !loaded.named.contains(&id) && seen.insert(id) && !was_made(id) {
                missing.push((outer, id));
            }
        }
    }
    missing
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_types::Loader;

    #[test]
    fn a_struct_without_code_is_missing_until_its_code_is_there() {
        let dir = std::env::temp_dir().join(format!("saltus-missing-{}", std::process::id()));
        std::fs::create_dir_all(&dir).unwrap();
        std::fs::write(dir.join("in_t.lcm"), "struct in_t { int8_t x; }").unwrap();
        let outer = "struct out_t { in_t a; in_t b; }";
        let loaded = Loader::new().text("out.lcm", outer).include(&dir).load().unwrap();
        let (options, id) = (Options::default(), loaded.schema.find("in_t").unwrap());
        let made = generate(&loaded.schema, &loaded, Lang::Python, &options).unwrap();
        let found = missing(&loaded, Lang::Python, &options, &dir, &made);
        assert_eq!(found, [(loaded.named[0], id)]);
        let inner = generate(&loaded.schema, &[id], Lang::Python, &options).unwrap();
        crate::write(&dir, &inner, false).unwrap();
        assert_eq!(missing(&loaded, Lang::Python, &options, &dir, &made), []);
        std::fs::remove_dir_all(&dir).unwrap();
    }
}
