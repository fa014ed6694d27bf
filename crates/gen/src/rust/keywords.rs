//! Words that generated Rust must not use as names, in any edition.

/// Keywords, except `Self`, which a lower-case module cannot be named.
const KEYWORDS: &str = "\
    _ abstract as async await become box break const continue crate do dyn else enum extern false final \
    fn for gen if impl in let loop macro match mod move mut override priv pub ref return self static \
    struct super trait true try type typeof unsafe unsized use virtual where while yield";

/// For fields and constants. `set_sizes` is a function next to the constants.
pub(super) const VALUES: &[&str] = &[KEYWORDS, "Self set_sizes"];

/// For modules: also the names of crates and modules in generated code.
pub(super) const MODULES: &[&str] = &[KEYWORDS, "core root saltus_wire std wire"];

/// Types of the prelude that generated code uses.
pub(super) const TYPES: &[&str] = &["Default From Into Ok Option Result Self String Vec _"];
