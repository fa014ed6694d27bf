//! LCM's own C library, used directly. `udpm://` is wire-compatible with it. The library comes from the Python
//! environment of the conformance tests.

pub mod java;
pub mod node;

use super::library::Library;
use super::multicast::group;
use crate::case::Scenario;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::Fallible;
use std::cell::OnceCell;
use std::ffi::{CStr, CString, c_char, c_int, c_void};
use std::path::{Path, PathBuf};
use std::rc::Rc;
use std::{ptr, slice};

/// The library's path in the Python environment.
const LIBRARY: &str = "target/python-types/lib";
const MISSING: &str = "no liblcm: `python3 lab/conformance/types/environment.py` fetches it";
/// The receive buffer that its documentation recommends.
const BIG: (usize, c_int) = (4 << 20, 5_000);

/// Scenarios that stop at the first lost message, or need some messages to arrive.
const NEEDS_ALL: [Scenario; 2] = [Scenario::Pingpong, Scenario::Whole];

/// See the module.
#[derive(Clone, Copy)]
pub struct Lcm {
    /// With a large receive buffer and a long queue.
    pub big: bool,
}

/// The message, as declared in `lcm.h`.
#[repr(C)]
struct ReceiveBuffer {
    data: *const c_void,
    size: u32,
    _received: i64,
    _lcm: *mut c_void,
}

type Handler = extern "C" fn(*const ReceiveBuffer, *const c_char, *mut c_void);

struct Functions {
    create: unsafe extern "C" fn(*const c_char) -> *mut c_void,
    destroy: unsafe extern "C" fn(*mut c_void),
    subscribe: unsafe extern "C" fn(*mut c_void, *const c_char, Handler, *mut c_void) -> *mut c_void,
    set_capacity: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    publish: unsafe extern "C" fn(*mut c_void, *const c_char, *const c_void, u32) -> c_int,
    handle: unsafe extern "C" fn(*mut c_void) -> c_int,
    handle_timeout: unsafe extern "C" fn(*mut c_void, c_int) -> c_int,
    fileno: unsafe extern "C" fn(*mut c_void) -> c_int,
}

impl Functions {
    fn load() -> Fallible<Functions> {
        let library = Library::open(&path().ok_or(MISSING)?)?;
        // SAFETY: the types are those of lcm.h of LCM 1.5.3.
        unsafe {
            Ok(Functions {
                create: library.function(c"lcm_create")?,
                destroy: library.function(c"lcm_destroy")?,
                subscribe: library.function(c"lcm_subscribe")?,
                set_capacity: library.function(c"lcm_subscription_set_queue_capacity")?,
                publish: library.function(c"lcm_publish")?,
                handle: library.function(c"lcm_handle")?,
                handle_timeout: library.function(c"lcm_handle_timeout")?,
                fileno: library.function(c"lcm_get_fileno")?,
            })
        }
    }
}

/// The path of the library, if it exists.
fn path() -> Option<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../..").join(LIBRARY);
    let pythons = std::fs::read_dir(root).ok()?.flatten();
    pythons.map(|python| python.path().join("site-packages/lib/liblcm.so.1")).find(|path| path.is_file())
}

/// One `lcm_t`.
struct Instance {
    functions: Functions,
    lcm: *mut c_void,
}

impl Instance {
    fn open(url: &str) -> Fallible<Rc<Instance>> {
        let functions = Functions::load()?;
        let text = CString::new(url)?;
        // SAFETY: the URL ends with a zero; the library copies it.
        let lcm = unsafe { (functions.create)(text.as_ptr()) };
        if lcm.is_null() {
            return Err(format!("lcm_create({url}) failed").into());
        }
        Ok(Rc::new(Instance { functions, lcm }))
    }
}

impl Drop for Instance {
    fn drop(&mut self) {
        // SAFETY: nobody else has it any more.
        unsafe { (self.functions.destroy)(self.lcm) };
    }
}

struct Bus {
    url: String,
    channel: CString,
    big: bool,
    /// Opened by the process that attaches; several links of one process may share it.
    instance: Rc<OnceCell<Rc<Instance>>>,
}

impl Bus {
    fn instance(&self) -> Fallible<Rc<Instance>> {
        if let Some(instance) = self.instance.get() {
            return Ok(instance.clone());
        }
        let opened = Instance::open(&self.url)?;
        let _ = self.instance.set(opened.clone()); // it was empty
        Ok(opened)
    }
}

impl Contender for Lcm {
    fn name(&self) -> &'static str {
        if self.big { "lcm-big" } else { "lcm" }
    }

    fn version(&self) -> Option<String> {
        let packages = path()?.ancestors().nth(2)?.read_dir().ok()?;
        let mut names = packages.flatten().filter_map(|package| package.file_name().into_string().ok());
        names.find_map(|name| Some(name.strip_prefix("lcm-")?.strip_suffix(".dist-info")?.into()))
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        match ask {
            _ if path().is_none() => Err(MISSING),
            _ if ask.within => Err("measured between processes"),
            _ if NEEDS_ALL.contains(&ask.scenario) && ask.size > 150_000 && !self.big => {
                Err("loses messages of this length with its default buffer: see the scenario `rate`")
            }
            _ if ask.stock => Err("asks for no larger buffer by default"),
            _ => Ok(()),
        }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        Ok(Box::new(self.bus(ask.number, &ask.name, Rc::default())?))
    }

    fn pair(&self, there: &Ask, back: &Ask) -> Fallible<[Box<dyn Link>; 2]> {
        let instance = Rc::<OnceCell<_>>::default();
        let link = |ask: &Ask| self.bus(there.number, &ask.name, instance.clone());
        Ok([Box::new(link(there)?), Box::new(link(back)?)])
    }
}

impl Lcm {
    fn bus(&self, number: u64, name: &str, instance: Rc<OnceCell<Rc<Instance>>>) -> Fallible<Bus> {
        Ok(Bus { url: self.url(number), channel: CString::new(name)?, big: self.big, instance })
    }

    /// The URL of connection `number`.
    pub fn url(self, number: u64) -> String {
        let buffer = if self.big { format!("&recv_buf_size={}", BIG.0) } else { String::new() };
        format!("udpm://{}?ttl=0{buffer}", group(number))
    }
}

impl Link for Bus {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        Ok(Box::new(In { instance: self.instance()?, channel: self.channel.clone() }))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let queue = self.big.then_some(BIG.1);
        Ok(Box::new(Out::subscribe(self.instance()?, &self.channel, queue)?))
    }
}

/// A sender on a channel of a network, by LCM's URL.
pub fn sender(url: &str, channel: &str) -> Fallible<Box<dyn Sender>> {
    Ok(Box::new(In { instance: Instance::open(url)?, channel: CString::new(channel)? }))
}

struct In {
    instance: Rc<Instance>,
    channel: CString,
}

impl Sender for In {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        let (at, len) = (message.as_ptr().cast(), message.len() as u32);
        // SAFETY: the message lives across the call and is as long as said.
        match unsafe { (self.instance.functions.publish)(self.instance.lcm, self.channel.as_ptr(), at, len) }
        {
            0 => Ok(()),
            error => Err(format!("lcm_publish returned {error}").into()),
        }
    }
}

/// The buffer into which the handler copies a message.
struct Inbox {
    to: *mut u8,
    room: usize,
    got: bool,
}

/// The handler of all subscriptions.
extern "C" fn keep(message: *const ReceiveBuffer, _: *const c_char, inbox: *mut c_void) {
    // SAFETY: LCM gives a message that lives across the call, and the inbox of the `Out` that lets it be handled.
    unsafe {
        let (message, inbox) = (&*message, &mut *inbox.cast::<Inbox>());
        let len = (message.size as usize).min(inbox.room);
        let bytes = slice::from_raw_parts(message.data.cast::<u8>(), len);
        ptr::copy_nonoverlapping(bytes.as_ptr(), inbox.to, len);
        inbox.got = true;
    }
}

struct Out {
    instance: Rc<Instance>,
    inbox: *mut Inbox,
}

impl Out {
    /// Subscribes to the channels that match a regular expression, with a queue of the given length or the library's
    /// default.
    fn subscribe(instance: Rc<Instance>, channels: &CStr, queue: Option<c_int>) -> Fallible<Out> {
        let inbox = Box::into_raw(Box::new(Inbox { to: ptr::null_mut(), room: 0, got: false }));
        let out = Out { instance, inbox };
        let functions = &out.instance.functions;
        // SAFETY: the channel ends with a zero, and the inbox lives as long as `Out`, which alone lets the handler run.
        unsafe {
            let subscription = (functions.subscribe)(out.instance.lcm, channels.as_ptr(), keep, inbox.cast());
            let is_refused = |queue| (functions.set_capacity)(subscription, queue) != 0;
            if subscription.is_null() || queue.is_some_and(is_refused) {
                return Err("lcm_subscribe failed".into());
            }
        }
        Ok(out)
    }

    fn take(&mut self, buffer: &mut [u8], handle: impl FnOnce(&Instance) -> c_int) -> Fallible<bool> {
        // SAFETY: the inbox was made by `receiver` and is freed in `drop`; no handler runs meanwhile.
        unsafe { *self.inbox = Inbox { to: buffer.as_mut_ptr(), room: buffer.len(), got: false } };
        if handle(&self.instance) < 0 {
            return Err("lcm_handle failed".into());
        }
        // SAFETY: as above.
        Ok(unsafe { (*self.inbox).got })
    }
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        // SAFETY: the instance is open.
        self.take(buffer, |i| unsafe { (i.functions.handle_timeout)(i.lcm, 0) })
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        // SAFETY: the instance is open.
        self.take(buffer, |i| unsafe { (i.functions.handle)(i.lcm) })
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        // SAFETY: made by `receiver`. Handlers run in calls of `take` alone, and there are none any more.
        drop(unsafe { Box::from_raw(self.inbox) });
    }
}
