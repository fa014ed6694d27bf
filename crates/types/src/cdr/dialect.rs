//! The languages in which tools for CDR are told what messages are.

/// For whose tools the bytes are.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Dialect {
    /// OMG IDL 4.2: DDS, and viewers that know `omgidl`.
    OmgIdl,
    /// ROS 2 message definitions: all viewers.
    Ros2Msg,
}

/// What a viewer needs to decode the messages of a type.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CdrSchema {
    /// Encoding of the text in MCAP's words: `omgidl` or `ros2msg`.
    pub encoding: &'static str,
    /// Name of the type in the text: `exlcm::pose_t` or `exlcm/msg/Pose`.
    pub name: String,
    /// The type, and all types in it.
    pub text: String,
}
