//! Callbacks: a function for each subscription, called in the thread that asks for it.

use crate::border::{Fail, Result, call, hand_out, put, take_back};
use crate::code::{SALTUS_INVALID, SALTUS_NOTHING, SALTUS_OK};
use crate::domain::SaltusDomain;
use crate::domain_message::SaltusDomainOptions;
use crate::domain_subscriber::subscribe;
use crate::handle::{Guarded, Kind, Locked, locked, used};
use crate::wait::{quietly, until};
use saltus_domain::{CancelHandle, Control, Dispatcher, Error, Expected, Id, Message, RawMessage};
use std::cell::UnsafeCell;
use std::collections::HashMap;
use std::ffi::{c_char, c_int, c_void};
use std::os::fd::{AsFd, AsRawFd};
use std::sync::mpsc::{Receiver, Sender, channel};

/// What a callback returns to be called again.
pub const SALTUS_GO_ON: c_int = 0;
/// What a callback returns to let saltus_dispatcher_run() or saltus_dispatcher_handle() return. May be added to SALTUS_UNSUBSCRIBE.
pub const SALTUS_STOP: c_int = 1;
/// What a callback returns to end its subscription. May be added to SALTUS_STOP.
pub const SALTUS_UNSUBSCRIBE: c_int = 2;

/// Is called with a message, which is valid during the call; returns SALTUS_GO_ON, SALTUS_STOP, SALTUS_UNSUBSCRIBE or the sum of
/// the last two. It may call everything but the dispatcher that calls it; of that, saltus_dispatcher_cancel(). It must return: no
/// longjmp, no C++ exception.
pub type SaltusCallback =
    Option<unsafe extern "C" fn(message: *const RawMessage, context: *mut c_void) -> c_int>;

/// Calls back for messages of many subscriptions, of one domain or several, in one thread. One call at a time may use it, but for
/// saltus_dispatcher_cancel(): a second one is refused.
pub struct SaltusDispatcher {
    own: UnsafeCell<Dispatching>,
    cancel: CancelHandle,
}

/// What calls share one after the other.
pub(crate) struct Dispatching {
    dispatcher: Dispatcher<'static>,
    ids: HashMap<u64, Id>,
    next: u64,
    /// Of messages that are of another type than expected: they are found inside of callbacks.
    refused: (Sender<Error>, Receiver<Error>),
}

impl Kind for SaltusDispatcher {
    const KIND: usize = 7;
}
impl Guarded for SaltusDispatcher {
    type Own = Dispatching;
    fn own(&self) -> &UnsafeCell<Dispatching> {
        &self.own
    }
}

/// A function of C, with what it wants to be given.
struct Callback {
    function: unsafe extern "C" fn(*const RawMessage, *mut c_void) -> c_int,
    context: *mut c_void,
    expected: Option<Expected>,
    refused: Sender<Error>,
}

// SAFETY: the pointer is only handed back to the program, which the header tells in which thread that happens.
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

/// Makes a dispatcher without subscriptions. `*dispatcher` is to be closed with saltus_dispatcher_close(); it is NULL if this fails.
///
/// Blocks: never. Allocates: yes. Kernel: yes.
/// Fails: SALTUS_SYSTEM, SALTUS_INVALID (NULL).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_open(dispatcher: *mut *mut SaltusDispatcher) -> c_int {
    let open = || {
        let dispatcher = Dispatcher::new()?;
        let cancel = dispatcher.cancel_handle();
        let own = Dispatching { dispatcher, ids: HashMap::new(), next: 1, refused: channel() };
        Ok(Some(SaltusDispatcher { own: UnsafeCell::new(own), cancel }))
    };
    // SAFETY: the header demands a place for a handle.
    call(|| unsafe { hand_out(dispatcher, open) })
}

/// Closes a dispatcher with its subscriptions; its callbacks are not called again. NULL does nothing. From inside of one of its
/// callbacks, it ends once saltus_dispatcher_run() or saltus_dispatcher_handle() returns.
///
/// Blocks: until threads end that only it needed. Allocates: no. Kernel: yes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_close(dispatcher: *mut SaltusDispatcher) {
    take_back(dispatcher)
}

/// Calls `callback` for each message of `channels` from now on, which with `options` means what it means to
/// saltus_domain_subscriber_open(). `context` is handed on. `*id`, unless `id` is NULL, gets a number for
/// saltus_dispatcher_unsubscribe().
///
/// Blocks: in the file system, or while a network is joined. Allocates: yes. Kernel: yes.
/// Fails: as saltus_domain_subscriber_open().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_subscribe(
    dispatcher: *mut SaltusDispatcher,
    domain: *const SaltusDomain,
    channels: *const c_char,
    options: *const SaltusDomainOptions,
    callback: SaltusCallback,
    context: *mut c_void,
    id: *mut u64,
) -> c_int {
    call(|| {
        let function = callback.ok_or(Fail::Misuse("the callback is NULL"))?;
        let mut own = own(dispatcher)?;
        // SAFETY: the header demands a string and options with their size, or NULL.
        let (subscriber, expected) = unsafe { subscribe(domain, channels, options)? };
        let mut callback = Callback { function, context, expected, refused: own.refused.0.clone() };
        let made = own.dispatcher.on(subscriber, move |message, control| callback.call(message, control))?;
        let number = own.next;
        own.next += 1;
        own.ids.insert(number, made);
        if !id.is_null() {
            // SAFETY: not NULL, so there is room for it, as the header demands.
            unsafe { id.write(number) };
        }
        Ok(SALTUS_OK)
    })
}

/// Ends a subscription: its callback is not called again. Callbacks return SALTUS_UNSUBSCRIBE instead.
///
/// Blocks: until threads end that only it needed. Allocates: no. Kernel: yes.
/// Fails: SALTUS_NOT_FOUND (it has ended already, or there never was one), SALTUS_INVALID (NULL, or called in a callback).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_unsubscribe(dispatcher: *mut SaltusDispatcher, id: u64) -> c_int {
    call(|| {
        let mut own = own(dispatcher)?;
        let found = own.ids.remove(&id);
        if !found.is_some_and(|id| own.dispatcher.unsubscribe(id)) {
            return Err(Fail::NotFound("the dispatcher has no subscription of that number"));
        }
        Ok(SALTUS_OK)
    })
}

/// Waits until there are messages, and calls back for at most one of each subscription. `*handled`, unless that is NULL, gets for how
/// many.
///
/// Blocks: until there is a message, at most until `until` (see "Time"), and as long as callbacks do. Allocates: for a message longer
/// than all before it. Kernel: yes.
/// Returns SALTUS_NOTHING if the time is up, it was called off, or there is no subscription.
/// Fails: the first error of the subscriptions, after all had their turn: see saltus_domain_receive(); call again to go on. The next calls
/// tell the other errors of that turn, one each, before they call anybody back. A SALTUS_STOP is told before errors. After
/// SALTUS_WRONG_TYPE it returns at once, as after SALTUS_STOP: who had no turn yet has one later. `*handled` is 0 if this fails, whoever
/// was called back.
/// SALTUS_INVALID (NULL, or called in a callback).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_handle(
    dispatcher: *mut SaltusDispatcher,
    until: u64,
    handled: *mut usize,
) -> c_int {
    call(|| {
        if !handled.is_null() {
            // SAFETY: not NULL, so there is room for it, as the header demands.
            unsafe { handled.write(0) };
        }
        let mut own = own(dispatcher)?;
        let done = own.dispatcher.handle(self::until(until));
        own.refused()?;
        let done = done?;
        if !handled.is_null() {
            // SAFETY: as above.
            unsafe { handled.write(done) };
        }
        Ok(if done == 0 { SALTUS_NOTHING } else { SALTUS_OK })
    })
}

/// Handles messages until a callback returns SALTUS_STOP, saltus_dispatcher_cancel() is called, or no subscription is left.
///
/// Blocks: until then. Allocates: for a message longer than all before it. Kernel: yes.
/// Fails: as saltus_dispatcher_handle().
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_run(dispatcher: *mut SaltusDispatcher) -> c_int {
    call(|| {
        let mut own = own(dispatcher)?;
        let done = own.dispatcher.run();
        own.refused()?;
        done?;
        Ok(SALTUS_OK)
    })
}

/// A descriptor that is readable when saltus_dispatcher_handle() may have something to do, for an event loop that one has already. Do
/// not read it. After a failure or a SALTUS_STOP call that until it returns SALTUS_NOTHING: errors that are kept do not raise it.
///
/// Ownership: the dispatcher keeps the descriptor and closes it in the end.
///
/// Blocks: never. Allocates: no. Kernel: no.
/// Fails: SALTUS_INVALID (NULL, or called in a callback). `*fd` is -1 then.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_fd(dispatcher: *mut SaltusDispatcher, fd: *mut c_int) -> c_int {
    call(|| {
        const NO_FD: &str = "the place for the descriptor is NULL";
        // SAFETY: the header demands room for a number.
        unsafe { put(fd, -1, NO_FD)? };
        let raw = own(dispatcher)?.dispatcher.as_fd().as_raw_fd();
        // SAFETY: not NULL, as was just seen.
        unsafe { put(fd, raw, NO_FD)? };
        Ok(SALTUS_OK)
    })
}

/// Lets saltus_dispatcher_run() and saltus_dispatcher_handle() return, now and until saltus_dispatcher_cancel_reset().
///
/// From any thread, from callbacks and from signal handlers: async-signal-safe, and errno stays as it was.
/// Blocks: never. Allocates: no. Kernel: one system call.
/// Fails: SALTUS_INVALID (NULL, or closed); saltus_last_error() does not tell of it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_cancel(dispatcher: *const SaltusDispatcher) -> c_int {
    match used(dispatcher, NO_DISPATCHER) {
        Ok(dispatcher) => quietly(|| dispatcher.cancel.cancel()),
        Err(_) => SALTUS_INVALID,
    }
}

/// Lets the dispatcher wait again. From any thread.
///
/// Blocks: never. Allocates: no. Kernel: one system call at most.
/// Fails: SALTUS_INVALID (NULL, or closed).
#[unsafe(no_mangle)]
pub unsafe extern "C" fn saltus_dispatcher_cancel_reset(dispatcher: *const SaltusDispatcher) -> c_int {
    call(|| {
        used(dispatcher, NO_DISPATCHER)?.cancel.reset();
        Ok(SALTUS_OK)
    })
}

const NO_DISPATCHER: &str = "the dispatcher is NULL";

fn own(dispatcher: *mut SaltusDispatcher) -> Result<Locked<SaltusDispatcher>> {
    locked(dispatcher, NO_DISPATCHER)
}

impl Dispatching {
    /// What was found in callbacks to be of another type.
    fn refused(&mut self) -> Result<()> {
        self.refused.1.try_recv().map_or(Ok(()), |error| Err(error.into()))
    }
}
