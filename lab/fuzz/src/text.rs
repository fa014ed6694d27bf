//! Any accepted type file becomes IDL and ROS 2 message definitions that parsers read as intended: names and
//! comments of the file stay names and comments.

use saltus_types::{idl, ros2msg};

/// The text without everything after `mark`, up to the end of the line.
fn without_comments(text: &str, mark: &str) -> Vec<String> {
    text.lines().map(|line| line.split(mark).next().unwrap_or_default().trim().to_string()).collect()
}

fn is_identifier(name: &str) -> bool {
    name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn check_idl(text: &str) {
    let mut depth = 0;
    for line in without_comments(text, "//") {
        assert!(line.chars().all(|c| c.is_ascii_graphic() || c == ' '), "{line}");
        depth += line.matches('{').count() as i32 - line.matches('}').count() as i32;
        assert!(depth >= 0, "{text}");
        assert!(line.is_empty() || line.ends_with(['{', ';', '}', ',']), "{line}");
    }
    assert_eq!(depth, 0, "{text}");
}

fn check_ros(text: &str) {
    for line in without_comments(text, "#") {
        let words: Vec<&str> = line.split(' ').filter(|word| !word.is_empty()).collect();
        match words[..] {
            [] => {}
            ["MSG:", name] => assert!(name.split('/').all(is_identifier), "{line}"),
            [rule] => assert!(rule.len() == 80 && rule.chars().all(|c| c == '='), "{line}"),
            [_, name, ..] => assert!(is_identifier(name.split('=').next().unwrap_or_default()), "{line}"),
        }
    }
}

/// See the module.
pub fn attack(data: &[u8]) {
    let Ok(schema) = saltus_types::parse("fuzz.lcm", &String::from_utf8_lossy(data)) else { return };
    for id in schema.ids() {
        // A struct that contains itself is reported.
        let texts = (idl::schema(&schema, id), ros2msg::schema(&schema, id));
        assert_eq!(texts.0.is_ok(), texts.1.is_ok());
        let (Ok(idl), Ok(ros)) = texts else { continue };
        assert!(idl.name.split("::").all(is_identifier), "{}", idl.name);
        check_idl(&idl.text);
        check_ros(&ros.text);
    }
}
