//! Copies selected events of a log.

use super::{Output, ReadError, Selection, Source};
use crate::{Damage, Error};
use std::io::{Read, Write};

/// Copies the selected events, in the order of the source, and the metadata of the whole file. Calls `progress`
/// with the number of bytes read; it returns whether to continue. Returns the unreadable parts.
///
/// # Errors
/// The source is not a log or cannot be read, or the output failed.
pub fn copy<R: Read, W: Write>(
    source: Source<R>,
    mut selection: Selection<'_>,
    out: &mut Output<W>,
    progress: impl FnMut(u64) -> bool,
) -> Result<Damage, ReadError<Error>> {
    let rest = source.each(progress, |event| {
        if selection.takes(event) {
            out.add(event)?;
        }
        Ok(true)
    })?;
    out.metadata(&rest.metadata).map_err(ReadError::Take)?;
    Ok(rest.damage)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::edit::{Moment, Times};
    use crate::{Event, Format, Reader, WriterOptions};

    fn log(format: Format, times: impl Iterator<Item = i64>) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut out = Output::new(&mut bytes, format, WriterOptions::new()).unwrap();
        for log_time in times {
            out.add(&Event { channel: b"A", data: b"x", log_time, ..Event::default() }).unwrap();
        }
        out.finish().unwrap();
        bytes
    }

    fn times(format: Format, bytes: &[u8]) -> Vec<i64> {
        let mut reader = Reader::new(format);
        reader.feed(bytes);
        reader.end();
        let mut times = Vec::new();
        while let Some(event) = reader.event() {
            times.push(event.log_time);
        }
        times
    }

    #[test]
    fn a_part_of_a_log_in_another_format_has_its_events_and_no_others() {
        let source = log(Format::Lcm, (0..10).map(|i| i * 1_000_000));
        let source = Source::new(&source[..]).unwrap();
        let mut bytes = Vec::new();
        let mut out = Output::new(&mut bytes, Format::Mcap, WriterOptions::new()).unwrap();
        let part = Times { from: Some(Moment::After(3_000_000)), to: Some(Moment::At(6_000_000)) };
        let damage = copy(source, Selection::new(part, |_| true), &mut out, |_| true).unwrap();
        assert_eq!(damage, Damage::default());
        assert_eq!(out.finish().unwrap().events, 3);
        assert_eq!(times(Format::Mcap, &bytes), [3_000_000, 4_000_000, 5_000_000]);
    }

    #[test]
    fn all_that_a_damaged_log_still_has_is_in_the_copy() {
        let mut source = log(Format::Lcm, (0..10).map(|i| i * 1_000_000));
        source.truncate(source.len() - 3);
        let mut bytes = Vec::new();
        let mut out = Output::new(&mut bytes, Format::Lcm, WriterOptions::new()).unwrap();
        let damage = copy(Source::new(&source[..]).unwrap(), Selection::all(), &mut out, |_| true).unwrap();
        assert!(damage != Damage::default());
        out.finish().unwrap();
        assert_eq!(times(Format::Lcm, &bytes).len(), 9);
    }

    #[test]
    fn a_file_that_is_not_a_log_is_an_error() {
        let mut bytes = Vec::new();
        let mut out = Output::new(&mut bytes, Format::Lcm, WriterOptions::new()).unwrap();
        let source = Source::new(&b"no log"[..]).unwrap();
        assert!(matches!(copy(source, Selection::all(), &mut out, |_| true), Err(ReadError::NotALog)));
    }
}
