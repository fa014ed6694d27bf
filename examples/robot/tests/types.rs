//! Checks that the generated code in the sources matches `types/robot.lcm`.

use saltus_gen::{Lang, Options, Types, generate, write};
use saltus_types::Loader;
use std::path::Path;

/// With `SALTUS_WRITE_TYPES=1` it writes the code instead of comparing it.
#[test]
fn the_generated_code_is_up_to_date() {
    let here = Path::new(env!("CARGO_MANIFEST_DIR"));
    let loaded = Loader::new().file(here.join("types/robot.lcm")).load().expect("types without errors");
    let structs: Vec<_> = loaded.schema.ids().collect();
    let types = Types { structs: &structs, enums: &loaded.named_enums };
    let mut files =
        generate(&loaded.schema, types, Lang::Rust, &Options::default()).expect("Rust has all types");
    files.retain(|file| file.path.ends_with("robot.rs"));
    assert_eq!(files.len(), 1, "one package, one file");
    let only_compare = std::env::var_os("SALTUS_WRITE_TYPES").is_none();
    let found = write(&here.join("src/wire/types"), &files, only_compare).expect("the files can be read");
    let changed: Vec<_> = found.iter().filter(|(_, change)| *change != saltus_gen::Change::Same).collect();
    assert!(
        changed.is_empty() || !only_compare,
        "{changed:?}: write them by `SALTUS_WRITE_TYPES=1 cargo test -p saltus-robot --test types`"
    );
}
