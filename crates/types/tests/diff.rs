//! Differences between two versions of a type.

mod support;

use proptest::prelude::*;
use saltus_types::arbitrary::{Options, Rng, schema_text};
use saltus_types::diff::{Fate, What, diff, fates};
use saltus_types::parse;
use support::types;

/// The differences in words; also checks their claims about the fingerprint.
fn printed(old: &str, new: &str) -> Vec<String> {
    let ((old, a), (new, b)) = (types(old), types(new));
    let changes = diff(&old, a, &new, b);
    let differ = old.get(a).fingerprint != new.get(b).fingerprint;
    assert_eq!(changes.iter().any(|c| c.alters_fingerprint()), differ, "{changes:?}");
    changes.iter().map(ToString::to_string).collect()
}

#[test]
fn the_same_is_the_same() {
    let text = "struct in_t { int8_t n; in_t more[n]; } struct a_t { int32_t x[0x10]; in_t in; string s; }";
    assert_eq!(printed(text, text), [""; 0]);
    let renamed = text.replace("in_t", "inner_t");
    assert_eq!(printed(text, &renamed), [""; 0]);
}

#[test]
fn every_kind_of_change_is_named() {
    let old = "struct a_t { int8_t n; float x; double y[3]; string s; int32_t k; const int32_t MAX = 5; }";
    for (new, change) in [
        (
            "struct a_t { int8_t n; float x; double y[3]; string s; int32_t k; byte z[n]; const int32_t MAX = 5; }",
            "field `z` (byte[n]) was added",
        ),
        (
            "struct a_t { int8_t n; float x; string s; int32_t k; const int32_t MAX = 5; }",
            "field `y` (double[3]) was removed",
        ),
        (
            "struct a_t { int8_t n; float px; double y[3]; string s; int32_t k; const int32_t MAX = 5; }",
            "field `x` is now called `px`",
        ),
        (
            "struct a_t { int8_t n; double x; double y[3]; string s; int32_t k; const int32_t MAX = 5; }",
            "field `x` was float and is now double",
        ),
        (
            "struct a_t { int8_t n; float x; double y[n]; string s; int32_t k; const int32_t MAX = 5; }",
            "field `y` was double[3] and is now double[n]",
        ),
        (
            "struct a_t { int8_t n; float x; double y[0x3]; string s; int32_t k; const int32_t MAX = 5; }",
            "the size of field `y` was written `3` and is now written `0x3`: the bytes are the same, but not the fingerprint",
        ),
        (
            "struct a_t { int8_t n; double y[3]; string s; float x; int32_t k; const int32_t MAX = 5; }",
            "field `x` now follows `s`",
        ),
        (
            "struct a_t { string s; int8_t n; float x; double y[3]; int32_t k; const int32_t MAX = 5; }",
            "field `s` is now the first",
        ),
        (
            "struct a_t { int8_t n; float x; double y[3]; string s; int32_t k; const int32_t MAX = 6; }",
            "constant `MAX` was 5 (int32_t) and is now 6 (int32_t) (no change of the fingerprint)",
        ),
        (
            "struct a_t { int8_t n; float x; double y[3]; string s; int32_t k; const int32_t MAX = 0x5, MIN = 1; }",
            "constant `MIN` = 1 (int32_t) was added (no change of the fingerprint)",
        ),
        (
            "struct a_t { int8_t n; float x; double y[3]; string s; int32_t k; }",
            "constant `MAX` = 5 (int32_t) was removed (no change of the fingerprint)",
        ),
    ] {
        assert_eq!(printed(old, new), [change]);
    }
}

#[test]
fn changes_inside_are_found_with_their_path() {
    let old = "struct p_t { double x; double y; } struct q_t { p_t p[2]; } struct a_t { q_t q; p_t again; }";
    let new = "struct p_t { double x; float y; } struct q_t { p_t p[2]; } struct a_t { q_t q; p_t again; }";
    // Reported once, although two paths lead to it.
    let changes = printed(old, new);
    assert_eq!(changes.len(), 1);
    assert!(changes[0].ends_with("y` was double and is now float"), "{changes:?}");
    let other = "struct z_t { string z; } struct a_t { z_t q; z_t again; }";
    assert_eq!(
        printed(old, other),
        ["field `q` was q_t and is now z_t", "field `again` was p_t and is now z_t"]
    );
}

#[test]
fn a_size_field_of_another_name_is_one_change() {
    let old = "struct a_t { int32_t n; float x[n]; }";
    let new = "struct a_t { int32_t count; float x[count]; }";
    assert_eq!(printed(old, new), ["field `n` is now called `count`"]);
}

#[test]
fn enums_are_compared_by_name() {
    let old = "enum e_t { A, B } struct a_t { e_t e; }";
    assert_eq!(
        printed(old, "enum e_t { A, C = 2 } struct a_t { e_t e; }"),
        [
            "constant `e.B` = 2 was removed (no change of the fingerprint)",
            "constant `e.C` = 2 was added (no change of the fingerprint)"
        ]
    );
    assert_eq!(printed(old, "enum f_t { A, B } struct a_t { f_t e; }"), ["field `e` was e_t and is now f_t"]);
}

#[test]
fn recursive_types_end() {
    let old = "struct a_t { int8_t n; b_t b[n]; } struct b_t { int8_t n; a_t a[n]; }";
    let new = "struct a_t { int8_t n; b_t b[n]; } struct b_t { int8_t n; a_t a[n]; int8_t more; }";
    assert_eq!(printed(old, new), ["field `more` (int8_t) was added"]);
}

#[test]
fn types_that_contain_themselves_otherwise_differ_in_the_fingerprint_only() {
    let old = "struct a_t { int8_t n; a_t x[n]; }";
    let new = "struct a_t { int8_t n; b_t x[n]; } struct b_t { int8_t n; b_t x[n]; }";
    let ((a, id), b) = (types(old), types(new).0);
    let changes = diff(&a, id, &b, b.find("a_t").unwrap());
    assert_eq!(changes.len(), 1);
    assert!(changes[0].to_string().contains("in another way"), "{changes:?}");
}

/// `text` with one of its field lines changed; it need not be valid.
fn edited(rng: &mut Rng, text: &str) -> String {
    let mut lines: Vec<String> = text.lines().map(str::to_owned).collect();
    let i = rng.below(lines.len());
    match rng.below(6) {
        0 => drop(lines.remove(i)),
        1 => lines.insert(i, "    int16_t brand_new;".into()),
        2 if i + 1 < lines.len() => lines.swap(i, i + 1),
        3 => {
            lines[i] =
                lines[i].replace("float", "double").replace("int32_t", "int64_t").replace("byte", "boolean")
        }
        4 => lines[i] = lines[i].replace('1', "2").replace("[3]", "[0x3]"),
        _ => {
            lines[i] =
                lines[i].replace("pos", "position").replace("value", "val").replace("type1_t", "type0_t")
        }
    }
    lines.join("\n")
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, failure_persistence: None, ..ProptestConfig::default() })]

    /// A change that alters the fingerprint is reported exactly if the fingerprints differ.
    #[test]
    fn the_named_fields_are_the_different_ones(seed: u64) {
        let mut rng = Rng::new(seed);
        // Without recursion, every difference is in some field.
        let options = Options { enums: true, recursion: false, ..Options::default() };
        let text = schema_text(&mut rng, &options);
        let old = parse("old.lcm", &text).unwrap();
        for _ in 0..8 {
            let Ok(new) = parse("new.lcm", edited(&mut rng, &text).as_str()) else { continue };
            for a in old.ids() {
                prop_assert_eq!(diff(&old, a, &old, a), []);
                let Some(b) = new.find(&old.get(a).name.to_string()) else { continue };
                for (x, i, y, j) in [(&old, a, &new, b), (&new, b, &old, a)] {
                    let changes = diff(x, i, y, j);
                    prop_assert!(changes.iter().all(|c| c.what != What::Recursion), "{:?}", changes);
                    let differ = x.get(i).fingerprint != y.get(j).fingerprint;
                    prop_assert_eq!(changes.iter().any(|c| c.alters_fingerprint()), differ, "{:?}", changes);
                }
            }
        }
    }
}

#[test]
fn types_of_two_files_are_compared_by_their_names() {
    let parsed = |text: &str| parse("a test", text).unwrap();
    let (old, new) = (
        parsed("struct b_t { int8_t x; } struct a_t { int8_t x; }"),
        parsed("struct c_t { int8_t x; } struct b_t { int8_t x; }"),
    );
    let (old_ids, new_ids): (Vec<_>, Vec<_>) = (old.ids().collect(), new.ids().collect());
    let kept = Fate::Kept(old.find("b_t").unwrap(), new.find("b_t").unwrap());
    assert_eq!(
        fates((&old, &old_ids), (&new, &new_ids)),
        [("a_t".into(), Fate::Removed), ("b_t".into(), kept), ("c_t".into(), Fate::Added)]
    );
}
