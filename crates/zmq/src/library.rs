//! The parts of libzmq that are used, as declared in its header `zmq.h`. (`zmq_msg_data` changes nothing, although
//! its header takes a mutable pointer.)

use std::ffi::{CStr, c_char, c_int, c_void};
use std::io;

/// A message handle: 64 opaque bytes, aligned like a pointer.
#[repr(C, align(8))]
pub struct Msg(pub [u8; 64]);

unsafe extern "C" {
    pub fn zmq_ctx_new() -> *mut c_void;
    pub fn zmq_ctx_term(context: *mut c_void) -> c_int;
    pub fn zmq_socket(context: *mut c_void, kind: c_int) -> *mut c_void;
    pub fn zmq_close(socket: *mut c_void) -> c_int;
    pub fn zmq_setsockopt(socket: *mut c_void, option: c_int, value: *const c_void, len: usize) -> c_int;
    pub fn zmq_getsockopt(socket: *mut c_void, option: c_int, value: *mut c_void, len: *mut usize) -> c_int;
    pub fn zmq_bind(socket: *mut c_void, endpoint: *const c_char) -> c_int;
    pub fn zmq_connect(socket: *mut c_void, endpoint: *const c_char) -> c_int;
    pub fn zmq_disconnect(socket: *mut c_void, endpoint: *const c_char) -> c_int;
    pub fn zmq_msg_init(message: *mut Msg) -> c_int;
    pub fn zmq_msg_close(message: *mut Msg) -> c_int;
    pub fn zmq_msg_recv(message: *mut Msg, socket: *mut c_void, flags: c_int) -> c_int;
    pub fn zmq_msg_data(message: *const Msg) -> *mut c_void;
    pub fn zmq_msg_size(message: *const Msg) -> usize;
    pub fn zmq_msg_more(message: *const Msg) -> c_int;
    pub fn zmq_send(socket: *mut c_void, data: *const c_void, len: usize, flags: c_int) -> c_int;
    fn zmq_strerror(error: c_int) -> *const c_char;
}

pub const SUB: c_int = 2;
/// A `PUB` socket that receives subscriptions.
pub const XPUB: c_int = 9;

pub const SUBSCRIBE: c_int = 6;
pub const UNSUBSCRIBE: c_int = 7;
pub const FD: c_int = 14;
pub const LINGER: c_int = 17;
pub const RECONNECT_IVL: c_int = 18;
pub const RECONNECT_IVL_MAX: c_int = 21;
pub const MAXMSGSIZE: c_int = 22;
pub const SNDHWM: c_int = 23;
pub const RCVHWM: c_int = 24;
pub const TCP_KEEPALIVE: c_int = 34;
pub const TCP_KEEPALIVE_CNT: c_int = 35;
pub const TCP_KEEPALIVE_IDLE: c_int = 36;
pub const TCP_KEEPALIVE_INTVL: c_int = 37;
pub const IPV6: c_int = 42;

pub const DONTWAIT: c_int = 1;
pub const SNDMORE: c_int = 2;

/// Errors from here on are the library's own; the system has no text for them.
const OWN_ERRORS: c_int = 156_384_712;

/// The error of the last failed call in this thread.
pub fn error() -> io::Error {
    let error = io::Error::last_os_error();
    match error.raw_os_error() {
        Some(code) if code >= OWN_ERRORS => {
            // SAFETY: the text belongs to the library, ends with a zero byte and is valid as long as the process.
            let words = unsafe { CStr::from_ptr(zmq_strerror(code)) };
            io::Error::other(words.to_string_lossy())
        }
        _ => error,
    }
}

/// Whether a call that returned `code` succeeded.
pub fn done(code: c_int) -> io::Result<()> {
    if code < 0 { Err(error()) } else { Ok(()) }
}
