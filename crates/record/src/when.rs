//! Conditions on a field of the messages of one channel.

use std::sync::Arc;

use saltus_decode::{Decoder, Dictionary, Kind, Meaning, TypeText};
use saltus_domain::{Description, Domain, Message, Name, Options, Pattern};
use saltus_types::{Record, Value};

/// A condition. It is true from the message that makes it true until the one that makes it false.
pub struct When {
    channel: Name,
    path: String,
    test: Test,
    reader: Decoder,
    holds: bool,
    /// Types described by publishers.
    learned: Vec<Description>,
    /// Called once if the condition can never be evaluated.
    reported: bool,
    tell: fn(&str),
}

/// The comparison of a value.
#[derive(Clone, Debug, PartialEq)]
struct Test {
    order: Order,
    with: With,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Order {
    Equal,
    Unequal,
    Less,
    AtMost,
    More,
    AtLeast,
}

#[derive(Clone, Debug, PartialEq)]
enum With {
    Bool(bool),
    Integer(i64),
    Number(f64),
    Text(String),
}

/// Operators, longer ones first.
const SIGNS: [(&str, Order); 6] = [
    ("==", Order::Equal),
    ("!=", Order::Unequal),
    ("<=", Order::AtMost),
    (">=", Order::AtLeast),
    ("<", Order::Less),
    (">", Order::More),
];

/// Splits a condition into its parts; `None` if it is invalid.
fn parse(text: &str) -> Option<(&str, &str, Test)> {
    // A channel name with dots must be quoted.
    let (channel, rest) = match text.trim().strip_prefix('"') {
        Some(quoted) => quoted.split_once("\".")?,
        None => text.trim().split_once('.')?,
    };
    let sign = SIGNS.iter().filter_map(|(sign, order)| Some((rest.find(sign)?, sign.len(), *order)));
    let Some((at, len, order)) = sign.min_by_key(|(at, len, _)| (*at, usize::MAX - len)) else {
        let test = Test { order: Order::Equal, with: With::Bool(true) };
        return Some((channel, rest.trim(), test))
            .filter(|(channel, path, _)| !channel.is_empty() && !path.is_empty());
    };
    let (path, with) = (rest[..at].trim(), rest[at + len..].trim());
    let with = match with {
        "true" => With::Bool(true),
        "false" => With::Bool(false),
        text => {
            match (text.strip_prefix('"').and_then(|t| t.strip_suffix('"')), text.parse(), text.parse()) {
                (Some(text), ..) => With::Text(text.into()),
                (None, Ok(integer), _) => With::Integer(integer),
                (None, Err(_), Ok(number)) => With::Number(number),
                _ => return None,
            }
        }
    };
    let orders = matches!(with, With::Integer(_) | With::Number(_));
    let whole = !channel.is_empty() && !path.is_empty();
    (whole && (orders || matches!(order, Order::Equal | Order::Unequal))).then_some((
        channel,
        path,
        Test { order, with },
    ))
}

impl Test {
    /// Whether it is true for `value`; `None` if the two cannot be compared.
    fn holds(&self, value: &Value) -> Option<bool> {
        use std::cmp::Ordering::{self, *};
        let order: Option<Ordering> = match &self.with {
            With::Bool(with) => Some(value.as_bool()?.cmp(with)),
            With::Text(with) => Some(value.as_str()?.cmp(with)),
            With::Integer(with) => match value.as_i64() {
                Some(value) => Some(value.cmp(with)),
                None => value.as_f64()?.partial_cmp(&(*with as f64)),
            },
            With::Number(with) => value.as_f64()?.partial_cmp(with),
        };
        Some(match self.order {
            Order::Equal => order == Some(Equal),
            Order::Unequal => order != Some(Equal),
            Order::Less => order == Some(Less),
            Order::AtMost => matches!(order, Some(Less | Equal)),
            Order::More => order == Some(Greater),
            Order::AtLeast => matches!(order, Some(Greater | Equal)),
        })
    }
}

impl When {
    /// Parses a condition, such as `IMU.accel[2] > 30`; `None` if it is invalid. `reader` decodes messages. `tell` is called once if the
    /// condition can never be evaluated.
    pub fn new(text: &str, reader: Decoder, tell: fn(&str)) -> Option<When> {
        let (channel, path, test) = parse(text)?;
        let channel = Name::new(channel).ok()?;
        let (path, holds, learned, reported) = (path.into(), false, Vec::new(), false);
        Some(When { channel, path, test, reader, holds, learned, reported, tell })
    }

    /// Whether this message makes it true. `None` if its type is unknown so far.
    pub fn becomes_true(&mut self, message: &Message<'_>, types: &[Description]) -> Option<bool> {
        if *message.channel != self.channel {
            return Some(false);
        }
        let before = self.holds;
        if self.learned != types {
            self.learned = types.to_vec();
            self.reader.dictionary.learn(texts(types.to_vec()));
        }
        let meaning = self.reader.meaning(message.channel.as_bytes(), Vec::new, message.data);
        let is_known = !matches!(meaning, Ok(Meaning::Bytes | Meaning::Unknown(_)));
        let holds = match &meaning {
            Ok(Meaning::Record { record, kind }) => match record.get(&self.path) {
                Some(value) => self.test.holds(&value).ok_or_else(|| {
                    format!(
                        "cannot compare `{}` of type `{}`, which is of {}, with that",
                        self.path,
                        kind.name(),
                        value.kind()
                    )
                }),
                None => Err(format!("type `{}` has no field `{}`", kind.name(), self.path)),
            },
            Ok(Meaning::Broken { .. }) => Ok(before), // an invalid message does not change the state
            _ => Err("its type is unknown: name the directory of its type file with -I".into()),
        };
        match holds {
            Ok(holds) => self.holds = holds,
            Err(why) if !self.reported => {
                self.reported = true;
                (self.tell)(&format!("--when cannot evaluate channel `{}`: {why}", self.channel));
            }
            Err(_) => {}
        }
        is_known.then_some(self.holds && !before)
    }

    /// A warning before the first message, if no known type has the field: none of the channel's types, or, if those are unknown, none in
    /// the type directories.
    pub fn doubt(&self, domains: impl Iterator<Item = Domain>) -> Option<String> {
        let said = domains.filter_map(|domain| {
            let pattern = Pattern::name(self.channel.as_bytes()).ok()?;
            let mut subscriber = domain.subscriber_with(pattern, Options::newest()).ok()?;
            Some(subscriber.descriptions(&self.channel))
        });
        let said: Vec<Description> = said.flatten().collect();
        let types = if said.is_empty() {
            self.reader.dictionary.types()
        } else {
            Dictionary::of(texts(said.clone())).types()
        };
        // The elements of an array are known only from messages.
        let path = self.path.split('[').next().unwrap_or_default();
        let has = |kind: &Arc<Kind>| {
            let zero = Record::zero(kind.schema(), kind.id());
            zero.is_ok_and(|zero| zero.get(path).is_some())
        };
        let whose = if said.is_empty() { "in the directories of -I" } else { "that its publishers describe" };
        (!types.is_empty() && !types.iter().any(has))
            .then(|| format!("--when: no type {whose} has a field `{path}`; waiting for one that does"))
    }
}

/// Descriptions by publishers, in the form that a dictionary accepts.
fn texts(said: Vec<Description>) -> Vec<TypeText> {
    said.into_iter().map(|said| TypeText { name: said.name, text: said.schema }).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn holds(text: &str, value: impl Into<Value>) -> Option<bool> {
        parse(text).unwrap().2.holds(&value.into())
    }

    #[test]
    fn a_condition_has_a_channel_a_field_and_a_test() {
        let (channel, path, test) = parse(" ESTOP.active == true ").unwrap();
        assert_eq!((channel, path), ("ESTOP", "active"));
        assert_eq!(test, Test { order: Order::Equal, with: With::Bool(true) });
        let (channel, path, _) = parse("\"a.b\".pose.position[2]>=-1.5").unwrap();
        assert_eq!((channel, path), ("a.b", "pose.position[2]"));
        assert_eq!(parse("E.on").unwrap().2, parse("E.on == true").unwrap().2);
        for wrong in ["", "ESTOP", ".x", "A.", "A. == 1", "A.x ==", "A.x == yes", "A.x < true", "A.x < \"b\""]
        {
            assert!(parse(wrong).is_none(), "{wrong:?}");
        }
    }

    #[test]
    fn values_compare_as_what_they_are() {
        assert_eq!(holds("A.x > 30", 30.5), Some(true));
        assert_eq!(holds("A.x > 30", 30_i32), Some(false));
        assert_eq!(holds("A.x == 9007199254740993", 9_007_199_254_740_992_i64), Some(false), "exact");
        assert_eq!(holds("A.x != 1", f64::NAN), Some(true));
        assert_eq!(holds("A.x <= 1", f64::NAN), Some(false));
        assert_eq!(holds("A.x == \"stop\"", "stop"), Some(true));
        assert_eq!(holds("A.x == true", 1_i32), None);
    }
}
