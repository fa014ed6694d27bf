//! Untrusted bytes: no panic, and bounded memory.

mod support;

use proptest::prelude::*;
use saltus_types::arbitrary::{Options, Rng, message, schema_text};
use saltus_types::cdr::{self, Dialect, Endian};
use saltus_types::{Record, Schema, StructId, json, parse, plain, wire};
use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::sync::Arc;

/// Counts the bytes that this thread has allocated and not freed, and their maximum.
struct Counting;

thread_local! {
    static NOW: Cell<isize> = const { Cell::new(0) };
    static MOST: Cell<isize> = const { Cell::new(0) };
}

fn count(change: isize) {
    // While a thread exits, allocations are not counted.
    let _ = NOW.try_with(|now| {
        now.set(now.get() + change);
        let _ = MOST.try_with(|most| most.set(most.get().max(now.get())));
    });
}

// SAFETY: every call is passed on to the system's allocator.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        count(layout.size() as isize);
        // SAFETY: as promised to us.
        unsafe { System.alloc(layout) }
    }
    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        count(-(layout.size() as isize));
        // SAFETY: as promised to us.
        unsafe { System.dealloc(at, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// The most that `work` had allocated at once, in bytes.
fn most(work: impl FnOnce()) -> usize {
    let before = NOW.with(Cell::get);
    MOST.with(|most| most.set(before));
    work();
    (MOST.with(Cell::get) - before) as usize
}

/// Bytes of memory for each message, and for each of its bytes; besides the minimum contents of its type.
const BASE: usize = 160 << 10;
const EACH: usize = 130;

/// The minimum contents of this type: its zero value. Decoders allow 16 MiB for it.
fn always(schema: &Arc<Schema>, id: StructId) -> usize {
    most(|| drop(Record::zero(schema, id))).min(16 << 20)
}

fn all_decoders(schema: &Arc<Schema>, id: StructId, bytes: &[u8], always: usize) {
    let limit = EACH * bytes.len() + BASE + always;
    let used = most(|| drop(wire::decode(schema, id, bytes)));
    assert!(used <= limit, "wire: {used} bytes for {}", bytes.len());
    for dialect in [Dialect::OmgIdl, Dialect::Ros2Msg] {
        let used = most(|| drop(cdr::decode(schema, id, dialect, bytes)));
        assert!(used <= limit, "{dialect:?}: {used} bytes for {}", bytes.len());
    }
    let used = most(|| drop(plain::decode_plain(schema, id, bytes)));
    assert!(used <= limit, "plain: {used} bytes for {}", bytes.len());
}

const WORST: &str = "
    struct b_t { } struct c_t { b_t a, b, c, d, e, f, g, h; } struct d_t { c_t a, b, c, d, e, f, g, h; }
    struct e_t { d_t a, b, c, d, e, f, g, h; } struct f_t { e_t a, b, c, d, e, f, g, h; }
    struct g_t { f_t a, b, c, d, e, f, g, h; } struct a_t { g_t a, b, c, d, e, f, g, h; }";
/// Thirteen arrays for a byte, all empty.
const WIDE: &str = "
    struct wide_t { int8_t n; byte a[n]; int16_t b[n]; int32_t c[n]; int64_t d[n]; float e[n]; double f[n]; string g[n];
        boolean h[n]; wide_t i[n]; byte j[n][2]; byte k[2][n]; byte l[n][n]; byte m[n][n][n]; }
    struct a_t { int32_t k; wide_t x[k]; }";

#[test]
fn sizes_that_promise_more_than_there_is() {
    for text in [
        "struct a_t { int32_t n; double x[n]; }",
        "struct a_t { int64_t n; double x[n][n][n]; }",
        "struct a_t { int32_t n; string x[n]; }",
        "struct a_t { int32_t n; int32_t m; byte x[n][m]; }",
        "struct b_t { } struct a_t { int32_t n; b_t x[n]; }",
        "struct b_t { int8_t x; } struct a_t { int32_t n; b_t x[n]; }",
        "struct a_t { int16_t n; a_t x[n]; }",
        "struct a_t { int8_t n; a_t x[n][n]; a_t y[n]; }",
        WORST,
        "struct b_t { } struct a_t { b_t x[1000000000]; }",
        WIDE,
        "struct j_t { int8_t n; int32_t jag[10000][n]; } struct a_t { int32_t k; j_t x[k]; }",
        "struct j_t { int8_t n; string jag[n][3]; j_t more[n]; } struct a_t { int32_t k; j_t x[k]; }",
    ] {
        let schema = Arc::new(parse("hostile.lcm", text).unwrap());
        let id = schema.find("a_t").unwrap();
        let always = always(&schema, id);
        let fingerprint = schema.get(id).fingerprint.to_be_bytes();
        for fill in [0, 1, 2, 0x7f, 0xff] {
            for len in [0, 8, 100, 20_000] {
                let mut bytes = vec![fill; 8 + len];
                all_decoders(&schema, id, &bytes, always);
                bytes[..8].copy_from_slice(&fingerprint);
                all_decoders(&schema, id, &bytes, always);
                bytes[..4].copy_from_slice(&[0, 1, 0, 0]);
                all_decoders(&schema, id, &bytes, always);
                // A size that fits, followed by nothing or garbage.
                bytes[..8].copy_from_slice(&fingerprint);
                if len >= 8 {
                    bytes[8..12].copy_from_slice(&(len as i32 - 4).to_be_bytes());
                    all_decoders(&schema, id, &bytes, always);
                    bytes[8..16].copy_from_slice(&[0, 0, 0x10, 0, 0, 0, 0x10, 0]);
                    all_decoders(&schema, id, &bytes, always);
                }
            }
        }
    }
}

#[test]
fn json_that_promises_more_than_there_is() {
    let schema = Arc::new(
        parse("hostile.lcm", "struct a_t { int32_t n; double x[n]; int64_t m; byte y[m][n]; }").unwrap(),
    );
    let id = schema.find("a_t").unwrap();
    for text in [r#"{"n":2000000000}"#, r#"{"m":9000000000000000000,"n":2000000000}"#, r#"{"m":9e15,"y":[]}"#]
    {
        let used = most(|| assert!(json::from_str(&schema, id, text).is_err()));
        assert!(used <= BASE, "{text}: {used}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 200, failure_persistence: None, ..ProptestConfig::default() })]

    /// Messages with a few bytes changed get furthest.
    #[test]
    fn damaged_messages(seed: u64, damage: Vec<(prop::sample::Index, u8)>, cut: prop::sample::Index) {
        let mut rng = Rng::new(seed);
        let options = Options { enums: true, ..Options::default() };
        let schema = Arc::new(parse("random.lcm", &schema_text(&mut rng, &options)).unwrap());
        for id in schema.ids() {
            let message = message(&mut rng, &options, &schema, id);
            let always = always(&schema, id);
            let mut all = vec![wire::encode(&message).unwrap()];
            for dialect in [Dialect::OmgIdl, Dialect::Ros2Msg] {
                all.push(cdr::encode(&message, dialect, Endian::Big).unwrap());
            }
            all.extend(plain::encode_plain(&message));
            for mut bytes in all {
                for (at, byte) in &damage {
                    let at = at.index(bytes.len());
                    // The header mostly stays, so that the rest is read at all.
                    if at >= 8 || *byte < 8 {
                        bytes[at] = *byte;
                    }
                }
                all_decoders(&schema, id, &bytes, always);
                bytes.truncate(cut.index(bytes.len() + 1));
                all_decoders(&schema, id, &bytes, always);
                if let Ok(message) = wire::decode(&schema, id, &bytes) {
                    let _ = (message.to_string(), format!("{message:#.3}"));
                    let text = json::to_string(&message);
                    let back = json::from_str(&schema, id, &text);
                    prop_assert_eq!(back.as_ref(), Ok(&message), "{}", text);
                }
            }
        }
    }

    #[test]
    fn any_text_as_json(seed: u64, text in "[\\[\\]{}\":,0-9a-z\\\\ .eE+-]{0,80}") {
        let mut rng = Rng::new(seed);
        let options = Options::default();
        let schema = Arc::new(parse("random.lcm", &schema_text(&mut rng, &options)).unwrap());
        for id in schema.ids() {
            let used = most(|| drop(json::from_str(&schema, id, &text)));
            prop_assert!(used <= BASE, "{used}");
        }
    }
}
