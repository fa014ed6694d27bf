//! Any bytes as the input of `saltus report`: tables, interval logs, and the histogram in a line of one, which
//! would never be found through its compression. Accepted input can be drawn, and its table read again.

use base64::Engine;
use flate2::Compression;
use flate2::write::ZlibEncoder;
use saltus_measure::report::{self, Level};
use std::io::Write;

/// A log with an interval of these times.
fn log(times: &[u8]) -> Vec<u8> {
    let mut packed = vec![0x1c, 0x84, 0x93, 0x14, 0, 0, 0, 0];
    let mut zlib = ZlibEncoder::new(&mut packed, Compression::fast());
    zlib.write_all(times).and_then(|()| zlib.finish().map(|_| ())).expect("a vector takes all");
    let text = base64::engine::general_purpose::STANDARD.encode(packed);
    format!("#[StartTime: 1700000000.0]\nTag=a,0.0,1.0,0.001,{text}\n").into_bytes()
}

/// See the module.
pub fn attack(data: &[u8]) {
    let Some((kind, data)) = data.split_first() else { return };
    let made;
    let (name, data) = match kind % 4 {
        0 => ("a.csv", data),
        1 => ("a.hgrm", data),
        2 => ("a.hlog", data),
        _ => {
            made = log(data);
            ("a.hlog", &made[..])
        }
    };
    let Ok(all) = report::read(name, data, None) else { return };
    let levels = [Level { percent: 99.0, limit: 1_000_000 }];
    report::page(&all, &levels, false).expect("it can be drawn");
    report::figure(&all, &levels, true).expect("it can be drawn");
    let table = report::csv(&all[0].times);
    let again = report::read("again.csv", table.as_bytes(), None);
    // A table has times of up to an hour, as our own meters have.
    if let Ok(again) = again {
        assert_eq!(again[0].times.len(), all[0].times.len());
    }
}
