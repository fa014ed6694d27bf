//! A laser scan with its original line of a CARMEN log, so that every byte can be checked.

use std::f64::consts::PI;

use super::types::Scan;
use super::{FNV, fnv};

/// The empty chain.
pub const START: i64 = FNV as i64;

/// Continues the chain over the lines of all scans with one more line. It begins with [`START`].
pub fn chain(before: i64, line: &[u8]) -> i64 {
    fnv(fnv(before as u64, line), b"\n") as i64
}

/// Writes a scan into `out`, whose memory is reused. The ranges cover the half circle ahead, from right to left.
pub fn scan(out: &mut Scan, index: i64, chain: i64, ranges: &[f64], line: &[u8]) {
    out.index = index;
    out.chain = chain;
    out.angle_increment = PI / ranges.len().max(1) as f64;
    out.angle_min = (out.angle_increment - PI) / 2.0;
    out.ranges.clear();
    out.ranges.extend(ranges.iter().map(|range| *range as f32));
    out.line.clear();
    out.line.extend_from_slice(line);
    out.set_sizes();
}

#[cfg(test)]
mod tests {
    use super::super::{LONGEST_SCAN, Torn, read, write};
    use super::*;

    #[test]
    fn a_scan_comes_back_and_every_changed_byte_is_found() {
        let line = b"FLASER 1 2.5 0 0 0 0 0 0 1 h 1";
        let mut one = Scan::default();
        scan(&mut one, 3, chain(START, line), &[2.5], line);
        let mut bytes = Vec::new();
        write(&one, &mut bytes);
        assert_eq!(read::<Scan>(&bytes).map(|read| Scan { check: 0, ..read }), Ok(one));
        for at in 0..bytes.len() {
            let mut torn = bytes.clone();
            torn[at] ^= 0x20;
            assert_eq!(read::<Scan>(&torn), Err(Torn), "byte {at}");
            assert_eq!(read::<Scan>(&bytes[..at]), Err(Torn));
        }
    }

    #[test]
    fn the_longest_line_fits() {
        let line = vec![b'1'; saltus_carmen::LINE];
        let mut one = Scan::default();
        scan(&mut one, 1, START, &vec![1.0; saltus_carmen::LINE / 2], &line);
        let mut bytes = Vec::new();
        write(&one, &mut bytes);
        assert!(bytes.len() <= LONGEST_SCAN);
    }

    #[test]
    fn the_chain_shows_order_and_borders() {
        let ab = chain(chain(START, b"a"), b"b");
        assert_ne!(ab, chain(chain(START, b"b"), b"a"));
        assert_ne!(ab, chain(START, b"ab"));
    }

    #[test]
    fn ranges_are_centred_ahead() {
        let mut one = Scan::default();
        scan(&mut one, 1, START, &[1.0; 180], b"");
        let last = one.angle_min + 179.0 * one.angle_increment;
        assert!((one.angle_min + last).abs() < 1e-12 && one.angle_min > -PI / 2.0);
    }
}
