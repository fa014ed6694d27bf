//! What an LCM log holds.

/// One message of an LCM log.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Event<'a> {
    /// Its number in the file, as the file tells it. Files that were put together may repeat or skip numbers.
    pub number: i64,
    /// When it was logged, µs since 1970, as far as the file is to be trusted. Times may go back.
    pub time: i64,
    /// The channel it came on; any bytes.
    pub channel: &'a [u8],
    /// The message, byte for byte.
    pub data: &'a [u8],
}
