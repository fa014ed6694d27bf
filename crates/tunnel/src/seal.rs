//! Encryption and authentication of datagrams: ChaCha20-Poly1305, with the keys of one session.
//!
//! ```text
//!   data      3 | session 4 | number 8 | sealed …        tag 16
//! ```
//!
//! The number is the nonce, and is never used twice under a key: each session and direction has its own key.

use crate::{Key, Role};
use chacha20poly1305::aead::AeadInPlace;
use chacha20poly1305::{ChaCha20Poly1305, KeyInit, Tag};
use hkdf::Hkdf;
use sha2::Sha256;

/// Makes a hello or a welcome unique.
pub(crate) type Nonce = [u8; 24];

/// The first byte of a datagram with data.
pub(crate) const DATA: u8 = 3;
/// Bytes before the sealed part.
const HEADER: usize = 1 + 4 + 8;
/// Bytes after it.
const TAG: usize = 16;
/// Bytes added by sealing.
pub(crate) const OVERHEAD: usize = HEADER + TAG;

/// The keys of one session, as one end has them.
pub(crate) struct Seal {
    session: [u8; 4],
    send: ChaCha20Poly1305,
    open: ChaCha20Poly1305,
    next: u64,
}

/// Bytes derived from the key and the handshake, for one purpose.
pub(crate) fn derive<const N: usize>(key: &Key, salt: &[u8], purpose: &[u8]) -> [u8; N] {
    let mut out = [0; N];
    let hkdf = Hkdf::<Sha256>::new(Some(salt), key.bytes());
    hkdf.expand(purpose, &mut out).expect("fewer bytes than HKDF can give");
    out
}

impl Seal {
    /// The session of this hello and welcome.
    pub fn new(key: &Key, role: Role, hello: &Nonce, welcome: &Nonce) -> Seal {
        let salt = [hello.as_slice(), welcome.as_slice()].concat();
        let cipher = |purpose: &[u8]| ChaCha20Poly1305::new(&derive::<32>(key, &salt, purpose).into());
        let (there, back) = (cipher(b"saltus tunnel 1: connecter"), cipher(b"saltus tunnel 1: listener"));
        let (send, open) = match role {
            Role::Connect => (there, back),
            Role::Listen => (back, there),
        };
        Seal { session: derive(key, &salt, b"saltus tunnel 1: session"), send, open, next: 0 }
    }

    /// Whether a datagram claims to belong to this session.
    pub fn concerns(&self, datagram: &[u8]) -> bool {
        datagram.get(1..5) == Some(&self.session)
    }

    /// A datagram with this content.
    pub fn seal(&mut self, plain: &[u8]) -> Vec<u8> {
        let mut datagram = Vec::with_capacity(plain.len() + OVERHEAD);
        datagram.push(DATA);
        datagram.extend_from_slice(&self.session);
        datagram.extend_from_slice(&self.next.to_le_bytes());
        datagram.extend_from_slice(plain);
        let (header, body) = datagram.split_at_mut(HEADER);
        let nonce = nonce(self.next);
        // 2^64 datagrams take longer than the life of any machine.
        self.next += 1;
        let tag = self.send.encrypt_in_place_detached(&nonce.into(), header, body);
        datagram.extend_from_slice(&tag.expect("datagrams are shorter than the cipher's limit"));
        datagram
    }

    /// The number of a datagram, which is not yet known to be genuine.
    pub fn number(datagram: &[u8]) -> Option<u64> {
        Some(u64::from_le_bytes(datagram.get(5..HEADER)?.try_into().ok()?))
    }

    /// The content, decrypted in place; `None` if the other end did not write it.
    pub fn open<'a>(&self, datagram: &'a mut [u8]) -> Option<&'a [u8]> {
        let number = Seal::number(datagram)?;
        let (header, rest) = datagram.split_at_mut_checked(HEADER)?;
        let (body, tag) = rest.split_at_mut_checked(rest.len().checked_sub(TAG)?)?;
        let nonce = nonce(number);
        self.open.decrypt_in_place_detached(&nonce.into(), header, body, Tag::from_slice(tag)).ok()?;
        Some(body)
    }
}

fn nonce(number: u64) -> [u8; 12] {
    let mut nonce = [0; 12];
    nonce[4..].copy_from_slice(&number.to_le_bytes());
    nonce
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_other_end_opens_a_sealed_packet() {
        let key = Key::from_bytes([7; 32]);
        let (hello, welcome) = ([1; 24], [2; 24]);
        let mut here = Seal::new(&key, Role::Connect, &hello, &welcome);
        let there = Seal::new(&key, Role::Listen, &hello, &welcome);
        let datagram = here.seal(b"words");
        assert_eq!(datagram.len(), 5 + OVERHEAD);
        assert!(there.concerns(&datagram) && !datagram.windows(5).any(|w| w == b"words"));
        assert_eq!(there.open(&mut datagram.clone()), Some(&b"words"[..]));
        assert_eq!(here.open(&mut datagram.clone()), None, "not what it sent itself");
        assert_ne!(here.seal(b"words"), datagram);
        for bit in 0..datagram.len() * 8 {
            let mut forged = datagram.clone();
            forged[bit / 8] ^= 1 << (bit % 8);
            let told_apart = forged[0] != DATA || !there.concerns(&forged);
            assert!(told_apart || there.open(&mut forged).is_none(), "bit {bit}");
        }
        for len in 0..datagram.len() {
            assert_eq!(there.open(&mut datagram[..len].to_vec()), None);
        }
        let other = Seal::new(&Key::from_bytes([8; 32]), Role::Listen, &hello, &welcome);
        assert_eq!(other.open(&mut datagram.clone()), None);
        let later = Seal::new(&key, Role::Listen, &hello, &[3; 24]);
        assert_eq!(later.open(&mut datagram.clone()), None, "a session's keys are its own");
    }
}
