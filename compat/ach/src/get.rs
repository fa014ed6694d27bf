//! Receiving, skipping and canceling.

use crate::abi::{AchCancelAttr, AchChannel};
use crate::border::{Result, call};
use crate::errors::{keep_errno, status};
use crate::handle::{Open, Opened, Reader, cancel_word, position, set_position};
use crate::slot::Entered;
use crate::status::*;
use crate::time::Limit;
use libc::timespec;
use saltus_channel::{
    Channel, Error, MessageInfo, Retired, Start, Subscriber, SubscriberOptions, Until, Which,
};
use saltus_os::process;
use std::ffi::{c_int, c_void};
use std::sync::atomic::Ordering::*;
use std::sync::atomic::fence;

/// How often a second thread that waits with the same handle looks whether the first is gone, in ns.
pub(crate) const TURN: u64 = 1_000_000;
/// How often a message is tried that publishers overwrite at every try, before a get without waiting gives up.
const ROUNDS: u32 = 100;

/// A subscriber whose first message is the oldest one kept, and that counts all messages ever published.
pub(crate) fn subscribe(channel: &Channel) -> Result<Subscriber> {
    channel.subscriber_with(SubscriberOptions::new().start(Start::Beginning)).map_err(|e| status(&e))
}

/// A call that reads: the structure, its handle, and the reader, which belongs to this call.
pub(crate) struct Call {
    chan: *mut AchChannel,
    open: Open,
    opened: &'static Opened,
    reader: Entered<'static, Reader>,
}

impl Call {
    /// Takes the reader. While another thread has it, waits if there is a limit, else returns `ACH_EAGAIN`.
    pub unsafe fn new(chan: *mut AchChannel, limit: impl Fn(c_int) -> Result<Option<Limit>>) -> Result<Call> {
        // SAFETY: as the caller has it.
        let open = unsafe { Open::of(chan)? };
        let mut until = None;
        let (reader, opened) = loop {
            if let Some(found) = open.enter(&open.handle.reader)? {
                break found;
            }
            // SAFETY: `of` has read the structure.
            if unsafe { cancel_word(chan) }.load(SeqCst) != 0 {
                return Err(ACH_CANCELED);
            }
            let until = match until {
                Some(until) => until,
                // SAFETY: as above.
                None => *until.insert(limit(unsafe { (*chan).fields.clock })?.ok_or(ACH_EAGAIN)?),
            };
            if until.is_over() {
                return Err(ACH_TIMEOUT);
            }
            process::sleep_for(TURN);
        };
        let mut call = Call { chan, open, opened, reader };
        if call.reader.is_none() {
            call.begin_again()?;
        }
        Ok(call)
    }

    pub fn reader(&mut self) -> Result<&mut Reader> {
        self.reader.as_mut().ok_or(ACH_BUG)
    }

    /// In a child that was forked while another thread of its parent had the reader: makes a new one, in the same position.
    #[cold]
    fn begin_again(&mut self) -> Result<()> {
        let base = self.open.handle.base.load(Relaxed); // Relaxed: as in `follow`
        let opened = self.opened;
        let mut subscriber = match base {
            0 => subscribe(&opened.channel)?,
            _ => subscribe(&opened.directory.open_channel(&opened.name).map_err(|e| status(&e))?)?,
        };
        subscriber.set_cancel_handle(self.open.cancel());
        // SAFETY: `new` has read the structure.
        let seen = unsafe { position(self.chan) }.saturating_sub(base);
        subscriber.limit(subscriber.unseen_count().saturating_sub(seen));
        let known = subscriber.missed();
        *self.reader = Some(Reader { subscriber, known, fd: None });
        Ok(())
    }

    /// Whether the program canceled. If it ended the cancellation, waits may wait again.
    #[inline(always)]
    pub fn check_cancel(&self) -> Result<()> {
        // SAFETY: `new` has read the structure.
        let word = unsafe { cancel_word(self.chan) };
        // `ach_cancel` writes the word, fences, then cancels. This resets the cancellation, fences, then looks at the word again. If the
        // reset undoes that cancellation, its fence comes after the other, and the second look finds the word. Else the cancellation is
        // left, and ends the wait.
        if word.load(SeqCst) == 0 {
            if !self.open.cancel().is_canceled() {
                return Ok(());
            }
            self.open.cancel().reset();
            fence(SeqCst);
            if word.load(SeqCst) == 0 {
                return Ok(());
            }
        }
        Err(ACH_CANCELED)
    }

    /// The channel was replaced, or removed and created again: continues with the one that has its name now, from its first message.
    #[cold]
    fn follow(&mut self) -> Result<()> {
        let channel = self.opened.directory.open_channel(&self.opened.name).map_err(|e| status(&e))?;
        let mut subscriber = subscribe(&channel)?;
        subscriber.set_cancel_handle(self.open.cancel());
        let handle = self.open.handle;
        let reader = self.reader()?;
        // Wrapping, here and in `received`: a hostile publisher may claim any count.
        let counted = reader.subscriber.received().wrapping_add(reader.subscriber.missed());
        handle.base.fetch_add(counted, Relaxed); // Relaxed: only the call that has the reader uses it
        reader.subscriber = subscriber;
        reader.known = 0;
        if reader.fd.is_some() {
            descriptor(reader)?;
        }
        Ok(())
    }

    /// The status of a message that was received.
    #[inline(always)]
    fn received(&mut self) -> Result {
        let base = self.open.handle.base.load(Relaxed); // Relaxed: as in `follow`
        let reader = self.reader()?;
        let (received, missed) = (reader.subscriber.received(), reader.subscriber.missed());
        let status = if missed > reader.known { ACH_MISSED_FRAME } else { ACH_OK };
        reader.known = missed;
        // SAFETY: `new` has read the structure.
        unsafe { set_position(self.chan, base.wrapping_add(received).wrapping_add(missed)) };
        Ok(status)
    }
}

/// The newest message again. `None`: there is none, or it is not received yet, which is for `receive`.
fn copy(subscriber: &mut Subscriber, out: &mut [u8]) -> std::result::Result<Option<MessageInfo>, Error> {
    let have = out.len();
    let Some(view) = subscriber.view(Which::Current, Until::Poll)? else { return Ok(None) };
    if view.is_unseen() {
        return Ok(None);
    }
    let len = view.len();
    if len <= have {
        view.copy_to(0, &mut out[..len]);
    }
    match view.validate()? {
        info if info.len > have => Err(Error::TooSmall { needed: info.len, have }),
        info => Ok(Some(info)),
    }
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_get(
    chan: *mut AchChannel,
    buf: *mut c_void,
    size: usize,
    frame_size: *mut usize,
    timeout: *const timespec,
    options: c_int,
) -> AchStatus {
    call(|| {
        let which = if options & ACH_O_LAST != 0 { Which::Newest } else { Which::Next };
        let (waits, copies) = (options & ACH_O_WAIT != 0, options & ACH_O_COPY != 0);
        let limit = |clock| {
            // SAFETY: the header demands NULL or a time.
            if waits { unsafe { Limit::new(timeout, options, clock) }.map(Some) } else { Ok(None) }
        };
        // Without a place for the length or the bytes nothing is received: no message fits.
        let nowhere = buf.is_null() || frame_size.is_null();
        let size = size.min(isize::MAX as usize);
        let (at, room) =
            if nowhere { (std::ptr::NonNull::dangling().as_ptr(), 0) } else { (buf.cast(), size) };
        // SAFETY: the header demands `size` bytes at `buf`, which no other call uses. Bytes are only written.
        let out: &mut [u8] = unsafe { std::slice::from_raw_parts_mut(at, room) };
        // SAFETY: the header demands a structure.
        let mut call = unsafe { Call::new(chan, limit)? };
        let (mut until, mut wait, mut rounds) = (Until::Poll, None, 0);
        loop {
            call.check_cancel()?;
            let subscriber = &mut call.reader()?.subscriber;
            let mut found = subscriber.receive(which, until, out);
            if copies
                && !waits
                && matches!(found, Ok(None) | Err(Error::Retired { how: Retired::Vanished, .. }))
            {
                found = copy(subscriber, out);
                // A message arrived in between.
                if matches!(found, Ok(None)) && subscriber.has_unseen() && rounds < ROUNDS {
                    rounds += 1;
                    continue;
                }
            }
            match found {
                Ok(Some(info)) => {
                    let done = call.received();
                    // SAFETY: a message was received, so it is not NULL, or the message is empty and there may be no place.
                    if let Some(frame_size) = unsafe { frame_size.as_mut() } {
                        *frame_size = info.len;
                    }
                    return done;
                }
                Err(Error::TooSmall { needed, .. }) => {
                    // SAFETY: NULL or a place for a number, as the header demands.
                    if let Some(frame_size) = unsafe { frame_size.as_mut() } {
                        *frame_size = needed;
                    }
                    return Err(if nowhere && size >= needed || frame_size.is_null() {
                        ACH_EINVAL
                    } else {
                        ACH_OVERFLOW
                    });
                }
                // A message exists, and is overwritten before it is read.
                Err(Error::Overrun { .. }) if waits || rounds < ROUNDS => rounds += 1,
                Err(Error::Overrun { .. }) => return Err(ACH_EAGAIN),
                // Another thread has closed the handle.
                Err(Error::Canceled) if !call.open.is_current() => return Err(ACH_EINVAL),
                // Nothing yet, a cancellation that the program has ended, or a channel whose name is gone and whose users continue.
                Ok(None) | Err(Error::Canceled | Error::Retired { how: Retired::Vanished, .. }) => {
                    if !waits {
                        return Err(ACH_STALE_FRAMES);
                    }
                }
                Err(Error::Retired { how, .. }) => {
                    // `ach_unlink` takes the name away before the files, and whoever looks for the name in between finds it gone.
                    let is_between = how == Retired::Removed && !call.reader()?.subscriber.has_ended();
                    match (is_between, waits) {
                        (true, true) => process::sleep_for(TURN),
                        (true, false) => return Err(ACH_STALE_FRAMES),
                        (false, _) => {
                            call.follow()?;
                            continue;
                        }
                    }
                }
                Err(e) => return Err(status(&e)),
            }
            if waits {
                let limit = match wait {
                    Some(limit) => limit,
                    None => *wait.insert(limit(call.opened.clock)?.ok_or(ACH_BUG)?),
                };
                if until != Until::Poll && limit.is_over() {
                    return Err(ACH_TIMEOUT);
                }
                until = limit.until();
            }
        }
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_flush(chan: *mut AchChannel) -> AchStatus {
    call(|| {
        // SAFETY: the header demands a structure.
        let mut call = unsafe { Call::new(chan, |_| Ok(None))? };
        call.check_cancel()?;
        let reader = call.reader()?;
        reader.subscriber.flush();
        reader.known = reader.subscriber.missed();
        call.received()
    })
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_cancel(chan: *mut AchChannel, _attr: *const AchCancelAttr) -> AchStatus {
    // No `call`: a signal handler must not unwind, and nothing here panics.
    // SAFETY: the header demands a structure.
    let open = match unsafe { Open::of(chan) } {
        Ok(open) => open,
        Err(status) => return status,
    };
    // SAFETY: `of` has read the structure.
    unsafe { cancel_word(chan) }.store(1, SeqCst);
    fence(SeqCst); // pairs with the one in `Call::check_cancel`
    keep_errno(|| open.cancel().cancel());
    ACH_OK
}

/// See `ach.h`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn ach_channel_fd(chan: *const AchChannel, file_descriptor: *mut c_int) -> AchStatus {
    call(|| {
        // SAFETY: the header demands NULL or a place for a number.
        let out = unsafe { file_descriptor.as_mut() }.ok_or(ACH_EINVAL)?;
        *out = -1;
        // SAFETY: the header demands a structure; it is not written.
        let mut call = unsafe { Call::new(chan.cast_mut(), |_| Ok(None))? };
        *out = descriptor(call.reader()?)?;
        Ok(ACH_OK)
    })
}

/// A descriptor that becomes readable with the subscriber's. It keeps its number when the reader follows its channel.
fn descriptor(reader: &mut Reader) -> Result<c_int> {
    use std::os::fd::AsRawFd;
    let system =
        |e: std::io::Error| status(&Error::System { what: "duplicate a descriptor".into(), source: e });
    let event = reader.subscriber.event_fd().map_err(|e| status(&e))?;
    match &reader.fd {
        // SAFETY: both descriptors are open, and `fd` is ours.
        Some(fd) => match unsafe { libc::dup3(event.as_raw_fd(), fd.as_raw_fd(), libc::O_CLOEXEC) } {
            -1 => Err(system(std::io::Error::last_os_error())),
            number => Ok(number),
        },
        None => {
            let fd = event.try_clone_to_owned().map_err(system)?;
            Ok(reader.fd.insert(fd).as_raw_fd())
        }
    }
}
