//! What publishers leave with a channel, of the types that logs and tools know.

use saltus_channel::Description;
use saltus_log::Kind;
use saltus_wire::Message;

/// What a publisher of messages of this type says about them.
pub fn description(kind: &Kind) -> Description {
    Description { name: kind.name(), fingerprint: kind.number(), schema: kind.schema().to_lcm(kind.id()) }
}

/// What messages of a type say about themselves.
pub(crate) fn of_type<M: Message>() -> Description {
    Description { name: M::NAME.into(), fingerprint: M::FINGERPRINT, schema: M::SCHEMA.into() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use saltus_log::Types;
    use std::sync::Arc;

    #[test]
    fn who_reads_a_description_knows_the_messages_that_it_is_of() {
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
