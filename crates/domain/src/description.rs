//! Descriptions of message types, which publishers store with a channel for logs and tools.

use saltus_channel::Description;
use saltus_log::Kind;
use saltus_wire::Message;

/// The description that a publisher of this type stores.
pub fn description(kind: &Kind) -> Description {
    Description { name: kind.name(), fingerprint: kind.number(), schema: kind.schema().to_lcm(kind.id()) }
}

/// The description of a message type.
pub(crate) fn of_type<M: Message>() -> Description {
    Description { name: M::NAME.into(), fingerprint: M::FINGERPRINT, schema: M::SCHEMA.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_log::Types;
    use std::sync::Arc;

    #[test]
    fn a_description_determines_its_messages() {
        let schema =
            Arc::new(saltus_types::parse("a test", "struct pose_t { int64_t utime; double x; }").unwrap());
        let id = schema.find("pose_t").unwrap();
        let (lcm, plain) = (Kind::lcm(&schema, id), Kind::plain(&schema, id).expect("it has a plain layout"));
        let (of_lcm, of_plain) = (description(&lcm), description(&plain));
        assert_eq!(of_lcm.fingerprint.to_be_bytes(), lcm.key());
        assert_eq!(of_plain.fingerprint.to_ne_bytes(), plain.key());
        for (said, kind) in [(of_lcm, lcm), (of_plain, plain)] {
            let mut types = Types::new();
            assert!(types.learn(&said.name, &said.schema));
            assert_eq!(types.of(&kind.key()).map(|found| found.encoding()), Some(kind.encoding()));
        }
    }
}
