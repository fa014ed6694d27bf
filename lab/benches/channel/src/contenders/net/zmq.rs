//! ZeroMQ's own library, used directly: publish-subscribe over Unix sockets and TCP, with its defaults. The publisher
//! is an `XPUB`, which is a `PUB` that reports its subscribers, so it can wait until all have subscribed.

use super::endpoint::Endpoint;
use super::library::Library;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::contenders::version;
use crate::error::Fallible;
use std::ffi::{c_int, c_void};
use std::io;
use std::path::Path;

const XPUB: c_int = 9;
const SUB: c_int = 2;
const SUBSCRIBE: c_int = 6;
const LINGER: c_int = 17;
const XPUB_VERBOSE: c_int = 40;
const DONTWAIT: c_int = 1;

const LIBRARY: &str = "libzmq.so.5";
const MISSING: &str = "no libzmq: Debian's package libzmq5 has it";

/// See the module.
pub struct Zmq {
    /// TCP instead of a Unix socket.
    pub tcp: bool,
}

#[derive(Clone, Copy)]
struct Functions {
    context: unsafe extern "C" fn() -> *mut c_void,
    terminate: unsafe extern "C" fn(*mut c_void) -> c_int,
    socket: unsafe extern "C" fn(*mut c_void, c_int) -> *mut c_void,
    close: unsafe extern "C" fn(*mut c_void) -> c_int,
    set: unsafe extern "C" fn(*mut c_void, c_int, *const c_void, usize) -> c_int,
    bind: unsafe extern "C" fn(*mut c_void, *const libc::c_char) -> c_int,
    connect: unsafe extern "C" fn(*mut c_void, *const libc::c_char) -> c_int,
    send: unsafe extern "C" fn(*mut c_void, *const c_void, usize, c_int) -> c_int,
    receive: unsafe extern "C" fn(*mut c_void, *mut c_void, usize, c_int) -> c_int,
}

impl Functions {
    fn load() -> Fallible<Functions> {
        let library = Library::open(Path::new(LIBRARY)).map_err(|_| MISSING)?;
        // SAFETY: the types are those of zmq.h of libzmq 4.
        unsafe {
            Ok(Functions {
                context: library.function(c"zmq_ctx_new")?,
                terminate: library.function(c"zmq_ctx_term")?,
                socket: library.function(c"zmq_socket")?,
                close: library.function(c"zmq_close")?,
                set: library.function(c"zmq_setsockopt")?,
                bind: library.function(c"zmq_bind")?,
                connect: library.function(c"zmq_connect")?,
                send: library.function(c"zmq_send")?,
                receive: library.function(c"zmq_recv")?,
            })
        }
    }
}

/// A socket with a separate context.
struct Socket {
    functions: Functions,
    context: *mut c_void,
    socket: *mut c_void,
}

impl Socket {
    fn open(kind: c_int) -> Fallible<Socket> {
        let functions = Functions::load()?;
        // SAFETY: plain calls; what they return is checked.
        let (context, socket) = unsafe {
            let context = (functions.context)();
            (context, (functions.socket)(context, kind))
        };
        if socket.is_null() {
            return Err("zmq_socket failed".into());
        }
        let socket = Socket { functions, context, socket };
        socket.set(LINGER, &0i32.to_ne_bytes())?;
        Ok(socket)
    }

    fn set(&self, option: c_int, value: &[u8]) -> Fallible<()> {
        // SAFETY: the value lives across the call and is as long as said.
        done("zmq_setsockopt", unsafe {
            (self.functions.set)(self.socket, option, value.as_ptr().cast(), value.len())
        })
    }

    /// Receives up to `buffer.len()` bytes of a message; `false` if none is waiting.
    #[inline]
    fn receive(&self, buffer: &mut [u8], flags: c_int) -> Fallible<bool> {
        let (at, len) = (buffer.as_mut_ptr().cast(), buffer.len());
        // SAFETY: the buffer lives across the call and is as long as said.
        if unsafe { (self.functions.receive)(self.socket, at, len, flags) } >= 0 {
            return Ok(true);
        }
        let error = io::Error::last_os_error();
        match error.kind() {
            io::ErrorKind::WouldBlock | io::ErrorKind::Interrupted => Ok(false),
            _ => Err(format!("zmq_recv: {error}").into()),
        }
    }
}

fn done(call: &str, code: c_int) -> Fallible<()> {
    if code >= 0 { Ok(()) } else { Err(format!("{call}: {}", io::Error::last_os_error()).into()) }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // SAFETY: both are open, and this is their end.
        unsafe {
            (self.functions.close)(self.socket);
            (self.functions.terminate)(self.context);
        }
    }
}

impl Contender for Zmq {
    fn name(&self) -> &'static str {
        if self.tcp { "zmq-tcp" } else { "zmq-ipc" }
    }

    fn version(&self) -> Option<String> {
        version::package("libzmq5")
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
        Ok(Box::new(Wire { endpoint: Endpoint::new(ask, self.tcp)?, readers: ask.readers }))
    }

    fn pair(&self, there: &Ask, back: &Ask) -> Fallible<[Box<dyn Link>; 2]> {
        // ZeroMQ has no groups, so both directions have separate connections.
        Ok([self.link(there)?, self.link(back)?])
    }
}

struct Wire {
    endpoint: Endpoint,
    readers: usize,
}

impl Link for Wire {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        let socket = Socket::open(XPUB)?;
        socket.set(XPUB_VERBOSE, &1i32.to_ne_bytes())?;
        // SAFETY: the endpoint ends with a zero.
        done("zmq_bind", unsafe {
            (socket.functions.bind)(socket.socket, self.endpoint.address().as_ptr())
        })?;
        let mut subscription = [0; 16];
        for _ in 0..self.readers {
            while !socket.receive(&mut subscription, 0)? {}
        }
        Ok(Box::new(End(socket)))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let socket = Socket::open(SUB)?;
        socket.set(SUBSCRIBE, b"")?;
        // SAFETY: as above.
        done("zmq_connect", unsafe {
            (socket.functions.connect)(socket.socket, self.endpoint.address().as_ptr())
        })?;
        Ok(Box::new(End(socket)))
    }
}

struct End(Socket);

impl Sender for End {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        let (at, len) = (message.as_ptr().cast(), message.len());
        // SAFETY: the message lives across the call and is as long as said; the library copies it.
        done("zmq_send", unsafe { (self.0.functions.send)(self.0.socket, at, len, 0) })
    }
}

impl Receiver for End {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.0.receive(buffer, DONTWAIT)
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.0.receive(buffer, 0)
    }
}
