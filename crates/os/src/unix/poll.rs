//! Entries of `poll`.

/// A descriptor to wait for, the events to wait for, and in `revents` those that it has.
pub type PollFd = libc::pollfd;
/// The sum of [`READ`] and [`WRITE`]. Errors and hang-ups are always reported.
pub type Interest = libc::c_short;
/// Data to read, or the end of the input.
pub const READ: Interest = libc::POLLIN;
/// Space to write.
pub const WRITE: Interest = libc::POLLOUT;
/// No descriptor.
pub const NO_FD: libc::c_int = -1;
