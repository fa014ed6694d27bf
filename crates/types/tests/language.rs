//! The accepted language, and the errors for everything else.

use saltus_types::{ConstValue, Loader, Schema, parse};
use std::fs;

fn schema(text: &str) -> Schema {
    parse("test.lcm", text).unwrap_or_else(|e| panic!("{text}\n{e}"))
}

/// The diagnostics for `text`, without colors.
fn printed(text: &str) -> String {
    match parse("test.lcm", text) {
        Ok(_) => panic!("accepted: {text}"),
        Err(e) => e.to_string(),
    }
}

#[test]
fn all_that_lcm_accepts() {
    for text in [
        "",
        "// only a comment\n",
        "struct a_t { }",
        "struct a_t\n{\n\tint8_t x , y [ 3 ] , z;\r\n}\r\n",
        "package a.b.c; struct d_t { int8_t x; } package e; struct d_t { a.b.c.d_t x; }",
        "struct r.b_t { int8_t x; } struct c_t { r.b_t b; }",
        "struct a_t { const float F = -1e-5; const double D = 0x10, E = nan, G = inf; }",
        "struct a_t { const int8_t X = -5, Y = 0x7f, Z = 010; int8_t v[Z]; }",
        "struct 1a { int8_t x-y; int8_t xé; int8_t class; }",
        "struct a_t { const int8_t N = 0; int8_t v[N]; }",
        "struct a_t { int8_t n; int8_t m; double v[n][3][m]; }",
        "struct b_t { a_t x; } struct a_t { int8_t x; }",
        "enum e_t { A, B = 5, C; D }",
        "struct node_t { int8_t n; node_t c[n]; }",
    ] {
        schema(text);
    }
}

#[test]
fn and_what_people_expect_beyond_it() {
    for text in [
        "struct a_t{int8_t x;}",
        "struct a_t { int8_t x; };",
        "struct a_t { int8_t/*c*/ x; } // no newline",
        "struct a_t { const double X = 1e+5, Y = +3; }",
        "\u{feff}struct a_t { int8_t x; }",
        "struct a_t { int8_t x;; }",
        "struct a_t { int8_t v[3]/* three */; }",
    ] {
        schema(text);
    }
}

#[test]
fn numbers_are_as_in_c() {
    let schema = schema(
        "struct a_t { const int32_t A = 010, B = 0x10, C = -7; const float F = 1.5; const int64_t L = -9223372036854775808;
           int8_t v[0x10][010]; }",
    );
    let values: Vec<ConstValue> = schema.structs()[0].consts.iter().map(|c| c.value).collect();
    let expected = [8, 16, -7].map(ConstValue::Int);
    assert_eq!(values[..3], expected);
    assert_eq!(values[3..], [ConstValue::Float(1.5), ConstValue::Int(i64::MIN)]);
    assert_eq!(schema.structs()[0].fields[0].fixed_count(), Some(128));
}

#[test]
fn comments_go_where_a_reader_takes_them_to_belong() {
    let schema = schema(
        "// licence of the file\n\n// of the struct\n/* and more */\nstruct a_t { // behind the brace\n\
         \x20 // above x\n  int8_t x;\n  int8_t y; // behind y\n            // and below\n\n  // of nobody\n\n\
         \x20 /**\n   * Of z,\n   * two lines.\n   */\n  int8_t z, w; ///< both\n  // of N\n  const int8_t N = 3;\n}\n",
    );
    let s = &schema.structs()[0];
    assert_eq!(s.file_doc, "licence of the file");
    assert_eq!(s.doc, "of the struct\nand more\nbehind the brace");
    let docs: Vec<&str> = s.fields.iter().map(|f| f.doc.as_str()).collect();
    assert_eq!(
        docs,
        ["above x", "behind y\nand below", "Of z,\ntwo lines.\n< both", "Of z,\ntwo lines.\n< both"]
    );
    assert_eq!(s.consts[0].doc, "of N");
}

#[test]
fn an_error_shows_its_line_and_what_was_meant() {
    let text = printed("struct pose_t {\n  int64_t utime;\n  duble position[3];\n}\n");
    for part in [
        "error: there is no type `duble`",
        "--> test.lcm:3:3",
        "duble position[3];",
        "^^^^^",
        "did you mean `double`?",
    ] {
        assert!(text.contains(part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn all_errors_of_a_file_are_reported_together() {
    let text = printed(
        "struct a_t {\n int x;\n uint32_t y;\n int8_t v[m];\n int8_t v;\n const byte B = 3;\n const int8_t C = 200;\n}\nstruct b_t { int8_t; }\nstrut c_t { }\n",
    );
    for part in [
        "there is no type `a.int`",
        "did you mean `int32_t`?",
        "did you mean `int64_t`; there are no other unsigned types?",
        "there is no `m` before this array",
        "`v` is declared twice",
        "`byte` is not the type of a constant",
        "`200` does not fit into int8_t",
        "expected the name of a field of type `int8_t`, found `;`",
        "expected `struct`, `enum` or `package`, found `strut`",
    ] {
        let part = part.replace("a.int", "int");
        assert!(text.contains(&part), "{part:?} is not in\n{text}");
    }
}

#[test]
fn impossible_types_are_refused_with_the_reason() {
    for (text, reason) in [
        (
            "struct a_t { b_t b; } struct b_t { c_t c; } struct c_t { a_t a[2]; }",
            "a_t.b -> b_t.c -> c_t.a -> a_t",
        ),
        ("struct a_t { a_t a; }", "`a_t` contains itself"),
        ("struct a_t { int32_t n[n]; }", "there is no `n` before this array"),
        ("struct a_t { int8_t v[n]; int8_t n; }", "the size must be before the array"),
        ("struct a_t { float n; int8_t v[n]; }", "`n` cannot be the size of an array"),
        ("struct a_t { int8_t n[2]; int8_t v[n]; }", "`n` cannot be the size of an array"),
        ("struct a_t { int8_t v[0]; }", "must be at least 1"),
        ("struct a_t { int8_t v[-1]; }", "must be at least 1"),
        ("struct a_t { int8_t v[3abc]; }", "`3abc` is not a whole number"),
        ("struct a_t { int8_t v[]; }", "expected the size of the array"),
        ("struct a_t { int8_t v[100000][100000]; }", "is too large"),
        (&format!("struct a_t {{ int8_t v{}; }}", "[1]".repeat(65)), "more than 64 dimensions"),
        ("struct a_t { const int8_t N = -1; int8_t v[N]; }", "`N` cannot be the size of an array"),
        ("struct a_t { const float N = 1.0; int8_t v[N]; }", "`N` is not an integer"),
        ("struct a_t { const int64_t N = 9223372036854775808; }", "does not fit into int64_t"),
        ("struct a_t { } struct a_t { }", "`a_t` is declared twice"),
        ("struct a_t { int8_t x; ", "this struct has no end"),
        ("struct a_t { int8_t x }", "expected `;`"),
        ("struct a_t { int8_t 1x; }", "must start with a letter"),
        ("struct a_t { struct b_t { } }", "a `struct` inside a struct"),
        ("struct int8_t { }", "`int8_t` is a primitive type"),
        ("package a..b; struct c_t { }", "a dot must be between two names"),
        ("package p; struct a_t { .b_t x; }", "there is no type"),
        ("struct a_t { /* int8_t x; }", "a comment that does not end"),
        ("struct a_t { string s = \"x\"; }", "the type language has no quotes"),
        ("enum e_t { A = 1, B = 1 }", "is there already"),
    ] {
        let text_said = printed(text);
        assert!(text_said.contains(reason), "{text}\n{reason:?} is not in\n{text_said}");
    }
}

#[test]
fn a_missing_semicolon_is_shown_where_it_belongs() {
    let text = printed("struct a_t {\n  int8_t x\n  int8_t y;\n}\n");
    assert!(text.contains("--> test.lcm:2:11") && text.contains("a `;` belongs here"), "{text}");
}

#[test]
fn references_are_found_in_include_directories_and_beside_the_file() {
    let dir = std::env::temp_dir().join(format!("saltus-types-{}", std::process::id()));
    fs::create_dir_all(dir.join("inc/deep")).unwrap();
    fs::write(dir.join("a.lcm"), "package p; struct a_t { b_t b; q.c_t c; }").unwrap();
    fs::write(dir.join("b.lcm"), "package p; struct b_t { int8_t x; }\nstruct unused_t { missing_t m; }")
        .unwrap();
    fs::write(dir.join("inc/deep/c.lcm"), "package q; struct c_t { d_t d; }").unwrap();
    fs::write(dir.join("inc/d.lcm"), "package q; struct d_t { int8_t x; }").unwrap();
    let loaded = Loader::new().file(dir.join("a.lcm")).include(dir.join("inc")).load();
    let unknown = Loader::new().file(dir.join("a.lcm")).load();
    let wanted = Loader::new().want("c_t").include(dir.join("inc")).load();
    let absent = Loader::new().want("c_tt").include(dir.join("inc")).load();
    let no_file = Loader::new().file(dir.join("none.lcm")).load();
    fs::remove_dir_all(&dir).unwrap();

    let loaded = loaded.unwrap_or_else(|e| panic!("{e}"));
    let names: Vec<String> = loaded.schema.structs().iter().map(|s| s.name.to_string()).collect();
    assert_eq!(names.len(), 4, "{names:?}");
    assert_eq!(loaded.named.len(), 1);
    assert_eq!(loaded.files.len(), 4);
    assert!(unknown.unwrap_err().to_string().contains("there is no type `q.c_t`"));
    let wanted = wanted.unwrap_or_else(|e| panic!("{e}"));
    assert_eq!(wanted.schema.get(wanted.named[0]).name.to_string(), "q.c_t");
    assert!(absent.unwrap_err().to_string().contains("did you mean `q.c_t`?"));
    assert!(no_file.unwrap_err().to_string().contains("cannot read"));
}

#[test]
fn a_type_that_several_files_declare_otherwise_is_warned_of() {
    let dir = std::env::temp_dir().join(format!("saltus-types-several-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    let declare = |file: &str, fields: &str| {
        fs::write(dir.join(file), format!("package p; struct a_t {{ {fields} }}")).unwrap();
    };
    let load = || Loader::new().want("p.a_t").include(&dir).load().unwrap_or_else(|e| panic!("{e}"));
    declare("a.lcm", "int8_t x; p.a_t more[x];");
    // Comments and the own package's name do not matter.
    declare("b.lcm", "int8_t x; // the size\n a_t more[x];");
    let alike = load();
    declare("c.lcm", "int16_t x;");
    let several = load();
    fs::remove_dir_all(&dir).unwrap();

    assert!(alike.warnings.list.is_empty(), "{}", alike.warnings);
    let reported = several.warnings.to_string();
    assert!(reported.contains("`p.a_t` is declared differently in several files"), "{reported}");
    assert!(
        reported.contains("a.lcm:1") && reported.contains("c.lcm:1") && !reported.contains("b.lcm"),
        "{reported}"
    );
    assert_eq!(several.schema.find("p.a_t").map(|id| several.schema.get(id).fields.len()), Some(2));
}

#[test]
fn bytes_that_are_not_utf8_may_stand_in_comments_only() {
    let dir = std::env::temp_dir().join(format!("saltus-types-latin-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("a.lcm"), b"struct a_t { int8_t x; } // 20 \xb0C\n").unwrap();
    fs::write(dir.join("b.lcm"), b"struct b_t { int8_t x\xb0; }\n").unwrap();
    let good = Loader::new().file(dir.join("a.lcm")).load();
    let bad = Loader::new().file(dir.join("b.lcm")).load();
    fs::remove_dir_all(&dir).unwrap();
    assert!(good.is_ok());
    assert!(bad.unwrap_err().to_string().contains("not UTF-8"));
}

#[test]
fn logs_named_like_type_files_are_left_out_of_a_search_and_named_files_that_are_binary_get_one_error() {
    let dir = std::env::temp_dir().join(format!("saltus-types-logs-{}", std::process::id()));
    fs::create_dir_all(&dir).unwrap();
    fs::write(dir.join("a.lcm"), "struct a_t { int8_t x; }\n").unwrap();
    // The beginning of an event of a log, which declares a type in its message.
    fs::write(dir.join("run.lcm"), b"\xed\xa1\xda\x01\0\0\0\0 struct a_t { int8_t y; }\n").unwrap();
    fs::write(dir.join("b.lcm"), b"struct b_t { int8_t x; }\n\0").unwrap();
    let found = Loader::new().want("a_t").include(&dir).load();
    let log = Loader::new().file(dir.join("run.lcm")).load();
    let binary = Loader::new().file(dir.join("b.lcm")).load();
    fs::remove_dir_all(&dir).unwrap();
    let found = found.unwrap();
    assert!(found.warnings.list.is_empty() && found.schema.find("a_t").is_some());
    let log = log.unwrap_err();
    assert!(log.list.len() == 1 && log.to_string().contains("is a log, not a type file"), "{log}");
    let binary = binary.unwrap_err();
    assert!(
        binary.list.len() == 1
            && binary.to_string().contains("not a type file: it has a zero byte at offset 25"),
        "{binary}"
    );
}

#[test]
fn hostile_texts_end_soon() {
    let chain = |n: usize, dims: &str| {
        let size = if dims.is_empty() { "" } else { "int8_t n; " };
        let link = |i: usize| format!("struct s{i} {{ {size}s{} a{dims}; s{} b{dims}; }}\n", i + 1, i + 1);
        (0..n).map(link).collect::<String>() + &format!("struct s{n} {{ }}")
    };
    schema(&chain(30, ""));
    assert!(printed(&chain(100, "")).contains("is too large"));
    schema(&chain(400, "[n]"));
    let deep: String = (0..200).map(|i| format!("struct s{i} {{ s{} a; }}\n", i + 1)).collect::<String>()
        + "struct s200 { }";
    assert!(printed(&deep).contains("a chain of more than"));
    assert!(printed(&chain(20_000, "[n]")).contains("too many ways"));
    let knot: String = (0..40)
        .map(|i| {
            format!(
                "struct k{i} {{ int8_t n; {} }}\n",
                (0..40).map(|j| format!("k{j} f{j}[n];")).collect::<String>()
            )
        })
        .collect();
    assert!(printed(&knot).contains("too many ways"));
    printed(&"{".repeat(100_000));
    printed(&"struct ".repeat(50_000));
    printed(&format!("struct a_t {{ int8_t x{}; }}", "[0".repeat(50_000)));
}

/// Tools parse the descriptions of hostile publishers: no text may take too long for its size.
#[test]
fn texts_that_ask_for_much_work_do_not_get_it() {
    let many = |n: usize, item: &dyn Fn(usize) -> String| (0..n).map(item).collect::<String>();
    let long = "x".repeat(40_000);
    printed(&format!("struct {long} {{ y{long} field; }}"));
    printed(&many(3000, &|i| format!("struct s{i} {{ t{i} x; }}\n")));
    schema(&format!("enum e_t {{ {} }}", many(20_000, &|i| format!("v{i}, "))));
    schema(&format!("struct a_t {{ {} }}", many(10_000, &|i| format!("int8_t n{i}; int8_t v{i}[n{i}]; "))));
    let text = printed(&"!".repeat(10_000));
    assert!(text.contains("and 9900 more"), "{}", &text[text.len() - 200..]);
}

#[test]
fn each_name_of_a_list_has_the_comment_behind_it() {
    let schema = schema(
        "struct a_t {\n  const int32_t A = 1, // of A\n                B = 2; // of B\n\
         \x20 int8_t x, // of x\n         y; // of y\n  // of both\n  int8_t z,\n         w;\n}\n",
    );
    let s = &schema.structs()[0];
    assert_eq!(s.consts.iter().map(|c| c.doc.as_str()).collect::<Vec<_>>(), ["of A", "of B"]);
    let docs: Vec<&str> = s.fields.iter().map(|f| f.doc.as_str()).collect();
    assert_eq!(docs, ["of x", "of y", "of both", "of both"]);
}

#[test]
fn types_of_no_size_are_counted() {
    let schema = schema(
        "struct e_t { } struct a_t { int8_t n; double rows[20][n]; } struct b_t { a_t a[3]; e_t e[4][5]; int8_t x[9]; }
         struct c_t { const int8_t Z = 0; int8_t n; int8_t z[7][Z]; int8_t v[n][30]; int8_t w[2][n][3]; b_t b[n]; }
         struct h_t { e_t e[2000000]; }",
    );
    let free = |name: &str| schema.free_elements(schema.find(name).unwrap());
    assert_eq!(["e_t", "a_t", "b_t", "c_t", "h_t"].map(free), [0, 20, 3 * 20 + 4 + 20, 7 + 2, 1 << 20]);
}
