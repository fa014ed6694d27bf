//! **Users**: what another user can and cannot do, and the worst that one can do to others.

use crate::child::{Child, spawn, until};
use crate::context::Context;
use crate::message;
use crate::place::Place;
use crate::report::{Failure, Skip};
use crate::rng::Rng;
use crate::shared::Words;
use crate::sleeper::{self, Bell, Kind, Sleeper};
use crate::user::{NOBODY, become_nobody};
use saltus_channel::{Attributes, Channel, Directory, Error, Group, Until, Which};
use std::fs::File;
use std::os::fd::AsRawFd;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release}; // Relaxed: counters; the others pair with their counterparts
use std::time::{Duration, Instant};

const LEN: usize = 100;
const PATIENCE: Duration = Duration::from_secs(20);
/// A wake-up interval is 100 ms; a busy machine may add to it, but never this much.
const FAR_TOO_LONG: Duration = Duration::from_secs(3);

pub fn run(context: &Context) -> Result<(), Failure> {
    let possible = spawn(become_nobody)?.wait().good().is_ok();
    let place = Place::new(context.root, "users")?;
    let domain = place.domain("domain")?;
    type Check = fn(&Directory, &Context) -> Result<String, Failure>;
    let checks: [(&str, Check); 7] = [
        ("mode 0644: subscribe, sleep and be woken; not publish, not lease, not remove", read_only),
        ("modes 0640 and 0600: nothing at all", locked_out),
        ("mode 0640 for its group: subscribe", by_group),
        ("mode 0666: publish", read_write),
        ("domains: a public one takes channels from everybody, a private one does not", domains),
        ("a peer that holds every lock it can get", all_locks),
        ("a peer that wakes waiting readers and moves them to its own futex", futex_tricks),
    ];
    for (name, check) in checks {
        context.report.check(name, || match possible {
            true => check(&domain, context),
            false => Err(Skip::because("this process may not become another user")),
        });
    }
    Ok(())
}

/// Starts a process that does `work` as nobody.
fn as_nobody(work: impl FnOnce() -> Result<(), Failure>) -> Result<Child, Failure> {
    Ok(spawn(|| {
        become_nobody()?;
        work()
    })?)
}

fn make(domain: &Directory, name: &str, mode: u32) -> Result<Channel, Failure> {
    Ok(domain.create(name, &Attributes::new().depth(64).max_message_size(LEN as u64).mode(mode))?)
}

/// Checks that the error reports a missing permission for `what`.
fn denied<T: std::fmt::Debug>(what: &str, result: Result<T, Error>) -> Result<(), Failure> {
    match result {
        Err(Error::Denied { .. } | Error::Forbidden { .. }) => Ok(()),
        other => Err(format!("{what} must be denied, but: {other:?}").into()),
    }
}

fn read_only(domain: &Directory, _: &Context) -> Result<String, Failure> {
    let channel = make(domain, "c644", 0o644)?;
    let mut publisher = channel.publisher()?;
    publisher.publish(&message::make(1, 1, LEN))?;
    let dir = sleeper::directory(&channel);
    let mut child = as_nobody(|| {
        let channel = domain.open_channel("c644")?;
        let mut subscriber = channel.subscriber()?;
        let mut bytes = [0; LEN];
        let info = subscriber.receive(Which::Newest, Until::Poll, &mut bytes)?.ok_or("nothing received")?;
        message::check(1, info.seq, &bytes)?;
        let info = channel.info()?;
        if !info.lanes[0].alive || info.subscribers.iter().all(|s| s.uid != NOBODY) {
            return Err(format!("what a reader can see is not all: {info:?}").into());
        }
        denied("publishing", channel.publisher().map(drop))?;
        denied("removing", domain.unlink("c644"))?;
        denied("replacing", domain.replace("c644", &Attributes::new()).map(drop))?;
        denied("changing the mode", domain.chmod("c644", 0o666))?;
        for (file, write) in [("lease", false), ("lease", true), ("data", true)] {
            if File::options().read(true).write(write).open(dir.join(file)).is_ok() {
                return Err(format!("{file} can be opened, for writing: {write}").into());
            }
        }
        Ok(())
    })?;
    child.finish(PATIENCE)?;
    // It waits without a wake-up interval: it can arm, and only a wake ends its wait.
    let mut sleepers = Vec::new();
    for _ in 0..3 {
        sleepers.push(Sleeper::start_as(&channel, Kind::Wake, become_nobody)?);
    }
    publisher.publish(&message::make(1, 2, LEN))?;
    for sleeper in sleepers {
        sleeper.woken()?;
    }
    domain.sweep()?;
    Ok("received, saw the counters, slept and was woken; all else was denied".into())
}

fn locked_out(domain: &Directory, _: &Context) -> Result<String, Failure> {
    for (name, mode) in [("c640", 0o640), ("c600", 0o600)] {
        make(domain, name, mode)?.publisher()?.publish(b"secret")?;
    }
    let mut child = as_nobody(|| {
        for name in ["c640", "c600"] {
            denied("opening", domain.open_channel(name).map(drop))?;
            denied("opening or creating", domain.open_or_create(name, &Attributes::new()).map(drop))?;
            denied("removing", domain.unlink(name))?;
        }
        Ok(())
    })?;
    child.finish(PATIENCE)?;
    // Handles opened before the mode changed keep working; later opens fail.
    domain.chmod("c600", 0o644)?;
    let mut child = as_nobody(|| {
        let mut subscriber = domain.open_channel("c600")?.subscriber()?;
        Ok(subscriber.newest(&mut [0; LEN])?.map(drop).ok_or("nothing received")?)
    })?;
    child.finish(PATIENCE)?;
    domain.chmod("c600", 0o600)?;
    let mut child = as_nobody(|| denied("opening", domain.open_channel("c600").map(drop)))?;
    child.finish(PATIENCE)?;
    Ok("denied; opened by chmod, and closed again".into())
}

fn by_group(domain: &Directory, _: &Context) -> Result<String, Failure> {
    let attributes = Attributes::new().max_message_size(LEN as u64).mode(0o640).group(Group::Id(NOBODY));
    let channel = domain.create("group", &attributes)?;
    let mut publisher = channel.publisher()?;
    let mut child = as_nobody(|| {
        let channel = domain.open_channel("group")?;
        denied("publishing", channel.publisher().map(drop))?;
        let mut subscriber = channel.subscriber()?;
        Ok(subscriber.wait_next(PATIENCE, &mut [0; LEN])?.map(drop).ok_or("not woken")?)
    })?;
    let sleeper = Sleeper::start_as(&channel, Kind::Wake, become_nobody)?;
    publisher.publish(b"to the group")?;
    sleeper.woken()?;
    child.finish(PATIENCE)?;
    Ok("received and was woken; publishing was denied".into())
}

fn read_write(domain: &Directory, _: &Context) -> Result<String, Failure> {
    let channel = make(domain, "c666", 0o666)?;
    let mut subscriber = channel.subscriber()?;
    let mut mine = channel.publisher()?;
    mine.publish(&message::make(1, 1, LEN))?;
    let mut child = as_nobody(|| {
        let mut publisher = domain.open_channel("c666")?.publisher()?;
        publisher.publish(&message::make(1, 1, LEN))?;
        match publisher.id().lane {
            1 => Ok(()),
            lane => Err(format!("its lane is {lane}").into()),
        }
    })?;
    child.finish(PATIENCE)?;
    let mut bytes = [0; LEN];
    for _ in 0..2 {
        let info = subscriber.next(&mut bytes)?.ok_or("a message is missing")?;
        message::check(1, info.seq, &bytes)?;
    }
    let uid = channel.info()?.lanes[1].uid;
    // We can take over its lane, and it ours.
    let heir = channel.publisher()?.id().lane;
    match (uid, heir) {
        (NOBODY, 1) => Ok("published in a separate lane, which another user took over".into()),
        other => Err(format!("owner and heir of its lane: {other:?}").into()),
    }
}

fn domains(domain: &Directory, _: &Context) -> Result<String, Failure> {
    let private = Directory::open(&format!("shm://{}", domain.path().with_extension("private").display()))?;
    std::fs::create_dir(private.path())?; // as an administrator would: writable for its owner
    let mut child = as_nobody(|| {
        denied("creating in a private domain", private.create("x", &Attributes::new()).map(drop))?;
        let own = domain.create("own", &Attributes::new())?;
        own.publisher()?.publish(b"mine")?;
        domain.unlink("own")?;
        domain.create("own", &Attributes::new())?;
        Ok(())
    })?;
    child.finish(PATIENCE)?;
    if !crate::place::names(private.path()).is_empty() {
        return Err("something was left in the private domain".into());
    }
    domain.unlink("own")?;
    Ok("created and removed its own in the public domain; denied in the private one".into())
}

/// Locks all of `file` for reading, as an open file description or as a process, or by `flock`.
fn lock_all(file: &File, how: usize) -> bool {
    // SAFETY: all zeros is a valid record: the whole file.
    let mut lock: libc::flock = unsafe { std::mem::zeroed() };
    lock.l_type = [libc::F_RDLCK, libc::F_WRLCK, libc::F_RDLCK, libc::F_WRLCK][how % 4] as libc::c_short;
    let command = if how < 2 { libc::F_OFD_SETLK } else { libc::F_SETLK };
    // SAFETY: the descriptor is open, the record stays alive across the call.
    unsafe {
        match how {
            4 => libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) == 0,
            _ => libc::fcntl(file.as_raw_fd(), command, &lock) == 0,
        }
    }
}

fn all_locks(domain: &Directory, _: &Context) -> Result<String, Failure> {
    let channel = make(domain, "locks", 0o644)?;
    let _other = channel.subscriber()?;
    let dir = sleeper::directory(&channel);
    let held = Words::new(1)?;
    let mut peer = as_nobody(|| {
        let mut files = Vec::new();
        for path in [dir.clone(), dir.join("data"), dir.join("bell"), dir.join("lease"), dir.join("subs")] {
            for write in [false, true] {
                for how in 0..5 {
                    if let Ok(file) = File::options().read(true).write(write).open(&path)
                        && lock_all(&file, how)
                    {
                        files.push(file);
                    }
                }
            }
        }
        held[0].store(files.len() as u64, Release);
        std::thread::sleep(PATIENCE);
        Ok(())
    })?;
    if !until(PATIENCE, || held[0].load(Acquire) > 0) {
        return Err("the peer got no lock at all".into());
    }
    let mut publishers = Vec::new();
    for lane in 0..3 {
        let mut publisher = channel.publisher()?;
        if publisher.id().lane != lane {
            return Err(format!("publisher {lane} got {:?}", publisher.id()).into());
        }
        publisher.publish(b"on we go")?;
        publishers.push(publisher);
    }
    publishers.remove(1);
    if channel.publisher()?.id().lane != 1 {
        return Err("a free lane was not leased again".into());
    }
    let sleeper = Sleeper::start(&channel, Kind::Wake)?;
    publishers[0].publish(b"wake up")?;
    sleeper.woken()?;
    domain.chmod("locks", 0o640)?;
    domain.sweep()?;
    peer.kill();
    Ok(format!(
        "{} locks were held; publishers, take-over, waiting readers, chmod and sweep continued",
        held[0].load(Acquire)
    ))
}

fn futex_tricks(domain: &Directory, context: &Context) -> Result<String, Failure> {
    let channel = make(domain, "futex", 0o644)?;
    let mut publisher = channel.publisher()?;
    let words = Words::new(2)?;
    let dir = sleeper::directory(&channel);
    let (rounds, seed) = (if context.options.full { 100 } else { 8 }, context.seed());
    let mut peer = as_nobody(|| {
        let bell = Bell::open(&dir)?;
        let trap = Words::new(1)?; // a separate futex, which is never woken
        let mut rng = Rng::new(seed);
        loop {
            let moved = if rng.below(8) == 0 {
                // SAFETY: the word is mapped; the kernel only wakes its waiters.
                unsafe { libc::syscall(libc::SYS_futex, bell.futex(), libc::FUTEX_WAKE, 1) };
                0
            } else {
                let (requeue, all) = (libc::FUTEX_REQUEUE, i32::MAX as usize);
                // SAFETY: both words are mapped; the kernel only moves waiters from one to the other.
                unsafe { libc::syscall(libc::SYS_futex, bell.futex(), requeue, 0, all, trap.as_ptr()) }
            };
            words[0].fetch_add(1, Relaxed);
            words[1].fetch_add(moved.max(0) as u64, Relaxed);
            std::thread::sleep(Duration::from_micros(50));
        }
    })?;
    if !until(PATIENCE, || words[0].load(Relaxed) > 10) {
        return Err("the peer cannot play its tricks".into());
    }
    let mut worst = Duration::ZERO;
    for _ in 0..rounds {
        let sleepers = sleeper::start(4, &channel, Kind::Slice)?;
        std::thread::sleep(Duration::from_millis(2)); // so that they are moved away
        let start = Instant::now();
        publisher.publish(b"wake up")?;
        let published = start.elapsed();
        for sleeper in sleepers {
            sleeper.woken()?;
        }
        worst = worst.max(start.elapsed());
        if start.elapsed() > FAR_TOO_LONG || published > FAR_TOO_LONG {
            return Err(format!("waiting readers woke after {:?}", start.elapsed()).into());
        }
    }
    peer.kill();
    let sleeper = Sleeper::start(&channel, Kind::Wake)?;
    publisher.publish(b"and afterwards")?;
    sleeper.woken()?;
    Ok(format!(
        "{} tricks, {} waiting readers moved away; all woke by themselves, the last after {} ms",
        words[0].load(Relaxed),
        words[1].load(Relaxed),
        worst.as_millis()
    ))
}
