//! Messages in which every byte is determined by the publisher and the message's number.
//!
//! So a reader can compute the expected message, and detects a byte of any other message, or from another position
//! of the same one.

use crate::rng::mix;

/// The words of message `seq` of `len` bytes from `key`.
fn word(key: u64, seq: u64, len: usize, i: usize) -> [u8; 8] {
    let base = mix(key ^ mix(seq ^ mix(len as u64)));
    base.wrapping_add((i as u64).wrapping_mul(0x9E37_79B9_7F4A_7C15)).to_le_bytes()
}

/// Fills `message`, the whole of message `seq` from `key`.
pub fn fill(key: u64, seq: u64, message: &mut [u8]) {
    let len = message.len();
    for (i, chunk) in message.chunks_mut(8).enumerate() {
        chunk.copy_from_slice(&word(key, seq, len, i)[..chunk.len()]);
    }
}

/// Message `seq` of `len` bytes from `key`.
pub fn make(key: u64, seq: u64, len: usize) -> Vec<u8> {
    let mut message = vec![0; len];
    fill(key, seq, &mut message);
    message
}

/// The position where `message` first differs from the expected contents.
pub fn check(key: u64, seq: u64, message: &[u8]) -> Result<(), String> {
    let wrong =
        message.chunks(8).enumerate().position(|(i, c)| c != &word(key, seq, message.len(), i)[..c.len()]);
    match wrong {
        None => Ok(()),
        Some(i) => Err(format!("message {seq} of {} B is torn at byte {}", message.len(), 8 * i)),
    }
}

/// The length that the writer with this key gives message `seq`: all sizes from 0 to `most`, preferring the ends
/// and neighbors of powers of two.
pub fn len_of(key: u64, seq: u64, most: usize) -> usize {
    let r = mix(key.wrapping_mul(31) ^ mix(seq));
    let free = (r >> 16) as usize % (most + 1);
    match r % 8 {
        0 => most,
        1 => 0,
        2 => (64 * (free / 64)).min(most),
        3 => (64 * (free / 64) + 1).min(most),
        4 => free % 65.min(most + 1),
        _ => free,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_foreign_byte_is_found() {
        for len in [1, 7, 8, 9, 64, 1000] {
            let good = make(3, 5, len);
            assert!(check(3, 5, &good).is_ok());
            for at in 0..len {
                let mut bad = good.clone();
                bad[at] ^= 1;
                assert!(check(3, 5, &bad).is_err());
            }
            assert!(check(3, 6, &good).is_err() && check(4, 5, &good).is_err());
        }
    }

    #[test]
    fn lengths_reach_both_ends() {
        let lens: Vec<usize> = (1..1000).map(|seq| len_of(9, seq, 300)).collect();
        assert!(lens.contains(&0) && lens.contains(&300) && lens.iter().all(|l| *l <= 300));
    }
}
