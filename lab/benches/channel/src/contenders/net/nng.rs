//! nng's own library, used directly: publish-subscribe over Unix sockets and TCP, with its defaults. It keeps 16
//! messages for each subscriber on the publisher's side, and 128 on the subscriber's, and drops the rest.
//!
//! Two bugs of 1.5.2 determine this code. Both were reproduced in programs of a few lines, and their causes found
//! in its source.
//! - Its poller adds a socket to epoll before it connects it. For epoll, such a socket is hung up until it is
//!   connected or removed, and the poller returns immediately, without end. Under `SCHED_FIFO` it thereby keeps its
//!   core from its own other threads, which have the same priority and would remove the socket: a dial that fails
//!   stops the process, and all others of that priority on that core, forever. So a reader dials only when the
//!   sender listens, and once: when its connection is gone, its dialer is closed before the library dials again.
//! - A message that is sent in pieces, as 1 MB is, continues by itself until its connection is closed. A piece that
//!   is due just then is refused without a report, and `nng_close` waits for it forever: two of twelve subscribers
//!   at full rate, one of twelve publishers. (Also its issues 1475 and 1636.) So no socket is closed: its process
//!   exits with it.

use super::endpoint::Endpoint;
use super::library::Library;
use super::meeting::{Meeting, is_message};
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::contenders::version;
use crate::error::Fallible;
use std::ffi::{CStr, c_char, c_int, c_void};
use std::path::Path;
use std::ptr;

const NONBLOCK: c_int = 2;
const SUBSCRIBE: &CStr = c"sub:subscribe";
/// `NNG_EAGAIN`.
const NOTHING: c_int = 8;
/// `NNG_ETIMEDOUT` and `NNG_EINTR`.
const IN_VAIN: [c_int; 2] = [5, 1];
/// `NNG_PIPE_EV_REM_POST` of nng 1.x: a connection is closed, and its dialer has not been notified yet.
const GONE: c_int = 2;
/// `NNG_EMSGSIZE`: the message is longer than the buffer and is discarded.
const TOO_LONG: c_int = 17;

const LIBRARY: &str = "libnng.so.1";
const MISSING: &str = "no libnng: Debian's package libnng1 has it";

/// See the module.
pub struct Nng {
    /// TCP instead of a Unix socket.
    pub tcp: bool,
}

/// `nng_socket`, `nng_dialer`, `nng_listener` and `nng_pipe`.
#[repr(C)]
#[derive(Clone, Copy, Default)]
struct Handle(u32);

type Open = unsafe extern "C" fn(*mut Handle) -> c_int;
type Close = unsafe extern "C" fn(Handle) -> c_int;
type Notice = extern "C" fn(Handle, c_int, *mut c_void);

#[derive(Clone, Copy)]
struct Functions {
    publisher: Open,
    subscriber: Open,
    set: unsafe extern "C" fn(Handle, *const c_char, *const c_void, usize) -> c_int,
    listen: unsafe extern "C" fn(Handle, *const c_char, *mut Handle, c_int) -> c_int,
    dialer: unsafe extern "C" fn(*mut Handle, Handle, *const c_char) -> c_int,
    start: unsafe extern "C" fn(Handle, c_int) -> c_int,
    send: unsafe extern "C" fn(Handle, *const c_void, usize, c_int) -> c_int,
    receive: unsafe extern "C" fn(Handle, *mut c_void, *mut usize, c_int) -> c_int,
    words: unsafe extern "C" fn(c_int) -> *const c_char,
    notify: unsafe extern "C" fn(Handle, c_int, Notice, *mut c_void) -> c_int,
    close_dialer: Close,
}

impl Functions {
    fn load() -> Fallible<Functions> {
        let library = Library::open(Path::new(LIBRARY)).map_err(|_| MISSING)?;
        // SAFETY: the types are those of nng.h of nng 1.5.
        unsafe {
            Ok(Functions {
                publisher: library.function(c"nng_pub0_open")?,
                subscriber: library.function(c"nng_sub0_open")?,
                set: library.function(c"nng_socket_set")?,
                listen: library.function(c"nng_listen")?,
                dialer: library.function(c"nng_dialer_create")?,
                start: library.function(c"nng_dialer_start")?,
                send: library.function(c"nng_send")?,
                receive: library.function(c"nng_recv")?,
                words: library.function(c"nng_strerror")?,
                notify: library.function(c"nng_pipe_notify")?,
                close_dialer: library.function(c"nng_dialer_close")?,
            })
        }
    }

    fn done(&self, call: &str, code: c_int) -> Fallible<()> {
        if code == 0 {
            return Ok(());
        }
        // SAFETY: the library has words for every code, which live for ever.
        let words = unsafe { CStr::from_ptr((self.words)(code)) };
        Err(format!("{call}: {}", words.to_string_lossy()).into())
    }
}

/// A dialer, and the function that closes it.
struct Dialer(Close, Handle);

/// The library's thread calls this when a connection is closed, without holding a lock.
extern "C" fn give_up(_pipe: Handle, _event: c_int, dialer: *mut c_void) {
    // SAFETY: a dialer that was leaked for this.
    let Dialer(close, dialer) = unsafe { &*dialer.cast::<Dialer>() };
    // SAFETY: the handle is the dialer's; a second time it is refused.
    unsafe { close(*dialer) };
}

/// Never closed: see the module.
struct Socket {
    functions: Functions,
    handle: Handle,
}

impl Socket {
    fn open(kind: impl Fn(&Functions) -> Open) -> Fallible<Socket> {
        let functions = Functions::load()?;
        let mut handle = Handle::default();
        // SAFETY: the call fills the handle.
        functions.done("nng_pub0_open or nng_sub0_open", unsafe { kind(&functions)(&mut handle) })?;
        Ok(Socket { functions, handle })
    }

    fn listen(&self, endpoint: &CStr) -> Fallible<()> {
        let mut listener = Handle::default();
        // SAFETY: the address ends with a zero; the call fills the handle.
        let code = unsafe { (self.functions.listen)(self.handle, endpoint.as_ptr(), &mut listener, 0) };
        self.functions.done("nng_listen", code)
    }

    /// Dials an address, once: see the module.
    fn dial(&self, endpoint: &CStr) -> Fallible<()> {
        let mut dialer = Handle::default();
        // SAFETY: the call fills the handle; the address ends with a zero.
        let code = unsafe { (self.functions.dialer)(&mut dialer, self.handle, endpoint.as_ptr()) };
        self.functions.done("nng_dialer_create", code)?;
        // Leaked: the library's thread may use it as long as this process lives.
        let dialer: &'static Dialer = Box::leak(Box::new(Dialer(self.functions.close_dialer, dialer)));
        // SAFETY: the function is of that type, and what it is given lives for ever.
        let code = unsafe {
            (self.functions.notify)(self.handle, GONE, give_up, ptr::from_ref(dialer).cast_mut().cast())
        };
        self.functions.done("nng_pipe_notify", code)?;
        // Start dialing only now, so that no connection can close before its callback is installed.
        // SAFETY: the handle is the dialer's, which has not been started yet.
        self.functions.done("nng_dialer_start", unsafe { (self.functions.start)(dialer.1, 0) })
    }

    /// The length of the next message, if one is waiting. A message that is longer than the buffer copies nothing.
    #[inline]
    fn receive(&self, buffer: &mut [u8], flags: c_int) -> Fallible<Option<usize>> {
        let mut length = buffer.len();
        // SAFETY: the buffer lives across the call and is as long as said.
        let code =
            unsafe { (self.functions.receive)(self.handle, buffer.as_mut_ptr().cast(), &mut length, flags) };
        match code {
            NOTHING => Ok(None),
            TOO_LONG => Err(format!("a message of more than {} bytes", buffer.len()).into()),
            code if IN_VAIN.contains(&code) => Ok(None),
            code => self.functions.done("nng_recv", code).map(|()| Some(length)),
        }
    }
}

impl Contender for Nng {
    fn name(&self) -> &'static str {
        if self.tcp { "nng-tcp" } else { "nng-ipc" }
    }

    fn version(&self) -> Option<String> {
        version::package("libnng1")
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        match ask {
            _ if Library::open(Path::new(LIBRARY)).is_err() => Err(MISSING),
            _ if ask.within => Err("measured between processes"),
            _ if ask.stock => Err("asks for no receive buffer"),
            _ => Ok(()),
        }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        Ok(Box::new(Wire { endpoint: Endpoint::new(ask, self.tcp)?, meeting: Meeting::new(ask)? }))
    }

    fn pair(&self, there: &Ask, back: &Ask) -> Fallible<[Box<dyn Link>; 2]> {
        // nng has no groups, so both directions have separate connections.
        Ok([self.link(there)?, self.link(back)?])
    }
}

struct Wire {
    endpoint: Endpoint,
    meeting: Meeting,
}

impl Link for Wire {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        let socket = Socket::open(|functions| functions.publisher)?;
        socket.listen(self.endpoint.address())?;
        self.meeting.open();
        let mut sender = End(socket);
        self.meeting.call(&mut sender)?;
        Ok(Box::new(sender))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let socket = Socket::open(|functions| functions.subscriber)?;
        // SAFETY: the name ends with a zero; the empty value is not read.
        let code =
            unsafe { (socket.functions.set)(socket.handle, SUBSCRIBE.as_ptr(), c"".as_ptr().cast(), 0) };
        socket.functions.done("nng_socket_set", code)?;
        self.meeting.until_open();
        socket.dial(self.endpoint.address())?;
        self.meeting.listen(|buffer| socket.receive(buffer, NONBLOCK))?;
        Ok(Box::new(End(socket)))
    }
}

struct End(Socket);

impl Sender for End {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        // SAFETY: the message lives across the call and is as long as said; the library copies it.
        let code =
            unsafe { (self.0.functions.send)(self.0.handle, message.as_ptr().cast(), message.len(), 0) };
        self.0.functions.done("nng_send", code)
    }
}

impl Receiver for End {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.0.receive(buffer, NONBLOCK)?.is_some_and(is_message))
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.0.receive(buffer, 0)?.is_some_and(is_message))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::case::{Case, Policy, Scenario};
    use crate::clock;
    use crate::crew::Crew;
    use crate::outcome::Outcome;
    use crate::place::{Seat, fifo_allowed};
    use std::io::Read;
    use std::time::{Duration, Instant};

    #[test]
    fn a_reader_whose_sender_has_exited_frees_its_core() {
        saltus_netns::isolated_program(|| {
            if Library::open(Path::new(LIBRARY)).is_err() {
                return eprintln!("NOT RUN: {MISSING}");
            }
            if !fifo_allowed() {
                return eprintln!("NOT RUN: the system refuses SCHED_FIFO");
            }
            // It waits a random time before it dials again, and does not always fail in the same place.
            for round in 0..10 {
                orphan(round % 2 == 0, round);
            }
        });
    }

    /// The reader's own thread runs on after its sender's process has ended.
    fn orphan(tcp: bool, round: u64) {
        let name = format!("saltus-test-{}-{round}", std::process::id());
        let ask = Ask::of(&Case { readers: 1, ..Case::new(Scenario::Paced) }, name, round);
        let link = Nng { tcp }.link(&ask).expect("a link");
        let mut crew = Crew::new().expect("a crew");
        // The other end of the pipe reports when the sender's process has exited.
        let (mut gone, alive) = std::io::pipe().expect("a pipe");
        let sender = crew.add(Seat { core: None, policy: Policy::Default }, |control| {
            let _sender = link.sender(0)?;
            control.start();
            Ok(Outcome::default())
        });
        sender.expect("a process");
        drop(alive);
        let reader = crew.add(Seat { core: Some(0), policy: Policy::Fifo }, |control| {
            let _receiver = link.receiver(0)?;
            control.start();
            gone.read_to_end(&mut Vec::new())?;
            // If the library dials again, it does so within 100 ms.
            for _ in 0..20 {
                clock::sleep_until(clock::now() + 10_000_000);
            }
            control.reader_finished();
            Ok(Outcome::default())
        });
        reader.expect("a process");
        crew.wait_ready().expect("both are ready");
        crew.control().go(Duration::ZERO);
        let until = Instant::now() + Duration::from_secs(20);
        while crew.control().readers_finished() == 0 {
            assert!(Instant::now() < until, "its own library occupies the core");
            std::thread::sleep(Duration::from_millis(5));
        }
        crew.finish().expect("both have ended");
    }
}
