//! A small tmpfs that becomes full.

use super::works::still_works;
use crate::namespace::mount_tmpfs;
use crate::place::names;
use crate::report::Failure;
use crate::sleeper::{Kind, Sleeper};
use saltus_channel::{Attributes, Channel, Directory, Error, Publisher};
use std::fs::File;
use std::io::Write;
use std::path::Path;

/// A tmpfs of one megabyte, and a domain in it.
fn small(path: &Path, options: &str) -> Result<Directory, Failure> {
    mount_tmpfs(path, options)?;
    Ok(Directory::open(&format!("shm://{}/domain", path.display()))?)
}

/// Checks that the error says that memory is exhausted, and for what.
fn is_no_space<T: std::fmt::Debug>(result: Result<T, Error>) -> Result<(), Failure> {
    match result {
        Err(e @ Error::NoSpace { .. }) if e.to_string().contains("channel `") => Ok(()),
        other => Err(format!("not refused for lack of memory, but: {other:?}").into()),
    }
}

/// Checks that the domain contains only whole channels.
fn is_clean(domain: &Directory, channels: usize) -> Result<(), Failure> {
    let found = names(domain.path());
    match found.len() == channels && found.iter().all(|name| !name.starts_with('.')) {
        true => Ok(()),
        false => Err(format!("{channels} channels were made, there is: {found:?}").into()),
    }
}

fn attributes(bytes: u64) -> Attributes {
    Attributes::new().depth(4).max_message_size(bytes)
}

/// Uses up all space, down to single bytes, and returns the file that does.
fn fill(path: &Path) -> Result<File, Failure> {
    let mut file = File::create(path.join("filler"))?;
    for piece in [65536, 4096, 1] {
        while file.write_all(&vec![1; piece]).is_ok() {}
    }
    Ok(file)
}

pub fn too_large(path: &Path) -> Result<(), Failure> {
    let domain = small(path, "size=1m")?;
    is_no_space(domain.create("huge", &attributes(1 << 20)))?;
    is_no_space(domain.open_or_create("huge", &attributes(1 << 30)))?;
    is_clean(&domain, 0)
}

pub fn many_channels(path: &Path) -> Result<(), Failure> {
    let domain = small(path, "size=1m")?;
    let mut made: Vec<(Channel, Publisher)> = Vec::new();
    let refusal = loop {
        match domain.create(format!("c{}", made.len()), &attributes(10_000)) {
            Ok(channel) => {
                let publisher = channel.publisher()?;
                made.push((channel, publisher));
            }
            refused => break refused,
        }
    };
    is_no_space(refusal)?;
    is_clean(&domain, made.len())?;
    if made.len() < 8 {
        return Err(format!("only {} channels fit", made.len()).into());
    }
    for (channel, publisher) in &mut made {
        still_works(channel, publisher)?;
    }
    is_no_space(domain.replace("c0", &attributes(100_000)))?;
    is_clean(&domain, made.len())?;
    still_works(&domain.open_channel("c0")?, &mut made[0].1)
}

pub fn many_publishers(path: &Path) -> Result<(), Failure> {
    let domain = small(path, "size=1m")?;
    let channel = domain.create("c", &attributes(20_000))?;
    let mut publishers: Vec<Publisher> = Vec::new();
    let refusal = loop {
        match channel.publisher() {
            Ok(publisher) => publishers.push(publisher),
            refused => break refused,
        }
    };
    is_no_space(refusal)?;
    if publishers.len() < 4 {
        return Err(format!("only {} publishers fit", publishers.len()).into());
    }
    for publisher in &mut publishers {
        still_works(&channel, publisher)?;
    }
    // A lane that is there can be had again however full it is.
    let lane = publishers.swap_remove(1).id().lane;
    match channel.publisher()?.id().lane == lane {
        true => Ok(()),
        false => Err("a free lane was not used again".into()),
    }
}

pub fn full(path: &Path) -> Result<(), Failure> {
    let domain = small(path, "size=1m")?;
    let channel = domain.create("c", &attributes(1000))?;
    let other = domain.create("other", &attributes(10_000))?;
    let mut publisher = channel.publisher()?;
    publisher.publish(b"before")?;
    let before = channel.subscriber()?; // with a file of counters
    let filler = fill(path)?;
    still_works(&channel, &mut publisher)?;
    drop(before);
    fill_again(&filler)?;
    // Its subscribers have no file of counters now, and work without.
    still_works(&channel, &mut publisher)?;
    still_works(&domain.open_channel("c")?, &mut publisher)?;
    let sleeper = Sleeper::start(&channel, Kind::Wake)?;
    publisher.publish(b"wake up")?;
    sleeper.woken()?;
    drop(publisher);
    publisher = channel.publisher()?;
    still_works(&channel, &mut publisher)?;
    is_no_space(channel.publisher())?;
    is_no_space(domain.create("third", &attributes(1000)))?;
    is_no_space(domain.replace("c", &attributes(1000)))?;
    domain.sweep()?;
    channel.info()?;
    is_clean(&domain, 2)?;
    drop(other);
    domain.unlink("other")?;
    let mut third = domain.create("third", &attributes(1000))?.publisher()?;
    still_works(&domain.open_channel("third")?, &mut third)?;
    is_clean(&domain, 2)
}

/// Uses up space that has become free.
fn fill_again(mut file: &File) -> Result<(), Failure> {
    while file.write_all(&[1; 512]).is_ok() {}
    Ok(())
}

pub fn no_inodes(path: &Path) -> Result<(), Failure> {
    // The root, the domain, and one channel with its four files; then three more, so that a second channel must
    // fail half-way.
    let domain = small(path, "size=4m,nr_inodes=10")?;
    let channel = domain.create("c", &attributes(1000))?;
    let mut publisher = channel.publisher()?;
    let refused = domain.create("second", &attributes(1000));
    is_no_space(refused)?;
    is_clean(&domain, 1)?;
    still_works(&channel, &mut publisher)
}
