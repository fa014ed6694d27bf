//! Random types, with odd names and enums: their C and C++ code reads and writes the same as the codec of the
//! schema, and survives hostile bytes.

#[path = "c_support/mod.rs"]
mod support;

use saltus_gen::{Lang, Options};
use saltus_types::arbitrary::{self, Rng};
use saltus_types::{Schema, StructId, wire};
use std::path::Path;
use std::process::Command;
use std::sync::Arc;
use support::message::{Expect, Messages, Random, damaged};
use support::*;

/// Some schemas, each in a separate package, so that one program has them all.
fn schemas(count: u64) -> Vec<(Arc<Schema>, Options)> {
    let kinds = arbitrary::Options { enums: true, odd_names: true, ..arbitrary::Options::default() };
    let one = |seed| {
        let text = arbitrary::schema_text(&mut Rng::new(seed), &kinds);
        let schema =
            saltus_types::parse("random.lcm", &text).unwrap_or_else(|e| panic!("{}", e.render(false)));
        (Arc::new(schema), Options { package_prefix: Some(format!("r{seed}")), ..Options::default() })
    };
    (0..count).map(one).collect()
}

/// Random messages of all types; types are numbered through all schemas.
fn messages(schemas: &[(Arc<Schema>, Options)], each: usize, path: &Path) {
    let kinds = arbitrary::Options::default();
    let (mut messages, mut rng, mut first) = (Messages::default(), Rng::new(99), 0);
    let mut damage = Random::new(3);
    for (schema, _) in schemas {
        for id in schema.ids() {
            for _ in 0..each {
                let bytes =
                    wire::encode(&arbitrary::message(&mut rng, &kinds, schema, id)).expect("a right message");
                messages.add(StructId(first + id.0), Expect::Right, &bytes);
                damaged(schema, (id, first), &bytes, &mut damage, &mut messages);
            }
        }
        first += schema.structs().len();
    }
    messages.write(path);
}

/// `r7.arb.type0_t` for every type.
fn names(schemas: &[(Arc<Schema>, Options)]) -> Vec<String> {
    let prefixed = |(schema, options): &(Arc<Schema>, Options)| {
        let prefix = options.package_prefix.clone().unwrap_or_default();
        schema.structs().iter().map(|s| format!("{prefix}.{}", s.name)).collect::<Vec<_>>()
    };
    schemas.iter().flat_map(prefixed).collect()
}

#[test]
fn in_c() {
    let dir = scratch("random-c");
    let schemas = schemas(16);
    let mut sources = Vec::new();
    for (schema, options) in &schemas {
        sources.extend(generate(schema, &dir, Lang::C, options, ".c"));
    }
    let names: Vec<String> = names(&schemas).iter().map(|n| n.replace('.', "_")).collect();
    let includes: String = names.iter().map(|n| format!("#include \"{n}.h\"\n")).collect();
    let all: String = names.iter().map(|n| format!(" T({n})")).collect();
    std::fs::write(dir.join("types.h"), format!("{includes}#define TYPES(T){all}\n")).unwrap();
    let program = dir.join("drive");
    let mut command = cc();
    command.args(["-std=c99", "-Wl,--wrap=malloc,--wrap=calloc", "-I"]).arg(&dir).args(SANITIZE);
    command.arg(support().join("drive.c")).args(&sources).arg("-o").arg(&program);
    run(&mut command);
    let objects = scratch("random-c-objects");
    run(cc()
        .args(["-std=c99", "-fsyntax-only", "-I"])
        .arg(&dir)
        .args(STRICT)
        .args(&sources)
        .current_dir(objects));
    messages(&schemas, 4, &dir.join("messages"));
    run(Command::new(program).arg(dir.join("messages")).arg("50"));
}

#[test]
fn in_cpp() {
    let dir = scratch("random-cpp");
    let schemas = schemas(6);
    for (schema, options) in &schemas {
        generate(schema, &dir, Lang::Cpp, options, ".hpp");
    }
    let names = names(&schemas);
    let includes: String =
        names.iter().map(|n| format!("#include \"{}.hpp\"\n", n.replace('.', "/"))).collect();
    let all: String = names.iter().map(|n| format!(" T({})", n.replace('.', "::"))).collect();
    std::fs::write(dir.join("types.hpp"), format!("{includes}#define TYPES(T){all}\n")).unwrap();
    let program = dir.join("drive");
    let mut command = cxx();
    command.args(["-std=c++17", "-I"]).arg(&dir).args(SANITIZE).args(STRICT).arg(support().join("drive.cpp"));
    run(command.arg("-o").arg(&program));
    messages(&schemas, 4, &dir.join("messages"));
    run(Command::new(program).arg(dir.join("messages")).arg("50"));
}

#[test]
fn code_in_a_folder_and_types_that_cannot_have_names() {
    let schema =
        saltus_types::parse("x.lcm", "package a; struct b_t { c_t c; } struct c_t { int8_t x; }").unwrap();
    let dir = scratch("c-folder");
    let options = Options { include_folder: Some("types/gen".into()), plain: true, ..Options::default() };
    for (lang, ending, mut compiler) in [(Lang::C, ".c", cc()), (Lang::Cpp, "b_t.hpp", cxx())] {
        let sources = generate(&schema, &dir.join("types/gen"), lang, &options, ending);
        assert!(!sources.is_empty());
        compiler.args(["-fsyntax-only", "-I"]).arg(&dir).args(sources);
        run(&mut compiler);
    }
    // Types that would share a file or a macro are refused, with a reason.
    let schema =
        saltus_types::parse("x.lcm", "package a.b; struct c_t { } package a; struct B_c_t { }").unwrap();
    let types: Vec<_> = schema.ids().collect();
    for lang in [Lang::C, Lang::Cpp] {
        let refused = saltus_gen::generate(&schema, &types, lang, &Options::default()).unwrap_err();
        assert_eq!((refused.name.as_str(), refused.why.contains("`a.b.c_t`")), ("a.B_c_t", true));
    }
}
