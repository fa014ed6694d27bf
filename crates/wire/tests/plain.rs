//! The plain layout, with a type as a generator would write it.

use saltus_wire::plain::{self, InPlace, PlainError, field};
use saltus_wire::{Bits, Plain};

#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct PosePlain {
    x: f64,
    id: i32,
    _pad0: [u8; 4],
}
// SAFETY: repr(C), only numbers, padding is a field.
unsafe impl Bits for PosePlain {}

#[repr(C, align(8))]
#[derive(Clone, Copy, Debug, Default, PartialEq)]
struct ScanPlain {
    on: u8,
    _pad0: [u8; 7],
    poses: [PosePlain; 2],
    ranges: [[f32; 2]; 3],
}
// SAFETY: repr(C), only numbers and structs of them, padding is a field.
unsafe impl Bits for ScanPlain {}
// SAFETY: as above; aligned to 8.
unsafe impl Plain for ScanPlain {
    const NAME: &'static str = "scan_t";
    const LAYOUT_HASH: u64 = 0x0123_4567_89ab_cdef;
    const SCHEMA: &'static str = "";
    fn clear_padding(&mut self) {
        self._pad0 = [0; 7];
        self.poses.iter_mut().for_each(|pose| pose._pad0 = [0; 4]);
    }
}

/// Bytes aligned to a multiple of 8.
#[repr(align(8))]
struct Aligned([u8; 72]);

fn scan() -> ScanPlain {
    let pose = PosePlain { x: 1.5, id: 7, ..Default::default() };
    ScanPlain { on: 1, poses: [pose; 2], ranges: [[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]], ..Default::default() }
}

#[test]
fn written_values_read_back_the_same() {
    let mut room = Aligned([0xaa; 72]);
    assert_eq!(ScanPlain::PLAIN_SIZE, 72);
    assert_eq!(plain::write(&scan(), &mut room.0), Ok(72));
    assert_eq!(plain::read::<ScanPlain>(&room.0), Ok(&scan()));
    assert_eq!(plain::copy::<ScanPlain>(&room.0), Ok(scan()));

    let mut other = Aligned([0xaa; 72]);
    let placed = plain::place_in::<ScanPlain>(&mut other.0).unwrap();
    placed.on = 1;
    placed.ranges = scan().ranges;
    for pose in &mut placed.poses {
        (pose.x, pose.id) = (1.5, 7);
    }
    assert_eq!(room.0, other.0, "no earlier content is left, not even in the padding");
}

#[test]
fn errors_are_reported() {
    let mut room = Aligned([0; 72]);
    plain::write(&scan(), &mut room.0).unwrap();
    let (name, expected) = ("scan_t", ScanPlain::LAYOUT_HASH);
    let short = plain::read::<ScanPlain>(&room.0[..71]);
    assert_eq!(short, Err(PlainError::Truncated { name, needed: 72, has: 71 }));
    assert!(matches!(plain::copy::<ScanPlain>(&[]), Err(PlainError::Truncated { has: 0, .. })));
    assert!(matches!(plain::write(&scan(), &mut room.0[..71]), Err(PlainError::TooSmall { has: 71, .. })));
    assert!(matches!(plain::place_in::<ScanPlain>(&mut []), Err(PlainError::TooSmall { has: 0, .. })));

    let mut shifted = [0; 80];
    let odd = 1 + shifted.as_ptr().align_offset(8);
    let odd = if odd == 8 { 0 } else { odd };
    plain::write(&scan(), &mut shifted[odd..]).unwrap();
    assert_eq!(plain::copy::<ScanPlain>(&shifted[odd..]), Ok(scan()));
    let misaligned = PlainError::Misaligned { name, align: 8 };
    assert_eq!(plain::read::<ScanPlain>(&shifted[odd..]), Err(misaligned.clone()));
    assert_eq!(plain::place_in::<ScanPlain>(&mut shifted[odd..]), Err(misaligned));

    room.0[..8].copy_from_slice(&1u64.to_ne_bytes());
    let other = plain::read::<ScanPlain>(&room.0).unwrap_err();
    assert_eq!(other, PlainError::Layout { name, expected, found: 1 });
    let text = other.to_string();
    assert!(text.contains("0000000000000001") && text.contains("0123456789abcdef"), "{text}");
}

#[test]
fn fields_are_read_in_place() {
    let mut room = Aligned([0; 72]);
    plain::write(&scan(), &mut room.0).unwrap();
    let memory = &room.0;
    let copy = |at: usize, out: &mut [u8]| out.copy_from_slice(&memory[at..at + out.len()]);
    let seen = InPlace::<ScanPlain, _>::open(memory.len(), copy).unwrap();
    assert_eq!(seen.get(), scan());
    let mut all = ScanPlain::default();
    seen.get_into(&mut all);
    assert_eq!(all, scan());
    assert_eq!(seen.read(field!(ScanPlain, on)), 1);
    assert_eq!(seen.read(field!(ScanPlain, ranges)), scan().ranges);
    assert_eq!(seen.read_at(field!(ScanPlain, ranges), 2), Some([5.0, 6.0]));
    assert_eq!(seen.read_at(field!(ScanPlain, ranges), 3), None);
    assert_eq!(seen.read_at(field!(ScanPlain, poses), 1), Some(scan().poses[1]));
    let mut two = [[0.0; 2]; 2];
    seen.read_into(field!(ScanPlain, ranges), 1, &mut two);
    assert_eq!(two, [[3.0, 4.0], [5.0, 6.0]]);

    assert!(InPlace::<ScanPlain, _>::open(71, copy).is_err());
    assert!(InPlace::<ScanPlain, _>::open(0, copy).is_err());
}

#[test]
#[should_panic(expected = "beyond the end of the array")]
fn a_slice_beyond_an_array_is_a_mistake() {
    let copy = |at: usize, out: &mut [u8]| {
        let hash = ScanPlain::LAYOUT_HASH.to_ne_bytes();
        if at == 0 {
            out.copy_from_slice(&hash)
        }
    };
    let seen = InPlace::<ScanPlain, _>::open(72, copy).unwrap();
    seen.read_into(field!(ScanPlain, ranges), 2, &mut [[0.0; 2]; 2]);
}
