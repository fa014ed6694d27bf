//! Types of megabytes, in a debug build and with a stack of two megabytes.

use generated::types::large::*;
use generated::types::{jagged, sizes};
use saltus_wire::plain::{self, InPlace};
use saltus_wire::{Body, Message, Plain};
use std::thread;

fn with_a_stack_of_2_megabytes(work: impl FnOnce() + Send + 'static) {
    thread::Builder::new().stack_size(2 << 20).spawn(work).unwrap().join().unwrap();
}

#[test]
fn large_arrays_do_not_go_over_the_stack() {
    with_a_stack_of_2_megabytes(|| {
        let mut image = Image::default();
        image.data[3_999_999] = 7;
        let bytes = image.encode().unwrap();
        let mut again = Image::decode(&bytes).unwrap();
        assert_eq!(again.decode_from(&bytes), Ok(4_000_008));
        assert!(again == image && again.clone() == image);

        let mut images = Images { images: vec![image; 2], ..Default::default() };
        images.two[1].data[0] = 1;
        images.set_sizes();
        let bytes = images.encode().unwrap();
        assert_eq!((bytes.len(), Images::MIN_SIZE), (8 + 1 + 16_000_000, 8_000_001));
        assert!(Images::decode(&bytes).unwrap() == images);
        assert!(Images::decode(&bytes[..16_000_008]).is_err());
    });
}

#[test]
fn their_plain_layout_is_built_and_read_in_place() {
    with_a_stack_of_2_megabytes(|| {
        let mut image = Image::default();
        image.data[3_999_999] = 7;
        let mut room = vec![0xaa; ImagePlain::PLAIN_SIZE];
        plain::place_in::<ImagePlain>(&mut room).unwrap().set_from(&image);

        let mut again = Image::default();
        plain::read::<ImagePlain>(&room).unwrap().copy_to(&mut again);
        assert!(again == image);
        assert!(Image::from(plain::read::<ImagePlain>(&room).unwrap()) == image);

        let copy = |at: usize, out: &mut [u8]| out.copy_from_slice(&room[at..at + out.len()]);
        let seen = InPlace::<ImagePlain, _>::open(room.len(), copy).unwrap();
        let mut boxed = plain::boxed::<ImagePlain>();
        seen.get_into(&mut boxed);
        assert_eq!(boxed.data[3_999_999], 7);
        let mut other = vec![0; ImagePlain::PLAIN_SIZE];
        assert_eq!(plain::write(&*boxed, &mut other), Ok(room.len()));
        assert!(other == room);
    });
}

#[test]
fn boxed_fields_round_trip() {
    let mut texts = Texts { loose: vec![saltus_wire::boxed(|i| i.to_string()); 3], ..Default::default() };
    texts.pages[2][199] = "last".into();
    texts.items[1][89] = jagged::Item { n: 0, words: vec!["word".into()] };
    texts.far = [vec![[1.5; 3000]; 3], vec![[2.5; 3000]; 3]];
    texts.set_sizes();
    assert_eq!((texts.n, texts.items[1][89].n), (3, 1));
    let bytes = texts.encode().unwrap();
    assert_eq!(bytes.len(), texts.encoded_size());
    let mut used = Texts { loose: vec![saltus_wire::boxed(|_| "old".into()); 5], ..Default::default() };
    assert_eq!(used.decode_from(&bytes), Ok(bytes.len()));
    assert_eq!(used, texts);

    let jag = sizes::Jag { n: 2, jag: saltus_wire::boxed(|i| vec![i as i32; 2]) };
    assert_eq!(sizes::Jag::decode(&jag.encode().unwrap()), Ok(jag));
    assert!(size_of::<sizes::Jag>() <= 16 && size_of::<Images>() <= 64);
}

#[test]
fn both_forms_of_boxed_fields_are_equal() {
    let mut all = Switches { board: saltus_wire::zeroes(), ..Default::default() };
    all.on[4999] = true;
    all.board[1][2999] = 3;
    all.colors[1500] = generated::types::old::Color::blue;
    all.points[299].x = 1.5;
    assert_eq!(Switches::from(&SwitchesPlain::from(&all)), all);
    assert_eq!(Switches::decode(&all.encode().unwrap()), Ok(all));
}
