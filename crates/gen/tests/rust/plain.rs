//! The plain layouts of the types of `constructs.lcm`.

use generated::types::*;
use saltus_wire::plain::{self, InPlace, PlainError, field};
use saltus_wire::{Message, Plain};

fn body() -> generated::types::plain::Body {
    let point = |x| generated::types::plain::Point { kind: 1, x, y: 0.5 };
    generated::types::plain::Body {
        on: true,
        utime: -5,
        switches: [true, false, true],
        board: [[true, false], [false, true]],
        color: old::Color::GREEN,
        colors: [old::Color::RED, old::Color(77)],
        point: point(1.0),
        points: [point(2.0), point(3.0)],
        grid: [[point(4.0), point(5.0), point(6.0)], [point(7.0), point(8.0), point(9.0)]],
        last: 9,
        ..Default::default()
    }
}

/// Bytes aligned to a multiple of 8.
#[repr(align(8))]
struct Room([u8; 1024]);

#[test]
fn both_forms_are_equal() {
    use generated::types::plain::{Body, BodyPlain};
    let plain = BodyPlain::from(&body());
    assert_eq!(Body::from(&plain), body());
    assert_eq!((plain.on, plain.switches, plain.color), (1, [1, 0, 1], 5));

    let mut room = Room([0xaa; 1024]);
    let len = plain::write(&plain, &mut room.0).unwrap();
    assert_eq!(len, BodyPlain::PLAIN_SIZE);
    assert_eq!(plain::read::<BodyPlain>(&room.0), Ok(&plain));

    // Built in place over old bytes: the same to the last byte, including the padding.
    let mut other = Room([0x55; 1024]);
    let placed = plain::place_in::<BodyPlain>(&mut other.0).unwrap();
    *placed = plain;
    assert_eq!(room.0[..len], other.0[..len]);
    let placed = plain::place_in::<BodyPlain>(&mut other.0).unwrap();
    assert_eq!(*placed, plain);

    let memory = &room.0[..len];
    let seen = InPlace::<BodyPlain, _>::open(len, |at, out| out.copy_from_slice(&memory[at..at + out.len()]));
    let seen = seen.unwrap();
    assert_eq!(seen.read(field!(BodyPlain, point.x)), 1.0);
    assert_eq!(seen.read_at(field!(BodyPlain, grid), 1).map(|row| row[2].x), Some(9.0));
    assert_eq!(seen.get(), plain);
}

#[test]
fn padding_is_cleared_in_structs_within_too() {
    use generated::types::plain::BodyPlain;
    let mut room = Room([0xff; 1024]);
    let placed = plain::place_in::<BodyPlain>(&mut room.0).unwrap();
    assert_eq!(placed._pad0, [0; 7]);
    assert_eq!(placed.grid[1][2]._pad0, [0; 7]);
    assert_eq!(placed.points[0]._pad1, [0; 4]);
    assert_eq!(placed.utime, -1, "what is not padding is left alone");
}

#[test]
fn large_and_empty_types_have_layouts_too() {
    use generated::types::plain::{EmptyInside, EmptyInsidePlain, Large, LargePlain};
    let mut large = Large { data: [7; 40], ..Default::default() };
    large.points[32].x = 1.5;
    assert_eq!(Large::from(&LargePlain::from(&large)), large);
    assert_eq!(LargePlain::default(), LargePlain::from(&Large::default()));
    assert_eq!(EmptyInsidePlain::PLAIN_SIZE, 8);
    assert_eq!(EmptyInside::from(&EmptyInsidePlain {}), EmptyInside::default());
}

#[test]
fn another_layout_is_reported() {
    use generated::types::plain::{BodyPlain, Point, PointPlain};
    let mut room = Room([0; 1024]);
    plain::write(&PointPlain::from(&Point::default()), &mut room.0).unwrap();
    let reported = plain::read::<BodyPlain>(&room.0);
    let (expected, found) = (BodyPlain::LAYOUT_HASH, PointPlain::LAYOUT_HASH);
    assert_eq!(reported, Err(PlainError::Layout { name: "plain.body_t", expected, found }));
    assert_eq!((BodyPlain::NAME, BodyPlain::SCHEMA), (body_name(), generated::types::plain::Body::SCHEMA));
}

fn body_name() -> &'static str {
    <generated::types::plain::Body as Message>::NAME
}
