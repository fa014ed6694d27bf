//! A safe wrapper of libzmq's sockets.

use super::library::{self as lib, Msg, done, error};
use saltus_os::process::without_signals;
use std::ffi::{CString, c_int, c_void};
use std::io::{self, ErrorKind};
use std::os::fd::RawFd;
use std::ptr::NonNull;
use std::sync::Arc;

/// The owner of the library's threads. Dropping it waits for unsent messages, as long as the sockets linger.
#[derive(Debug)]
pub(super) struct Context(NonNull<c_void>);

// SAFETY: the library documents that all threads may use a context.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub fn new() -> io::Result<Arc<Context>> {
        // SAFETY: a plain call. It starts no thread yet.
        let context = NonNull::new(unsafe { lib::zmq_ctx_new() }).ok_or_else(error)?;
        Ok(Arc::new(Context(context)))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: sockets hold the context, so none is left. A signal interrupts the call, and it must be repeated.
        while unsafe { lib::zmq_ctx_term(self.0.as_ptr()) } != 0 && error().kind() == ErrorKind::Interrupted {
        }
    }
}

/// A socket. One thread at a time may use it.
#[derive(Debug)]
pub(super) struct Socket {
    socket: NonNull<c_void>,
    _context: Arc<Context>,
}

// SAFETY: the library allows a socket to move between threads with a full fence, which any lock is.
unsafe impl Send for Socket {}

impl Socket {
    pub fn publisher(context: &Arc<Context>) -> io::Result<Socket> {
        Socket::new(context, lib::XPUB)
    }
    pub fn subscriber(context: &Arc<Context>) -> io::Result<Socket> {
        Socket::new(context, lib::SUB)
    }

    fn new(context: &Arc<Context>, kind: c_int) -> io::Result<Socket> {
        // SAFETY: the context is open. The first socket starts the library's threads, which must not receive
        // signals.
        let socket = without_signals(|| unsafe { lib::zmq_socket(context.0.as_ptr(), kind) });
        let socket = NonNull::new(socket).ok_or_else(error)?;
        Ok(Socket { socket, _context: context.clone() })
    }

    pub fn set(&self, option: c_int, value: &[u8]) -> io::Result<()> {
        let (at, len) = (value.as_ptr().cast(), value.len());
        // SAFETY: the socket is open, and the value stays alive across the call and has the length given.
        done(unsafe { lib::zmq_setsockopt(self.socket.as_ptr(), option, at, len) })
    }
    pub fn set_all(&self, options: &[(c_int, i32)]) -> io::Result<()> {
        options.iter().try_for_each(|(option, value)| self.set(*option, &value.to_ne_bytes()))
    }

    /// Readable when something may have happened. Only a receive that finds nothing arms it again: after any other
    /// operation on the socket, a thread must receive.
    pub fn fd(&self) -> io::Result<RawFd> {
        let (mut fd, mut len): (RawFd, usize) = (-1, size_of::<RawFd>());
        let at = (&raw mut fd).cast();
        // SAFETY: the socket is open; the value and its length stay alive across the call.
        done(unsafe { lib::zmq_getsockopt(self.socket.as_ptr(), lib::FD, at, &mut len) }).map(|()| fd)
    }

    pub fn bind(&self, endpoint: &str) -> io::Result<()> {
        let endpoint = CString::new(endpoint)?;
        // SAFETY: the socket is open, and the text ends with a zero byte.
        done(unsafe { lib::zmq_bind(self.socket.as_ptr(), endpoint.as_ptr()) })
    }
    pub fn connect(&self, endpoint: &str) -> io::Result<()> {
        let endpoint = CString::new(endpoint)?;
        // SAFETY: as above.
        done(unsafe { lib::zmq_connect(self.socket.as_ptr(), endpoint.as_ptr()) })
    }
    /// Messages from there that wait in the socket are lost.
    pub fn disconnect(&self, endpoint: &str) -> io::Result<()> {
        let endpoint = CString::new(endpoint)?;
        // SAFETY: as above.
        done(unsafe { lib::zmq_disconnect(self.socket.as_ptr(), endpoint.as_ptr()) })
    }

    /// Sends a part of a message; the library copies it. Publishing never blocks.
    pub fn send(&self, part: &[u8], more: bool) -> io::Result<()> {
        let flags = if more { lib::SNDMORE } else { 0 };
        loop {
            let (at, len) = (part.as_ptr().cast(), part.len());
            // SAFETY: the socket is open, and the part stays alive across the call and has the length given.
            match done(unsafe { lib::zmq_send(self.socket.as_ptr(), at, len, flags) }) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    /// Receives a part of a message, if there is one.
    pub fn receive(&self, part: &mut Part) -> io::Result<bool> {
        loop {
            // SAFETY: the socket is open, and the part is initialized; the library releases its content.
            let got = unsafe { lib::zmq_msg_recv(&mut part.0, self.socket.as_ptr(), lib::DONTWAIT) };
            match done(got) {
                Ok(()) => return Ok(true),
                Err(e) if e.kind() == ErrorKind::WouldBlock => return Ok(false),
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                Err(e) => return Err(e),
            }
        }
    }
}

impl Drop for Socket {
    fn drop(&mut self) {
        // SAFETY: the socket is open, and is not used afterwards.
        unsafe { lib::zmq_close(self.socket.as_ptr()) };
    }
}

/// A part of a message, in the library's memory.
pub(super) struct Part(Msg);

impl Part {
    pub fn new() -> Part {
        let mut message = Msg([0; 64]);
        // SAFETY: the part owns the memory. The call always succeeds.
        unsafe { lib::zmq_msg_init(&mut message) };
        Part(message) // the library keeps its address during calls only
    }
    /// Whether the message has more parts.
    pub fn more(&self) -> bool {
        // SAFETY: the part is initialized.
        unsafe { lib::zmq_msg_more(&self.0) != 0 }
    }
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the part is initialized; it has that many bytes there, which are valid until it is changed.
        unsafe {
            let (at, len) = (lib::zmq_msg_data(&self.0), lib::zmq_msg_size(&self.0));
            if len == 0 { &[] } else { std::slice::from_raw_parts(at.cast(), len) }
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // SAFETY: the part is initialized, and is not used afterwards.
        unsafe { lib::zmq_msg_close(&mut self.0) };
    }
}
