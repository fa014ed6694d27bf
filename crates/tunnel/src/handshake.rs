//! The handshake that starts a session.
//!
//! ```text
//!   connecter ── hello    1 | nonce 24 | sealed: version 1           tag 16 ──►
//!             ◄─ welcome  2 | nonce 24 | sealed: the hello's nonce 24 tag 16 ── listener
//! ```
//!
//! Both are sealed under the shared key with XChaCha20-Poly1305, whose nonces may be random. The session's keys are
//! derived from the shared key and both nonces. The welcome contains the hello's nonce, which proves to the
//! connecter that it is fresh. The first datagram under the new keys proves to the listener that the connecter is
//! there. Until then it keeps its old session, so a recorded hello that is sent again changes nothing. A welcome is
//! only 23 bytes longer than its hello.

use crate::Key;
use crate::seal::{Nonce, derive};
use chacha20poly1305::aead::AeadInPlace;
use chacha20poly1305::{KeyInit, Tag, XChaCha20Poly1305};

/// The first byte of each.
pub(crate) const HELLO: u8 = 1;
pub(crate) const WELCOME: u8 = 2;
/// The protocol version.
const VERSION: u8 = 1;
const TAG: usize = 16;

/// Writes and parses hellos and welcomes.
pub(crate) struct Handshake {
    hello: XChaCha20Poly1305,
    welcome: XChaCha20Poly1305,
}

impl Handshake {
    pub fn new(key: &Key) -> Handshake {
        let cipher = |purpose: &[u8]| XChaCha20Poly1305::new(&derive::<32>(key, &[], purpose).into());
        Handshake { hello: cipher(b"saltus tunnel 1: hello"), welcome: cipher(b"saltus tunnel 1: welcome") }
    }

    pub fn hello(&self, nonce: &Nonce) -> Vec<u8> {
        write(&self.hello, HELLO, nonce, &[VERSION])
    }
    pub fn welcome(&self, nonce: &Nonce, to: &Nonce) -> Vec<u8> {
        write(&self.welcome, WELCOME, nonce, to)
    }
    /// The nonce of a genuine hello.
    pub fn read_hello(&self, datagram: &[u8]) -> Option<Nonce> {
        let (nonce, [VERSION]) = read::<1>(&self.hello, datagram)? else { return None };
        Some(nonce)
    }
    /// The nonces of a genuine welcome, and of the hello that it answers.
    pub fn read_welcome(&self, datagram: &[u8]) -> Option<(Nonce, Nonce)> {
        read(&self.welcome, datagram)
    }
}

fn write(cipher: &XChaCha20Poly1305, kind: u8, nonce: &Nonce, body: &[u8]) -> Vec<u8> {
    let mut sealed = body.to_vec();
    let tag = cipher.encrypt_in_place_detached(nonce.into(), &[kind], &mut sealed);
    let tag = tag.expect("a few bytes are no more than the cipher takes");
    [&[kind], nonce.as_slice(), &sealed, &tag].concat()
}

fn read<const N: usize>(cipher: &XChaCha20Poly1305, datagram: &[u8]) -> Option<(Nonce, [u8; N])> {
    let (kind, rest) = datagram.split_first()?;
    let (nonce, rest) = rest.split_first_chunk::<24>()?;
    let (body, tag) = rest.split_first_chunk::<N>()?;
    let tag: &[u8; TAG] = tag.try_into().ok()?;
    let mut body = *body;
    cipher.decrypt_in_place_detached(nonce.into(), &[*kind], &mut body, Tag::from_slice(tag)).ok()?;
    Some((*nonce, body))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_holders_of_the_key_are_understood() {
        let (ours, theirs) =
            (Handshake::new(&Key::from_bytes([1; 32])), Handshake::new(&Key::from_bytes([2; 32])));
        let hello = ours.hello(&[5; 24]);
        assert_eq!(ours.read_hello(&hello), Some([5; 24]));
        assert_eq!(theirs.read_hello(&hello), None);
        let welcome = ours.welcome(&[6; 24], &[5; 24]);
        assert_eq!(ours.read_welcome(&welcome), Some(([6; 24], [5; 24])));
        assert_eq!(theirs.read_welcome(&welcome), None);
        assert_eq!((ours.read_hello(&welcome), ours.read_welcome(&hello)), (None, None));
        assert!(welcome.len() <= hello.len() + 23);
        for len in 0..hello.len() {
            assert_eq!(ours.read_hello(&hello[..len]), None);
        }
        for bit in 0..hello.len() * 8 {
            let mut forged = hello.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            assert_eq!(ours.read_hello(&forged), None);
        }
    }
}
