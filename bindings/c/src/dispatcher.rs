//! Callbacks: a function for each subscription, called in the thread that runs the dispatcher.

use crate::border::{Fail, Result, call, write_unless_null};
use crate::clock::until;
use crate::code::{SALTUS_NOTHING, SALTUS_OK, SaltusError};
use crate::domain::SaltusDomain;
use crate::domain_message::SaltusDomainOptions;
use crate::domain_subscriber::subscribe;
use crate::handle::{close, kind, locked, open};
use crate::wait::{self, Cancelable};
use saltus_domain::{Control, Dispatcher, Error, Expected, Id, Message, RawMessage};
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::mpsc::{Receiver, Sender, channel};

/// Returned by a callback: continue.
pub const SALTUS_GO_ON: c_int = 0;
/// Returned by a callback: let saltus_dispatcher_run() or saltus_dispatcher_handle() return. May be added to SALTUS_UNSUBSCRIBE.
pub const SALTUS_STOP: c_int = 1;
/// Returned by a callback: end its subscription. May be added to SALTUS_STOP.
pub const SALTUS_UNSUBSCRIBE: c_int = 2;

/// A function that receives a message, which is valid during the call; it returns SALTUS_GO_ON, SALTUS_STOP, SALTUS_UNSUBSCRIBE or the
/// sum of the last two. It may call every function, but with the dispatcher that calls it only saltus_dispatcher_cancel(). It must
/// return: no longjmp, no C++ exception.
pub type SaltusCallback =
    Option<unsafe extern "C" fn(message: *const RawMessage, context: *mut c_void) -> c_int>;

/// A dispatcher: it calls back for messages of many subscriptions, of one or several domains, in one thread. One call at a time may use
/// it: a second call at the same time is refused, except to cancel.
#[repr(C)]
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SaltusDispatcher {
    /// A number; 0 if the handle is not open.
    pub id: u64,
}
kind!(SaltusDispatcher, 7, "the dispatcher", Cancelable<Dispatching>);

/// A dispatcher, and the numbers of its subscriptions.
pub(crate) struct Dispatching {
    dispatcher: Dispatcher<'static>,
    ids: HashMap<u64, Id>,
    next: u64,
    /// Errors of messages of an unexpected type, which are detected inside callbacks.
    refused: (Sender<Error>, Receiver<Error>),
}

/// A C function, with its argument.
struct Callback {
    function: unsafe extern "C" fn(*const RawMessage, *mut c_void) -> c_int,
    context: *mut c_void,
    expected: Option<Expected>,
    refused: Sender<Error>,
}

// SAFETY: the pointer is only passed back to the program; the header documents in which thread.
unsafe impl Send for Callback {}

impl Callback {
    fn call(&mut self, message: Message<'_>, control: &mut Control) {
        match self.expected.as_mut().map_or(Ok(true), |expected| expected.check(message)) {
            Ok(true) => {}
            Ok(false) => return,
            Err(error) => {
                let _ = self.refused.send(error); // the dispatcher has the other end
                return control.stop();
            }
        }
        let message = RawMessage::from(&message);
        // SAFETY: the header demands a function of this kind; the message lives across the call.
        let asked = unsafe { (self.function)(&message, self.context) };
        if asked & SALTUS_UNSUBSCRIBE != 0 {
            control.unsubscribe(control.id());
        }
        if asked & SALTUS_STOP != 0 {
            control.stop();
        }
    }
}

/// saltus_dispatcher_open opens a dispatcher without subscriptions. You close `*dispatcher` with saltus_dispatcher_close(); its id is 0
/// if the call fails.
///
/// Blocks: never. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_SYSTEM, SALTUS_INVALID (NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_open(dispatcher: *mut SaltusDispatcher) -> SaltusError {
    let make = || {
        let dispatcher = Dispatcher::new()?;
        let cancel = dispatcher.cancel_handle();
        let own = Dispatching { dispatcher, ids: HashMap::new(), next: 1, refused: channel() };
        Ok(Some(Cancelable::new(own, Some(cancel))))
    };
    // SAFETY: the header demands a place for a handle.
    unsafe { open(dispatcher, make) }
}

/// saltus_dispatcher_close closes a dispatcher and ends its subscriptions; its callbacks are not called again. Called inside one of its
/// callbacks, it takes effect when saltus_dispatcher_run() or saltus_dispatcher_handle() returns.
///
/// Blocks: until its own threads end. Allocates: no. Kernel: yes.
/// Fails: SALTUS_INVALID (closed already).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_close(dispatcher: SaltusDispatcher) -> SaltusError {
    close(dispatcher)
}

/// saltus_dispatcher_subscribe calls `callback` for each later message of `channels`, which `options` describe as for
/// saltus_domain_subscriber_open(). It passes `context` on. `*id`, unless `id` is NULL, gets a number for
/// saltus_dispatcher_unsubscribe().
///
/// Blocks: in the file system, or while it joins a network. Allocates: yes. Kernel: yes.
/// Fails: as saltus_domain_subscriber_open().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_subscribe(
    dispatcher: SaltusDispatcher,
    domain: SaltusDomain,
    channels: *const c_char,
    options: *const SaltusDomainOptions,
    callback: SaltusCallback,
    context: *mut c_void,
    id: *mut u64,
) -> SaltusError {
    call(|| {
        let function = callback.ok_or(Fail::Misuse("the callback is NULL"))?;
        let mut own = locked(dispatcher)?;
        // SAFETY: the header demands a string and options with their size, or NULL.
        let (subscriber, expected) = unsafe { subscribe(domain, channels, options)? };
        let mut callback = Callback { function, context, expected, refused: own.refused.0.clone() };
        let made = own.dispatcher.on(subscriber, move |message, control| callback.call(message, control))?;
        let number = own.next;
        own.next += 1;
        own.ids.insert(number, made);
        // SAFETY: the header demands room for it, or NULL.
        unsafe { write_unless_null(id, number) };
        Ok(SALTUS_OK)
    })
}

/// saltus_dispatcher_unsubscribe ends a subscription: its callback is not called again. A callback returns SALTUS_UNSUBSCRIBE instead.
///
/// Blocks: until its own threads end. Allocates: no. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND (no such subscription, or it has ended), SALTUS_INVALID (closed, or called in a callback).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_unsubscribe(dispatcher: SaltusDispatcher, id: u64) -> SaltusError {
    call(|| {
        let mut own = locked(dispatcher)?;
        let found = own.ids.remove(&id);
        if !found.is_some_and(|id| own.dispatcher.unsubscribe(id)) {
            return Err(Fail::NotFound("the dispatcher has no subscription of that number"));
        }
        Ok(SALTUS_OK)
    })
}

/// saltus_dispatcher_handle waits until there are messages, and calls back for at most one of each subscription. `*handled`, unless it is
/// NULL, gets the number of messages.
///
/// Blocks: until there is a message, at most until `until` (see "Time"), and as long as callbacks do. Allocates: for a message longer
/// than all before it. Kernel: yes.
/// Returns SALTUS_NOTHING if no message arrives in time, the wait is canceled, or there is no subscription.
/// Fails: with the first error of the subscriptions, after all had their turn: see saltus_domain_receive(); call again to continue. The
/// next calls return the other errors of that turn, one each, before they call back. A SALTUS_STOP is reported before errors.
/// SALTUS_WRONG_TYPE is returned immediately, like SALTUS_STOP: the other subscriptions have their turn in the next call. `*handled` is 0 on
/// failure, even if callbacks were called.
/// SALTUS_INVALID (closed, or called in a callback).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_handle(
    dispatcher: SaltusDispatcher,
    until: u64,
    handled: *mut usize,
) -> SaltusError {
    call(|| {
        // SAFETY: the header demands room for it, or NULL.
        unsafe { write_unless_null(handled, 0) };
        let mut own = locked(dispatcher)?;
        let done = own.dispatcher.handle(self::until(until));
        own.refused()?;
        let done = done?;
        // SAFETY: as above.
        unsafe { write_unless_null(handled, done) };
        Ok(if done == 0 { SALTUS_NOTHING } else { SALTUS_OK })
    })
}

/// saltus_dispatcher_run handles messages until a callback returns SALTUS_STOP, saltus_dispatcher_cancel() is called, or no subscription
/// is left.
///
/// Blocks: until then. Allocates: for a message longer than all before it. Kernel: yes.
/// Fails: as saltus_dispatcher_handle().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_run(dispatcher: SaltusDispatcher) -> SaltusError {
    call(|| {
        let mut own = locked(dispatcher)?;
        let done = own.dispatcher.run();
        own.refused()?;
        done?;
        Ok(SALTUS_OK)
    })
}

/// saltus_dispatcher_fd returns a descriptor for an event loop, which is readable when saltus_dispatcher_handle() may have something to
/// do. Do not read it. After a failure or a SALTUS_STOP, call that until it returns SALTUS_NOTHING: errors that wait to be returned do
/// not raise the descriptor.
///
/// Ownership: the dispatcher keeps the descriptor and closes it.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, closed, or called in a callback). `*fd` is then -1.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_fd(dispatcher: SaltusDispatcher, fd: *mut c_int) -> SaltusError {
    // SAFETY: as the header demands.
    unsafe { wait::descriptor(fd, || Ok(locked(dispatcher)?.dispatcher.as_fd().as_raw_fd())) }
}

/// saltus_dispatcher_cancel lets saltus_dispatcher_run() and saltus_dispatcher_handle() return, now and until
/// saltus_dispatcher_cancel_reset().
///
/// From any thread, from callbacks and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (closed); saltus_last_error() does not report it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_cancel(dispatcher: SaltusDispatcher) -> SaltusError {
    wait::cancel(dispatcher)
}

/// saltus_dispatcher_cancel_reset lets the dispatcher wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: at most one system call.
/// Fails: SALTUS_INVALID (closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_cancel_reset(dispatcher: SaltusDispatcher) -> SaltusError {
    wait::reset(dispatcher)
}

impl Dispatching {
    /// Returns the error of a message of another type that a callback received.
    fn refused(&mut self) -> Result<()> {
        self.refused.1.try_recv().map_or(Ok(()), |error| Err(error.into()))
    }
}
