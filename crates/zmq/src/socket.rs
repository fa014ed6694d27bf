//! Sockets of libzmq, as safe as Rust can make them.

use super::library::{self as lib, Msg, done, error};
use saltus_os::process::without_signals;
use std::ffi::{CString, c_int, c_void};
use std::io::{self, ErrorKind};
use std::os::fd::RawFd;
use std::ptr::NonNull;
use std::sync::Arc;

/// What the library's threads belong to. Its end waits for what is still to be sent, as long as the sockets linger.
#[derive(Debug)]
pub(super) struct Context(NonNull<c_void>);

// SAFETY: the library says that a context may be used by all threads.
unsafe impl Send for Context {}
// SAFETY: as above.
unsafe impl Sync for Context {}

impl Context {
    pub fn new() -> io::Result<Arc<Context>> {
        // SAFETY: a plain call. It makes no thread yet.
        let context = NonNull::new(unsafe { lib::zmq_ctx_new() }).ok_or_else(error)?;
        Ok(Arc::new(Context(context)))
    }
}

impl Drop for Context {
    fn drop(&mut self) {
        // SAFETY: sockets hold the context, so that none is left. A signal ends the call early, and it is to be called again.
        while unsafe { lib::zmq_ctx_term(self.0.as_ptr()) } != 0 && error().kind() == ErrorKind::Interrupted {
        }
    }
}

/// A socket. One thread at a time may use it, whichever it is.
#[derive(Debug)]
pub(super) struct Socket {
    socket: NonNull<c_void>,
    _context: Arc<Context>,
}

// SAFETY: the library lets a socket go from thread to thread, if what hands it over is a full fence, as any lock is.
unsafe impl Send for Socket {}

impl Socket {
    pub fn publisher(context: &Arc<Context>) -> io::Result<Socket> {
        Socket::new(context, lib::XPUB)
    }
    pub fn subscriber(context: &Arc<Context>) -> io::Result<Socket> {
        Socket::new(context, lib::SUB)
    }

    fn new(context: &Arc<Context>, kind: c_int) -> io::Result<Socket> {
        // SAFETY: the context is open. The first socket starts the library's threads, which no signal is meant for.
        let socket = without_signals(|| unsafe { lib::zmq_socket(context.0.as_ptr(), kind) });
        let socket = NonNull::new(socket).ok_or_else(error)?;
        Ok(Socket { socket, _context: context.clone() })
    }

    pub fn set(&self, option: c_int, value: &[u8]) -> io::Result<()> {
        let (at, len) = (value.as_ptr().cast(), value.len());
        // SAFETY: the socket is open, and the value lives across the call and is as long as said.
        done(unsafe { lib::zmq_setsockopt(self.socket.as_ptr(), option, at, len) })
    }
    pub fn set_all(&self, options: &[(c_int, i32)]) -> io::Result<()> {
        options.iter().try_for_each(|(option, value)| self.set(*option, &value.to_ne_bytes()))
    }

    /// Readable when something may have happened. Only a receive that finds nothing arms it again: whoever does anything else with the socket must
    /// see to it that somebody receives afterwards.
    pub fn fd(&self) -> io::Result<RawFd> {
        let (mut fd, mut len): (RawFd, usize) = (-1, size_of::<RawFd>());
        let at = (&raw mut fd).cast();
        // SAFETY: the socket is open; the value and its length live across the call.
        done(unsafe { lib::zmq_getsockopt(self.socket.as_ptr(), lib::FD, at, &mut len) }).map(|()| fd)
    }

    pub fn bind(&self, endpoint: &str) -> io::Result<()> {
        let endpoint = CString::new(endpoint)?;
        // SAFETY: the socket is open, and the text ends with a zero.
        done(unsafe { lib::zmq_bind(self.socket.as_ptr(), endpoint.as_ptr()) })
    }
    pub fn connect(&self, endpoint: &str) -> io::Result<()> {
        let endpoint = CString::new(endpoint)?;
        // SAFETY: as above.
        done(unsafe { lib::zmq_connect(self.socket.as_ptr(), endpoint.as_ptr()) })
    }
    /// What lies in the socket of what came from there is gone.
    pub fn disconnect(&self, endpoint: &str) -> io::Result<()> {
        let endpoint = CString::new(endpoint)?;
        // SAFETY: as above.
        done(unsafe { lib::zmq_disconnect(self.socket.as_ptr(), endpoint.as_ptr()) })
    }

    /// Sends a part of a message; the library copies it. One who publishes never waits.
    pub fn send(&self, part: &[u8], more: bool) -> io::Result<()> {
        let flags = if more { lib::SNDMORE } else { 0 };
        loop {
            let (at, len) = (part.as_ptr().cast(), part.len());
            // SAFETY: the socket is open, and the part lives across the call and is as long as said.
            match done(unsafe { lib::zmq_send(self.socket.as_ptr(), at, len, flags) }) {
                Err(e) if e.kind() == ErrorKind::Interrupted => {}
                done => return done,
            }
        }
    }

    /// Receives a part of a message, if there is one.
    pub fn receive(&self, part: &mut Part) -> io::Result<bool> {
        loop {
            // SAFETY: the socket is open, and the part is initialized; what was in it is released by the library.
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
        // SAFETY: the socket is open, and this is its end.
        unsafe { lib::zmq_close(self.socket.as_ptr()) };
    }
}

/// A part of a message, in the library's memory.
pub(super) struct Part(Msg);

impl Part {
    pub fn new() -> Part {
        let mut message = Msg([0; 64]);
        // SAFETY: the memory is the part's own. The call always succeeds.
        unsafe { lib::zmq_msg_init(&mut message) };
        Part(message) // the library refers to it by its address during calls only
    }
    /// Whether the message has more parts.
    pub fn more(&self) -> bool {
        // SAFETY: the part is initialized.
        unsafe { lib::zmq_msg_more(&self.0) != 0 }
    }
    pub fn bytes(&self) -> &[u8] {
        // SAFETY: the part is initialized; it has that many bytes there, which stay until it is changed.
        unsafe {
            let (at, len) = (lib::zmq_msg_data(&self.0), lib::zmq_msg_size(&self.0));
            if len == 0 { &[] } else { std::slice::from_raw_parts(at.cast(), len) }
        }
    }
}

impl Drop for Part {
    fn drop(&mut self) {
        // SAFETY: the part is initialized, and this is its end.
        unsafe { lib::zmq_msg_close(&mut self.0) };
    }
}
