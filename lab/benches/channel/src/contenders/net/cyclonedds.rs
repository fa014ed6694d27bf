//! CycloneDDS' C library, used directly: one topic of `sequence<octet>`, reliable, with the whole history kept on
//! both sides, so that a writer waits for readers that are far behind. A reader takes the waiting messages, and
//! blocks in a waitset.

mod ddsc;

use super::meeting::{Meeting, is_message};
use super::member::Common;
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::contenders::version;
use crate::error::Fallible;
use ddsc::{ANY_STATE, Entity, FOREVER, Functions, Info, KEEP_ALL, MISSING, RELIABLE, Sequence, done};
use std::ffi::{CString, c_void};
use std::ptr;
use std::rc::Rc;

/// Configures the loopback only, with multicast.
const CONFIG: &std::ffi::CStr = c"<CycloneDDS><Domain><General><Interfaces>\
    <NetworkInterface name=\"lo\" multicast=\"true\"/></Interfaces></General></Domain></CycloneDDS>";
/// The number of usable domains, without those whose ports other programs may use.
const DOMAINS: u64 = 200;
/// How long a writer may wait for its readers, nanoseconds.
const PATIENCE: i64 = 10_000_000_000;

/// See the module.
pub struct Cyclonedds;

impl Contender for Cyclonedds {
    fn name(&self) -> &'static str {
        "cyclonedds"
    }

    fn version(&self) -> Option<String> {
        version::package("libddsc0debian")
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        match ask {
            _ if !ddsc::is_there() => Err(MISSING),
            _ if ask.within => Err("measured between processes"),
            _ if ask.stock => Err("has no separate receive buffer"),
            _ => Ok(()),
        }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        Ok(Box::new(Topic::new(ask, ask.number, &Common::default())?))
    }

    fn pair(&self, there: &Ask, back: &Ask) -> Fallible<[Box<dyn Link>; 2]> {
        let shared = Common::default();
        let link = |ask: &Ask| Topic::new(ask, there.number, &shared);
        Ok([Box::new(link(there)?), Box::new(link(back)?)])
    }
}

/// The participant of a process.
struct Participant {
    functions: Functions,
    domain: Entity,
    entity: Entity,
}

impl Participant {
    fn join(number: u64) -> Fallible<Participant> {
        let functions = Functions::load()?;
        let id = (number % DOMAINS) as u32;
        // SAFETY: the configuration ends with a zero; no QoS and no listener are given.
        unsafe {
            let domain = done("dds_create_domain", (functions.create_domain)(id, CONFIG.as_ptr()))?;
            let entity = (functions.create_participant)(id, ptr::null(), ptr::null());
            let entity = done("dds_create_participant", entity)?;
            Ok(Participant { functions, domain, entity })
        }
    }

    /// A topic of bytes, and a reader or a writer of it.
    fn end(&self, topic: &CString, create: ddsc::CreateEnd) -> Fallible<Entity> {
        let functions = &self.functions;
        // SAFETY: the descriptor is of the library's layout and lives for ever, the name ends with a zero, the QoS is made and deleted
        // here; the library copies name and QoS.
        unsafe {
            let (name, nothing) = (topic.as_ptr(), ptr::null());
            let topic = (functions.create_topic)(self.entity, ddsc::bytes(), name, nothing, nothing);
            let topic = done("dds_create_topic", topic)?;
            let qos = (functions.create_qos)();
            (functions.set_reliability)(qos, RELIABLE, PATIENCE);
            (functions.set_history)(qos, KEEP_ALL, 0);
            let end = create(self.entity, topic, qos, nothing);
            (functions.delete_qos)(qos);
            done("dds_create_reader or dds_create_writer", end)
        }
    }
}

impl Drop for Participant {
    fn drop(&mut self) {
        // SAFETY: deletes what hangs on it too; nobody uses any of it any more.
        unsafe { (self.functions.delete)(self.domain) };
    }
}

struct Topic {
    name: CString,
    domain: u64,
    participant: Common<Participant>,
    meeting: Meeting,
}

impl Topic {
    fn new(ask: &Ask, domain: u64, participant: &Common<Participant>) -> Fallible<Topic> {
        // Only these characters may be in the name of a topic here.
        let (name, meeting) = (CString::new(ask.name.replace('-', "_"))?, Meeting::new(ask)?);
        Ok(Topic { name, domain, participant: participant.clone(), meeting })
    }

    fn participant(&self) -> Fallible<Rc<Participant>> {
        self.participant.get(|| Participant::join(self.domain))
    }
}

impl Link for Topic {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        let participant = self.participant()?;
        let writer = participant.end(&self.name, participant.functions.create_writer)?;
        let mut sender = In { participant, writer };
        self.meeting.call(&mut sender)?;
        Ok(Box::new(sender))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let participant = self.participant()?;
        let reader = participant.end(&self.name, participant.functions.create_reader)?;
        let functions = &participant.functions;
        // SAFETY: plain calls on entities that exist; what they return is checked.
        let waitset = unsafe {
            let condition = (functions.create_readcondition)(reader, ANY_STATE);
            let condition = done("dds_create_readcondition", condition)?;
            let waitset = (functions.create_waitset)(participant.entity);
            let waitset = done("dds_create_waitset", waitset)?;
            done("dds_waitset_attach", (functions.waitset_attach)(waitset, condition, 0))?;
            waitset
        };
        let mut out = Out { participant, reader, waitset, sample: Sequence::EMPTY };
        self.meeting.listen(|buffer| out.take(buffer))?;
        Ok(Box::new(out))
    }
}

struct In {
    participant: Rc<Participant>,
    writer: Entity,
}

impl Sender for In {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        let sample = Sequence::of(message);
        // SAFETY: the sample is of the topic's type, and the message lives across the call; the library reads it only.
        let code = unsafe { (self.participant.functions.write)(self.writer, ptr::from_ref(&sample).cast()) };
        done("dds_write", code).map(|_| ())
    }
}

struct Out {
    participant: Rc<Participant>,
    reader: Entity,
    waitset: Entity,
    /// The buffer that the library fills and grows as needed.
    sample: Sequence,
}

impl Out {
    /// The next message, if one is waiting: returns its length, and copies as much of it as fits.
    fn take(&mut self, buffer: &mut [u8]) -> Fallible<Option<usize>> {
        let mut samples = [ptr::from_mut(&mut self.sample).cast::<c_void>()];
        let mut info = Info::default();
        // SAFETY: one sample of the topic's type and one place for what is told of it, as said.
        let code =
            unsafe { (self.participant.functions.take)(self.reader, samples.as_mut_ptr(), &mut info, 1, 1) };
        if done("dds_take", code)? == 0 || !info.valid_data {
            return Ok(None);
        }
        let bytes = self.sample.bytes();
        let len = bytes.len().min(buffer.len());
        buffer[..len].copy_from_slice(&bytes[..len]);
        Ok(Some(bytes.len()))
    }
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.take(buffer)?.is_some_and(is_message))
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        loop {
            if let Some(length) = self.take(buffer)? {
                return Ok(is_message(length));
            }
            // SAFETY: room for no condition is asked for.
            let code = unsafe {
                (self.participant.functions.waitset_wait)(self.waitset, ptr::null_mut(), 0, FOREVER)
            };
            done("dds_waitset_wait", code)?;
        }
    }
}

impl Drop for Out {
    fn drop(&mut self) {
        // SAFETY: the library's own memory, or none.
        unsafe { (self.participant.functions.free)(self.sample.buffer.cast()) };
    }
}
