//! Libraries with a C++ interface only, Fast DDS and ROS 1's roscpp. Each has an adapter: a file of `adapters/` that
//! is compiled to a shared library with C's calling convention, and then loaded as the C libraries are.

mod compile;
mod master;

use super::library::Library;
use super::meeting::{Meeting, is_message};
use super::member::Common;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::contenders::version;
use crate::error::Fallible;
use master::Master;
use std::cell::OnceCell;
use std::error::Error;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::ptr::NonNull;
use std::rc::Rc;

/// A library, and what its adapter needs.
pub struct Kit {
    name: &'static str,
    /// The adapter.
    source: &'static str,
    /// A header that exists if the library is installed.
    header: &'static str,
    libraries: &'static [&'static str],
    /// The Debian package whose version is reported.
    package: &'static str,
    missing: &'static str,
    /// Whether nodes need a master to discover each other.
    has_master: bool,
}

pub static FASTDDS: Kit = Kit {
    name: "fastdds",
    source: "fastdds.cpp",
    header: "fastdds/dds/domain/DomainParticipant.hpp",
    libraries: &["-lfastrtps", "-lfastcdr"],
    package: "libfastrtps-dev",
    missing: "no Fast DDS: Debian's package libfastrtps-dev has it, and g++ makes its adapter",
    has_master: false,
};

pub static ROSCPP: Kit = Kit {
    name: "roscpp",
    source: "roscpp.cpp",
    header: "ros/ros.h",
    libraries: &["-lroscpp", "-lroscpp_serialization", "-lrosconsole", "-lrostime", "-lboost_system"],
    package: "libroscpp-dev",
    missing: "no roscpp: Debian's packages libroscpp-dev and python3-rosmaster have it, and g++ makes its adapter",
    has_master: true,
};

/// The longest queue, in messages and in bytes.
const DEPTH: (usize, usize) = (1_000, 64 << 20);

/// See the module.
pub struct Adapter {
    kit: &'static Kit,
    /// The compiled adapter, from the first connection on. A failure to compile is reported once.
    library: OnceCell<Result<PathBuf, String>>,
    /// Started for the first connection.
    master: OnceCell<Master>,
}

impl Adapter {
    /// For a library.
    pub fn new(kit: &'static Kit) -> Adapter {
        Adapter { kit, library: OnceCell::new(), master: OnceCell::new() }
    }

    fn library(&self) -> Fallible<PathBuf> {
        let compile = || compile::library(self.kit.source, self.kit.libraries).map_err(|e| e.to_string());
        Ok(self.library.get_or_init(compile).clone()?)
    }

    /// The address at which members discover each other.
    fn place(&self) -> Fallible<CString> {
        if !self.kit.has_master {
            return Ok(CString::default());
        }
        if self.master.get().is_none() {
            let _ = self.master.set(Master::start()?); // it was empty
        }
        Ok(CString::new(self.master.get().map_or(String::new(), Master::uri))?)
    }

    fn topic(&self, ask: &Ask, number: u64, member: &Common<Member>) -> Fallible<Topic> {
        Ok(Topic {
            // ROS permits only these characters in the name of a topic.
            name: CString::new(ask.name.replace('-', "_"))?,
            library: self.library()?,
            place: self.place()?,
            number,
            longest: ask.size,
            member: member.clone(),
            meeting: Meeting::new(ask)?,
        })
    }
}

impl Contender for Adapter {
    fn name(&self) -> &'static str {
        self.kit.name
    }

    fn version(&self) -> Option<String> {
        version::package(self.kit.package)
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        match ask {
            _ if !Path::new("/usr/include").join(self.kit.header).is_file() => Err(self.kit.missing),
            _ if ask.within => Err("measured between processes"),
            _ if ask.stock => Err("has no separate receive buffer"),
            _ => Ok(()),
        }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        Ok(Box::new(self.topic(ask, ask.number, &Common::default())?))
    }

    fn pair(&self, there: &Ask, back: &Ask) -> Fallible<[Box<dyn Link>; 2]> {
        let member = Common::default();
        let link = |ask: &Ask| self.topic(ask, there.number, &member);
        Ok([Box::new(link(there)?), Box::new(link(back)?)])
    }
}

type Attach = unsafe extern "C" fn(*mut c_void, *const c_char) -> *mut c_void;
type Take = unsafe extern "C" fn(*mut c_void, *mut u8, usize) -> i64;

/// `adapters/adapter.hpp`.
#[derive(Clone, Copy)]
struct Functions {
    error: unsafe extern "C" fn() -> *const c_char,
    join: unsafe extern "C" fn(*const c_char, u64, usize, usize) -> *mut c_void,
    leave: unsafe extern "C" fn(*mut c_void),
    sender: Attach,
    receiver: Attach,
    send: unsafe extern "C" fn(*mut c_void, *const u8, usize) -> c_int,
    poll: Take,
    wait: Take,
}

impl Functions {
    fn load(path: &Path) -> Fallible<Functions> {
        let library = Library::open(path)?;
        // SAFETY: the types are those of adapter.hpp.
        unsafe {
            Ok(Functions {
                error: library.function(c"adapter_error")?,
                join: library.function(c"adapter_join")?,
                leave: library.function(c"adapter_leave")?,
                sender: library.function(c"adapter_sender")?,
                receiver: library.function(c"adapter_receiver")?,
                send: library.function(c"adapter_send")?,
                poll: library.function(c"adapter_poll")?,
                wait: library.function(c"adapter_wait")?,
            })
        }
    }

    /// The error text of the last call that failed.
    fn error(&self) -> Box<dyn Error> {
        // SAFETY: a text that ends with a zero, and lives until the next call.
        unsafe { CStr::from_ptr((self.error)()) }.to_string_lossy().into()
    }
}

/// A process's member: its participant or node.
struct Member {
    functions: Functions,
    member: NonNull<c_void>,
}

impl Member {
    fn join(topic: &Topic) -> Fallible<Member> {
        let functions = Functions::load(&topic.library)?;
        let depth = (DEPTH.1 / topic.longest.max(1)).clamp(1, DEPTH.0);
        // SAFETY: the place ends with a zero.
        let member = unsafe { (functions.join)(topic.place.as_ptr(), topic.number, topic.longest, depth) };
        Ok(Member { functions, member: NonNull::new(member).ok_or_else(|| functions.error())? })
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        // SAFETY: the ends that it owns are used by nobody any more.
        unsafe { (self.functions.leave)(self.member.as_ptr()) };
    }
}

struct Topic {
    name: CString,
    library: PathBuf,
    place: CString,
    number: u64,
    longest: usize,
    member: Common<Member>,
    meeting: Meeting,
}

impl Topic {
    fn end(&self, attach: impl Fn(&Functions) -> Attach) -> Fallible<End> {
        let member = self.member.get(|| Member::join(self))?;
        let functions = member.functions;
        // SAFETY: the member is one of the library's, the name ends with a zero.
        let end = unsafe { attach(&functions)(member.member.as_ptr(), self.name.as_ptr()) };
        let end = NonNull::new(end).ok_or_else(|| functions.error())?;
        Ok(End { functions, end, _member: member })
    }
}

impl Link for Topic {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        let mut sender = self.end(|functions| functions.sender)?;
        self.meeting.call(&mut sender)?;
        Ok(Box::new(sender))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let mut receiver = self.end(|functions| functions.receiver)?;
        self.meeting.listen(|buffer| receiver.take(receiver.functions.poll, buffer))?;
        Ok(Box::new(receiver))
    }
}

/// A sender or a receiver, owned by the member.
struct End {
    functions: Functions,
    end: NonNull<c_void>,
    _member: Rc<Member>,
}

impl End {
    /// The length of the next message, if one is waiting.
    #[inline]
    fn take(&mut self, how: Take, buffer: &mut [u8]) -> Fallible<Option<usize>> {
        // SAFETY: a receiver, and a buffer that is as long as said.
        match unsafe { how(self.end.as_ptr(), buffer.as_mut_ptr(), buffer.len()) } {
            -1 => Ok(None),
            length => usize::try_from(length).map(Some).map_err(|_| self.functions.error()),
        }
    }
}

impl Sender for End {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        // SAFETY: a sender, and a message that lives across the call and is as long as said; the library copies it.
        match unsafe { (self.functions.send)(self.end.as_ptr(), message.as_ptr(), message.len()) } {
            0 => Ok(()),
            _ => Err(self.functions.error()),
        }
    }
}

impl Receiver for End {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.take(self.functions.poll, buffer)?.is_some_and(is_message))
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.take(self.functions.wait, buffer)?.is_some_and(is_message))
    }
}
