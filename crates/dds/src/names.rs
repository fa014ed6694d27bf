//! Names of channels and types in DDS.

use saltus_channel::Name;
use saltus_transport::{Error, Result};
use saltus_types::cdr::{self, Dialect, Unsupported};
use saltus_types::{Schema, StructId};

/// The naming convention.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Names {
    /// A topic has its channel's name; types are named as in IDL: `exlcm::pose_t`.
    Plain,
    /// As in ROS 2: channel `imu` is the topic `rt/imu`, types are named `sensor_msgs::msg::dds_::Imu_`.
    Ros2,
}

impl Names {
    /// The topic of a channel.
    pub fn topic(self, channel: &Name) -> Result<String> {
        let text = std::str::from_utf8(channel.as_bytes());
        let text =
            text.map_err(|_| Error::invalid(format!("a DDS topic must be valid UTF-8; `{channel}` is not")))?;
        Ok(match self {
            Names::Plain => text.into(),
            Names::Ros2 => format!("rt/{}", text.trim_start_matches('/')),
        })
    }

    /// The channel of a topic; `None` for topics that are not channels: services of ROS 2, and names of more than
    /// 63 bytes.
    pub fn channel(self, topic: &str) -> Option<Name> {
        let name = match self {
            Names::Plain => topic,
            Names::Ros2 => topic.strip_prefix("rt/")?,
        };
        Name::new(name).ok()
    }

    /// The type of messages without a known type: a struct with one `sequence<octet>`.
    pub fn bytes(self) -> &'static str {
        match self {
            Names::Plain => "saltus::Bytes",
            Names::Ros2 => "saltus_msgs::msg::dds_::Bytes_",
        }
    }

    /// The name of a type.
    pub fn of_type(self, schema: &Schema, id: StructId) -> std::result::Result<String, Unsupported> {
        let name = cdr::schema(schema, id, self.dialect())?.name;
        Ok(match (self, name.split_once("/msg/")) {
            (Names::Ros2, Some((package, name))) => format!("{package}::msg::dds_::{name}_"),
            _ => name,
        })
    }
    /// The CDR encoding.
    pub fn dialect(self) -> Dialect {
        match self {
            Names::Plain => Dialect::OmgIdl,
            Names::Ros2 => Dialect::Ros2Msg,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn channels_and_topics_have_the_same_names() {
        for (names, topic) in [(Names::Plain, "imu"), (Names::Ros2, "rt/imu")] {
            let channel = Name::new("imu").unwrap();
            assert_eq!(names.topic(&channel).unwrap(), topic);
            assert_eq!(names.channel(topic).unwrap(), channel);
        }
        assert_eq!(Names::Ros2.topic(&Name::new("/robot/imu").unwrap()).unwrap(), "rt/robot/imu");
        assert!(
            Names::Ros2.channel("rq/addReply").is_none() && Names::Plain.channel(&"n".repeat(64)).is_none()
        );
        assert!(Names::Plain.topic(&Name::new(b"\xff").unwrap()).unwrap_err().to_string().contains("UTF-8"));
    }

    #[test]
    fn types_have_the_names_that_ros_gives_them() {
        let text = "package sensor_msgs; struct Imu { double x; }";
        let schema = saltus_types::parse("t", text).unwrap();
        let id = schema.find("sensor_msgs.Imu").unwrap();
        assert_eq!(Names::Ros2.of_type(&schema, id).unwrap(), "sensor_msgs::msg::dds_::Imu_");
        assert_eq!(Names::Plain.of_type(&schema, id).unwrap(), "sensor_msgs::Imu");
    }
}
