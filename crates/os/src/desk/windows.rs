//! The system calls of Windows.

use crate::common::file::Inode;
use std::borrow::Cow;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io;
use std::os::windows::ffi::OsStrExt;
use std::os::windows::fs::FileExt as _;
use std::os::windows::io::AsRawHandle;
use std::path::Path;
use std::process::Command;
use windows_sys::Win32::Networking::WinSock;
use windows_sys::Win32::Security::Cryptography::{BCRYPT_USE_SYSTEM_PREFERRED_RNG, BCryptGenRandom};
use windows_sys::Win32::Storage::FileSystem::{
    BY_HANDLE_FILE_INFORMATION, FILE_ATTRIBUTE_DIRECTORY, GetDiskFreeSpaceExW, GetFileInformationByHandle,
};
use windows_sys::Win32::System::Performance::{QueryPerformanceCounter, QueryPerformanceFrequency};
use windows_sys::Win32::System::SystemInformation::{GetSystemInfo, SYSTEM_INFO};
use windows_sys::Win32::System::Threading::{GetCurrentProcessorNumber, GetCurrentThreadId};

/// Descriptors: what can be waited for. On Windows these are sockets only.
pub mod fd {
    use std::os::windows::io::{AsRawSocket, AsSocket, BorrowedSocket, OwnedSocket, RawSocket};

    /// A socket's number.
    pub type RawFd = RawSocket;
    /// A socket that another value owns.
    pub type BorrowedFd<'a> = BorrowedSocket<'a>;
    /// A socket that is closed when dropped.
    pub type OwnedFd = OwnedSocket;

    /// Has a socket.
    pub trait AsFd {
        /// Its socket.
        fn as_fd(&self) -> BorrowedFd<'_>;
    }
    impl<T: AsSocket> AsFd for T {
        fn as_fd(&self) -> BorrowedFd<'_> {
            self.as_socket()
        }
    }

    /// Has the number of a socket.
    pub trait AsRawFd {
        /// The number.
        fn as_raw_fd(&self) -> RawFd;
    }
    impl<T: AsRawSocket> AsRawFd for T {
        fn as_raw_fd(&self) -> RawFd {
            self.as_raw_socket()
        }
    }
}

/// A file that can always be opened.
pub const NOWHERE: &str = "NUL";

/// A socket to wait for, the events to wait for, and in `revents` those that it has.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub struct PollFd {
    /// The socket.
    pub fd: fd::RawFd,
    /// The events to wait for.
    pub events: Interest,
    /// The events that it has.
    pub revents: Interest,
}

const _: () = assert!(size_of::<PollFd>() == size_of::<WinSock::WSAPOLLFD>());

/// The sum of [`READ`] and [`WRITE`]. Errors and hang-ups are always reported.
pub type Interest = i16;
/// Data to read, or the end of the input.
pub const READ: Interest = WinSock::POLLRDNORM;
/// Space to write.
pub const WRITE: Interest = WinSock::POLLWRNORM;
/// No socket.
pub const NO_FD: fd::RawFd = WinSock::INVALID_SOCKET as fd::RawFd;

/// Sleeps until a socket is ready, for `time` ns at most, rounded up to milliseconds. Returns how many are.
pub fn poll(polls: &mut [PollFd], time: u64) -> io::Result<usize> {
    let ms = i32::try_from(time.div_ceil(1_000_000)).unwrap_or(i32::MAX);
    // SAFETY: the entries have the layout of WSAPOLLFD, and live across the call.
    let ready = unsafe { WinSock::WSAPoll(polls.as_mut_ptr().cast(), polls.len() as u32, ms) };
    if ready < 0 {
        // SAFETY: asks for a number.
        return Err(io::Error::from_raw_os_error(unsafe { WinSock::WSAGetLastError() }));
    }
    Ok(ready as usize)
}

/// Time since the machine started, in ns.
pub fn monotonic() -> u64 {
    let (mut count, mut frequency) = (0, 1);
    // SAFETY: both numbers live across the calls, which do not fail on any Windows that Rust supports.
    unsafe {
        QueryPerformanceCounter(&mut count);
        QueryPerformanceFrequency(&mut frequency);
    }
    (count as u128 * 1_000_000_000 / frequency.max(1) as u128) as u64
}

/// Fills `bytes` with bytes that cannot be guessed.
pub fn random(bytes: &mut [u8]) -> io::Result<()> {
    let len = bytes.len() as u32;
    let flags = BCRYPT_USE_SYSTEM_PREFERRED_RNG;
    // SAFETY: the buffer has the length passed; no algorithm is named.
    match unsafe { BCryptGenRandom(std::ptr::null_mut(), bytes.as_mut_ptr(), len, flags) } {
        0 => Ok(()),
        status => Err(io::Error::other(format!("Windows returns no random bytes (status {status:#x})"))),
    }
}

/// 0: users have no numbers.
pub fn user() -> u32 {
    0
}

/// The environment variable `name`.
pub fn variable(name: &str) -> Option<std::ffi::OsString> {
    std::env::var_os(name)
}

/// The CPU that the calling thread runs on now, in its group.
pub fn cpu() -> usize {
    // SAFETY: asks for a number.
    unsafe { GetCurrentProcessorNumber() as usize }
}

/// Size of the system's pages in bytes.
pub fn page_size() -> u64 {
    // SAFETY: all zeros is a valid record, which the call fills.
    unsafe {
        let mut info: SYSTEM_INFO = std::mem::zeroed();
        GetSystemInfo(&mut info);
        info.dwPageSize.into()
    }
}

/// The calling thread's number, unique on the machine.
pub fn thread_id() -> u32 {
    // SAFETY: asks for a number.
    unsafe { GetCurrentThreadId() }
}

/// False: Windows has no polite request to end.
pub fn ask_to_end(_: &std::process::Child) -> bool {
    false
}

/// Runs a program in place of this one, which ends with its exit code. Returns only if it cannot.
pub fn replace(program: &mut Command) -> io::Error {
    match program.status() {
        Ok(status) => std::process::exit(status.code().unwrap_or(1)),
        Err(e) => e,
    }
}

/// The name of this machine.
pub fn host_name() -> Option<String> {
    std::env::var("COMPUTERNAME").ok()
}

/// Runs `f`: there are no signals.
pub fn without_signals<T>(f: impl FnOnce() -> T) -> T {
    f()
}

/// Nothing to do: the number of open files has no limit. Returns the largest number.
pub fn raise_open_files() -> io::Result<u64> {
    Ok(u64::MAX)
}

/// The identity of an open file. One system call.
pub fn inode(file: &File) -> io::Result<Inode> {
    // SAFETY: all zeros is a valid record to be filled in.
    let mut about: BY_HANDLE_FILE_INFORMATION = unsafe { std::mem::zeroed() };
    // SAFETY: the handle is open, and the record lives across the call.
    if unsafe { GetFileInformationByHandle(file.as_raw_handle(), &mut about) } == 0 {
        return Err(io::Error::last_os_error());
    }
    let whole = |high: u32, low: u32| u64::from(high) << 32 | u64::from(low);
    let len = whole(about.nFileSizeHigh, about.nFileSizeLow);
    Ok(Inode {
        device: about.dwVolumeSerialNumber.into(),
        number: whole(about.nFileIndexHigh, about.nFileIndexLow),
        user: 0,
        group: 0,
        mode: 0,
        links: about.nNumberOfLinks.into(),
        is_file: about.dwFileAttributes & FILE_ATTRIBUTE_DIRECTORY == 0,
        len,
        space: len,
    })
}

/// The volume and the number of the file that a path names.
pub fn identity(path: &Path) -> io::Result<(u64, u64)> {
    inode(&File::open(path)?).map(|file| (file.device, file.number))
}

/// A name in a directory, from its bytes in UTF-8. Bytes that are not become replacement characters.
pub fn os_str(name: &[u8]) -> Cow<'_, OsStr> {
    match String::from_utf8_lossy(name) {
        Cow::Borrowed(name) => OsStr::new(name).into(),
        Cow::Owned(name) => OsString::from(name).into(),
    }
}

/// Reading and writing at places of a file. Each also moves the file's own place.
pub trait FileExt {
    /// Reads up to the length of `bytes`.
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize>;
    /// Writes some bytes.
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<usize>;

    /// Fills `bytes`.
    fn read_exact_at(&self, mut bytes: &mut [u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.read_at(bytes, at)? {
                0 => return Err(io::ErrorKind::UnexpectedEof.into()),
                n => (bytes, at) = (&mut bytes[n..], at + n as u64),
            }
        }
        Ok(())
    }
    /// Writes all `bytes`.
    fn write_all_at(&self, mut bytes: &[u8], mut at: u64) -> io::Result<()> {
        while !bytes.is_empty() {
            match self.write_at(bytes, at)? {
                0 => return Err(io::ErrorKind::WriteZero.into()),
                n => (bytes, at) = (&bytes[n..], at + n as u64),
            }
        }
        Ok(())
    }
}

impl FileExt for File {
    fn read_at(&self, bytes: &mut [u8], at: u64) -> io::Result<usize> {
        self.seek_read(bytes, at)
    }
    fn write_at(&self, bytes: &[u8], at: u64) -> io::Result<usize> {
        self.seek_write(bytes, at)
    }
}

/// Makes a symbolic link to a file. Windows allows that to administrators and in developer mode.
pub fn symlink(to: &Path, link: &Path) -> io::Result<()> {
    std::os::windows::fs::symlink_file(to, link)
}

/// The free bytes for this user on the file system of `path`, which is a file.
pub fn free_space(path: &Path) -> io::Result<u64> {
    let directory = std::path::absolute(path)?;
    let directory = directory.parent().ok_or(io::ErrorKind::InvalidInput)?;
    let name: Vec<u16> = directory.as_os_str().encode_wide().chain([0]).collect();
    let (mut free, none) = (0, std::ptr::null_mut());
    // SAFETY: the name ends with a zero, and the number lives across the call.
    match unsafe { GetDiskFreeSpaceExW(name.as_ptr(), &mut free, none, none) } {
        0 => Err(io::Error::last_os_error()),
        _ => Ok(free),
    }
}

/// The terminal of this program: a console.
pub mod terminal {
    use std::io;
    use windows_sys::Win32::Foundation::HANDLE;
    use windows_sys::Win32::System::Console::{
        CONSOLE_MODE, CONSOLE_SCREEN_BUFFER_INFO, ENABLE_ECHO_INPUT, ENABLE_LINE_INPUT,
        ENABLE_VIRTUAL_TERMINAL_INPUT, ENABLE_VIRTUAL_TERMINAL_PROCESSING, GetConsoleMode,
        GetConsoleScreenBufferInfo, GetStdHandle, STD_ERROR_HANDLE, STD_INPUT_HANDLE, STD_OUTPUT_HANDLE,
        SetConsoleMode,
    };

    /// An output of this program.
    #[derive(Clone, Copy, Debug, PartialEq, Eq)]
    pub enum Stream {
        /// Standard output.
        Output,
        /// Standard error.
        Error,
    }

    fn handle(of: Stream) -> HANDLE {
        // SAFETY: asks for a number.
        unsafe { GetStdHandle(if of == Stream::Output { STD_OUTPUT_HANDLE } else { STD_ERROR_HANDLE }) }
    }

    /// The mode of a console; `None`: the handle is not one.
    fn mode(of: HANDLE) -> Option<CONSOLE_MODE> {
        let mut mode = 0;
        // SAFETY: the number lives across the call, which fails for other handles.
        (unsafe { GetConsoleMode(of, &mut mode) } != 0).then_some(mode)
    }

    /// Lets the console interpret escape sequences.
    pub fn prepare() {
        for of in [Stream::Output, Stream::Error].map(handle) {
            if let Some(mode) = mode(of) {
                // SAFETY: changes only how the console shows what is written. Before Windows 10 it fails.
                unsafe { SetConsoleMode(of, mode | ENABLE_VIRTUAL_TERMINAL_PROCESSING) };
            }
        }
    }

    /// Columns and rows of the console's window, if the output is one.
    pub fn size(of: Stream) -> Option<(usize, usize)> {
        // SAFETY: all zeros is a valid record, which lives across the call.
        let window = unsafe {
            let mut info: CONSOLE_SCREEN_BUFFER_INFO = std::mem::zeroed();
            (GetConsoleScreenBufferInfo(handle(of), &mut info) != 0).then_some(info.srWindow)?
        };
        let size = |from: i16, to: i16| usize::try_from(i32::from(to) - i32::from(from) + 1).ok();
        Some((size(window.Left, window.Right)?, size(window.Top, window.Bottom)?))
    }

    /// Standard input passes on each key at once and does not show it, until this is dropped. Ctrl-C still works.
    pub struct Keys {
        before: CONSOLE_MODE,
    }

    impl Keys {
        /// Prepares the console.
        ///
        /// # Errors
        /// Standard input is not a console.
        pub fn one_by_one() -> io::Result<Keys> {
            let before = mode(input()).ok_or_else(io::Error::last_os_error)?;
            let quick = before & !(ENABLE_LINE_INPUT | ENABLE_ECHO_INPUT) | ENABLE_VIRTUAL_TERMINAL_INPUT;
            // SAFETY: changes only how the console reads.
            match unsafe { SetConsoleMode(input(), quick) } {
                0 => Err(io::Error::last_os_error()),
                _ => Ok(Keys { before }),
            }
        }
    }

    impl Drop for Keys {
        fn drop(&mut self) {
            // SAFETY: as before.
            unsafe { SetConsoleMode(input(), self.before) };
        }
    }

    fn input() -> HANDLE {
        // SAFETY: asks for a number.
        unsafe { GetStdHandle(STD_INPUT_HANDLE) }
    }
}

/// Users and groups: they have no numbers.
pub mod users {
    use std::io;

    /// `None`: users have no numbers.
    pub fn user_by_name(_: &str) -> io::Result<Option<u32>> {
        Ok(None)
    }
    /// `None`: groups have no numbers.
    pub fn group_by_name(_: &str) -> io::Result<Option<u32>> {
        Ok(None)
    }
    /// `None`: users have no numbers.
    pub fn user_name(_: u32) -> Option<String> {
        None
    }
    /// `None`: groups have no numbers.
    pub fn group_name(_: u32) -> Option<String> {
        None
    }
    /// Always false.
    pub fn is_unknown(_: u32) -> bool {
        false
    }
    /// A user as shown to people.
    pub fn user_for_people(id: u32) -> String {
        format!("user {id}")
    }
    /// A group as shown to people.
    pub fn group_for_people(id: u32) -> String {
        format!("group {id}")
    }
}

/// Options of UDP sockets that the standard library lacks.
pub mod socket {
    use std::io;
    use std::net::UdpSocket;
    use std::os::windows::io::AsRawSocket;
    use windows_sys::Win32::Networking::WinSock;

    /// Never fragments datagrams.
    pub fn keep_whole(socket: &UdpSocket, v6: bool) -> io::Result<()> {
        let never = WinSock::IP_PMTUDISC_PROBE;
        if v6 {
            set(socket, WinSock::IPPROTO_IPV6, WinSock::IPV6_MTU_DISCOVER, never)?;
        }
        set(socket, WinSock::IPPROTO_IP, WinSock::IP_MTU_DISCOVER, never)
    }

    /// Requests buffers of `bytes` for receiving and sending. The system may grant less.
    pub fn request_buffers(socket: &UdpSocket, bytes: i32) {
        for option in [WinSock::SO_RCVBUF, WinSock::SO_SNDBUF] {
            let _ = set(socket, WinSock::SOL_SOCKET, option, bytes);
        }
    }

    /// Whether a datagram was longer than the outgoing interface takes.
    pub fn is_too_long(why: &io::Error) -> bool {
        why.raw_os_error() == Some(WinSock::WSAEMSGSIZE)
    }

    fn set(socket: &UdpSocket, level: i32, option: i32, value: i32) -> io::Result<()> {
        let bytes = value.to_ne_bytes();
        let (number, len) = (socket.as_raw_socket() as WinSock::SOCKET, bytes.len() as i32);
        // SAFETY: the option's value is an integer that stays alive across the call.
        match unsafe { WinSock::setsockopt(number, level, option, bytes.as_ptr(), len) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}
