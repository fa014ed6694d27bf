//! The schema languages of CDR tools.

/// The tools for which the bytes are meant.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// OMG IDL 4.2: DDS, and viewers that know `omgidl`.
    OmgIdl,
    /// ROS 2 message definitions: all viewers.
    Ros2Msg,
}

/// The schema that a viewer needs to decode the messages of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CdrSchema {
    /// MCAP's name of the schema language: `omgidl` or `ros2msg`.
    pub encoding: &'static str,
    /// Name of the type in the text: `exlcm::pose_t` or `exlcm/msg/Pose`.
    pub name: String,
    /// The type, and all types in it.
    pub text: String,
}
