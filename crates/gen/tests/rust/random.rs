//! Reads and writes messages that another codec wrote.

use saltus_wire::Message;

/// The bytes are restored, and truncated or changed ones do no harm.
fn check<T: Message>(bytes: &[u8]) {
    let mut value = T::decode(bytes).unwrap();
    assert_eq!(value.encoded_size(), bytes.len(), "{}", T::NAME);
    assert_eq!(value.encode().unwrap(), bytes, "{}", T::NAME);
    // All positions in short messages, some in long ones.
    let step = 1 + bytes.len() / 200;
    for cut in (0..bytes.len()).step_by(step) {
        assert!(value.decode_from(&bytes[..cut]).is_err(), "{} cut at {cut}", T::NAME);
    }
    let mut changed = bytes.to_vec();
    for at in (8..bytes.len()).step_by(step) {
        changed[at] ^= 0x81;
        let _ = value.decode_from(&changed);
        changed[at] ^= 0x81;
    }
    assert_eq!(value.decode_from(bytes), Ok(bytes.len()));
    assert_eq!(value.encode().unwrap(), bytes, "{}", T::NAME);
}
