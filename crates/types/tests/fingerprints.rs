//! Fingerprints equal LCM's. The vectors were made by LCM 1.5.3; `lab/conformance/types` compares thousands more with it.

use saltus_types::{Schema, parse};

fn schema(text: &str) -> Schema {
    parse("test.lcm", text).unwrap_or_else(|e| panic!("{e}"))
}

#[test]
fn the_vectors_of_lcm_1_5_3() {
    let vectors = [
        ("struct empty_t { }", 0x0000000012345678, 0x000000002468acf0u64),
        ("struct one_t { int8_t x; }", 0x066992dce54f76f0, 0x0cd325b9ca9eede0),
        ("struct varb_t { int8_t n; byte a[n]; }", 0xa8ae29adb91b961a, 0x515c535b72372c35),
        ("struct fixed_t { int16_t a[16]; }", 0xd99dc9f02c277779, 0xb33b93e0584eeef3),
        ("struct fixedhex_t { int16_t a[0x10]; }", 0x360fd3d68944e4f4, 0x6c1fa7ad1289c9e8),
        (
            "struct constdim_t { const int8_t dim = 10; int8_t arr[dim]; }",
            0x3f2258e55559faf8,
            0x7e44b1caaab3f5f0,
        ),
        ("struct two_d_t { int32_t n; double p[n][2]; }", 0x0dd367b93b8bf943, 0x1ba6cf727717f286),
        (
            "struct strs_t { string name; string tags[3]; boolean ok; }",
            0x62cb8dcf2f31d069,
            0xc5971b9e5e63a0d2,
        ),
        ("struct list_t { int32_t n; list_t next[n]; }", 0x93abb6d03a5ee21c, 0x27576da074bdc439),
        ("struct simple_t { int64_t utime; double degCelsius; }", 0x503fd1eb265f5375, 0xa07fa3d64cbea6ea),
        (
            "struct scan_t { int32_t n; float ranges[n]; double pose[3]; }",
            0x0ac168968a562918,
            0x1582d12d14ac5230,
        ),
        (
            "struct node_t { int32_t num_children; node_t children[num_children]; }",
            0x98ff4a363aeb7273,
            0x31fe946c75d6e4e7,
        ),
    ];
    for (text, base, fingerprint) in vectors {
        let schema = schema(text);
        let s = &schema.structs()[0];
        assert_eq!((s.base_hash, s.fingerprint), (base, fingerprint), "{text}");
    }
}

#[test]
fn nested_types_add_their_own_fingerprints() {
    let schema = schema(
        "struct simple_t { int64_t utime; double degCelsius; }
         struct node_t { int32_t num_children; node_t children[num_children]; }
         struct tree_t { node_t root; simple_t first; string name; }
         struct one_t { int8_t x; }
         struct inner_t { one_t x; }
         struct outer_t { inner_t x; }
         struct twice_t { one_t a; one_t b; }",
    );
    let of = |name: &str| schema.get(schema.find(name).unwrap()).fingerprint;
    assert_eq!(of("tree_t"), 0xfb304ca10d7a9bf0);
    assert_eq!(of("inner_t"), 0x19cab4208540cbc0);
    assert_eq!(of("outer_t"), 0x33b9d0edfa848780);
    assert_eq!(of("twice_t"), 0xe03c99a92a7ec450);
}

/// The reference's three structs that refer to each other contain each other by value, which is refused; through
/// arrays of variable size the rule is the same. An independent script computed the values from the rule.
#[test]
fn knots_of_types_are_followed_path_by_path() {
    let text = "struct A { int8_t n; B b[n]; C c[n]; } struct B { int8_t n; A a[n]; } struct C { int8_t n; B b[n]; }";
    let schema = schema(text);
    // F by the rule, without reusing earlier results.
    fn by_rule(schema: &Schema, id: saltus_types::StructId, path: &[saltus_types::StructId]) -> u64 {
        if path.contains(&id) {
            return 0;
        }
        let path = [path, &[id]].concat();
        let inner = schema.get(id).fields.iter().filter_map(|f| match f.ty {
            saltus_types::Type::Struct(inner) => Some(by_rule(schema, inner, &path)),
            _ => None,
        });
        inner.fold(schema.get(id).base_hash, u64::wrapping_add).rotate_left(1)
    }
    for order in [[0, 1, 2], [2, 1, 0], [1, 2, 0]] {
        for i in order {
            let id = saltus_types::StructId(i);
            assert_eq!(schema.get(id).fingerprint, by_rule(&schema, id, &[]), "{}", schema.get(id).name);
        }
    }
}

#[test]
fn enums_hash_their_name() {
    assert_eq!(schema("enum color_t { RED, GREEN = 5, BLUE }").enums()[0].fingerprint, 0x07636f6d82a7e5b6);
}

#[test]
fn constants_comments_packages_and_type_names_do_not_count() {
    let plain = schema("struct a_t { int8_t x; }").structs()[0].fingerprint;
    let dressed = "package p.q; // a package\nstruct other_t { const int32_t N = 5; /* x */ int8_t x; };";
    assert_eq!(schema(dressed).structs()[0].fingerprint, plain);
}

#[test]
fn printed_types_read_back_the_same() {
    let text = "// a root\nstruct root_t { int8_t v; }\npackage a.b;\n\n// doc of x\n// more\nstruct x_t {
        const int16_t N = 0x10, M = 020;\n  // the values\n double v[N][M][3]; // with units\n int32_t n; y_t ys[n]; e_t e; }
        struct y_t { string s; c.z_t z; }\nenum e_t { ONE, TWO = 7 }\npackage c; struct z_t { }";
    let first = schema(text);
    let id = first.find("a.b.x_t").unwrap();
    let printed = first.to_lcm(id);
    let second = schema(&printed);
    let again = second.find("a.b.x_t").unwrap();
    assert_eq!(second.to_lcm(again), printed);
    assert_eq!(second.get(again).fingerprint, first.get(id).fingerprint);
    assert_eq!(second.get(again).doc, "doc of x\nmore");
    assert_eq!(second.get(again).fields, {
        let mut fields = first.get(id).fields.clone();
        for f in &mut fields {
            f.ty = second.get(again).field(&f.name).unwrap().1.ty; // ids differ, names do not
        }
        fields
    });
}
