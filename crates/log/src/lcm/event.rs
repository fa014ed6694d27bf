//! Events of an LCM log.

/// One message of an LCM log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its number in the file. Merged files may repeat or skip numbers.
    pub number: i64,
    /// When it was logged, µs since 1970, as far as the file can be trusted. Times may go back.
    pub time: i64,
    /// The channel; any bytes.
    pub channel: &'a [u8],
    /// The message, byte for byte.
    pub data: &'a [u8],
}
