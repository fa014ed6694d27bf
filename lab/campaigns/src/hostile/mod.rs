//! **Hostile files**: crafted and random channel files, and a writer with invalid values in every field.
//!
//! Expected: an error in words, or a valid delivery; never a crash, a hang, or an access outside, which would be a
//! crash too. The same holds while files are cut short that others have mapped.

mod bells;
mod cut;
mod hunt;
mod lies;
mod odd_files;
mod victim;

use crate::child::spawn;
use crate::context::Context;
use crate::place::Place;
use crate::report::Failure;
use crate::rng::Rng;
use hunt::hunt;
use saltus_channel::Attributes;
use std::os::unix::fs::MetadataExt;
use std::time::Duration;

pub fn run(context: &Context) -> Result<(), Failure> {
    let place = Place::new(context.root, "hostile")?;
    let (report, seed) = (context.report, context.seed());
    let share = |percent: u64| context.time(12, 400) * percent as u32 / 100;
    let (all, long) = (u64::MAX, Duration::from_secs(600));
    report.check("crafted geometry, files of every length", || {
        let domain = place.domain("geometry")?;
        hunt(seed, share(25), all, |_, rng, prey| lies::geometry(&domain, rng, prey))
    });
    report.check("lies in the words of the channel and of a lane", || {
        let domain = place.domain("words")?;
        hunt(seed, share(45), all, |_, rng, prey| lies::words(&domain, rng, prey))
    });
    report.check("a writer that lies in every field while others use the channel", || {
        let domain = place.domain("liar")?;
        lies::lay_out(&domain, &mut Rng::new(seed))?;
        let mut liar = spawn(|| lies::corrupt_forever(&domain, &mut Rng::new(seed)))?;
        let found = hunt(seed, share(20), all, |_, rng, prey| victim::use_channel(&domain, "c", rng, prey));
        liar.kill();
        found
    });
    report.check("other things in the place of files", || {
        let domain = place.domain("odd")?;
        hunt(seed, long, odd_files::CASES, |i, rng, prey| odd_files::case(&domain, i, rng, prey))
    });
    report.check("files of counters with anything in them", || {
        let domain = place.domain("counters")?;
        hunt(seed, share(10), all, |_, rng, prey| odd_files::counters(&domain, rng, prey))
    });
    report.check("invalid words of the bell are repaired", || bells::repaired(&place));
    report.check("a reader scribbles on the bell", || {
        bells::scribbler(&place, seed, if context.options.full { 200 } else { 10 })
    });
    report.check("a file with holes", || holes(&place));
    let full = context.options.full;
    report.check("data cut and grown in turn while others use it", || cut::data(&place, seed, share(15)));
    report.check("data truncated and grown repeatedly while commands read all channels", || {
        cut::commands(&place, seed, share(15))
    });
    report.check("leftovers cut short while makers sweep them", || {
        if full { cut::sweeping(&place, 6, 4000) } else { cut::sweeping(&place, 1, 1000) }
    });
    report.check("a reader cuts the bell all the time", || cut::bell(&place, share(10)));
    Ok(())
}

/// A reader does not fill holes that were punched into a file: they would use memory.
fn holes(place: &Place) -> Result<String, Failure> {
    let domain = place.domain("holes")?;
    let channel = domain.create("c", &Attributes::new().depth(64).max_message_size(1 << 16))?;
    channel.publisher()?.publish(b"so that the lane is in use")?;
    drop(channel);
    let path = domain.path().join("c/data");
    let file = std::fs::File::options().write(true).open(&path)?;
    let len = file.metadata()?.len();
    file.set_len(8192)?; // frees the lane
    file.set_len(len)?; // and extends it again, without memory
    let before = file.metadata()?.blocks();
    let opened = domain.open_channel("c").map(|channel| {
        let _ = channel.subscriber().map(|mut s| s.newest(&mut [0; 64]).is_ok());
    });
    let after = file.metadata()?.blocks();
    match after > before {
        true => {
            Err(format!("opening it for reading has taken {} KiB of memory", (after - before) / 2).into())
        }
        false => Ok(format!("opened: {}, no memory taken", opened.is_ok())),
    }
}
