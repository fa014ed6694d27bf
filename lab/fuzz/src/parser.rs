//! Any text gives a schema or an error; a schema can be printed and parsed again, and every generator accepts it.

use saltus_gen::{Lang, Options, Style, generate};

/// See the module.
pub fn attack(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let schema = match saltus_types::parse("fuzz.lcm", &text) {
        Ok(schema) => schema,
        Err(wrong) => {
            assert!(!wrong.to_string().is_empty());
            return;
        }
    };
    for id in schema.ids() {
        let said = schema.to_lcm(id);
        let again = saltus_types::parse("again.lcm", &said).unwrap_or_else(|e| panic!("{e}\n{said}"));
        let same = again.find(&schema.get(id).name.to_string()).map(|i| again.get(i).fingerprint);
        assert_eq!(same, Some(schema.get(id).fingerprint), "{said}");
    }
    let types: Vec<_> = schema.ids().collect();
    for style in [Style::Modern, Style::Lcm] {
        let options = Options { style, plain: true, ..Options::default() };
        for lang in [Lang::Rust, Lang::C, Lang::Cpp, Lang::Python, Lang::Java, Lang::Octave] {
            let _ = generate(&schema, &types, lang, &options);
        }
    }
}
