//! The seqlock ring for the data and one eventfd for each reader as the bell: the writer always writes to it.

use super::ring::{RingReader, RingWriter, Rings};
use crate::case::{Mode, Scenario};
use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::{Fallible, check};
use std::fs::File;
use std::io::{Read, Write};
use std::os::fd::FromRawFd;
use std::rc::Rc;

/// See the module.
pub struct Eventfd;

struct EventLink {
    rings: Rc<Rings>,
    bells: Vec<File>,
}

impl Contender for Eventfd {
    fn name(&self) -> &'static str {
        "eventfd"
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        match ask {
            a if a.mode != Mode::Sleep => Err("without blocked readers it is the seqlock ring"),
            a if a.writers > 1 => Err("measured with one writer only"),
            a if a.scenario == Scenario::Copy => Err("its copy is the seqlock ring's"),
            _ => Ok(()),
        }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        let bells = (0..ask.readers)
            .map(|_| {
                // SAFETY: the descriptor is new and ours.
                unsafe { Ok(File::from_raw_fd(check("eventfd", libc::eventfd(0, libc::EFD_CLOEXEC))?)) }
            })
            .collect::<Fallible<_>>()?;
        Ok(Box::new(EventLink { rings: Rings::new(1, ask.depth, ask.size)?, bells }))
    }
}

impl Link for EventLink {
    fn sender(&self, index: usize) -> Fallible<Box<dyn Sender>> {
        let bells = self.bells.iter().map(File::try_clone).collect::<Result<_, _>>()?;
        Ok(Box::new(Ringing { writer: RingWriter::new(&self.rings, index), bells }))
    }

    fn receiver(&self, index: usize) -> Fallible<Box<dyn Receiver>> {
        let bell = self.bells[index].try_clone()?;
        Ok(Box::new(Sleeper { reader: RingReader::new(&self.rings, 1), bell }))
    }
}

struct Ringing {
    writer: RingWriter,
    bells: Vec<File>,
}

impl Sender for Ringing {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        self.writer.put(message);
        for bell in &mut self.bells {
            bell.write_all(&1u64.to_ne_bytes())?;
        }
        Ok(())
    }
}

struct Sleeper {
    reader: RingReader,
    bell: File,
}

impl Receiver for Sleeper {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        Ok(self.reader.get(buffer))
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        if !self.reader.get(buffer) {
            self.bell.read_exact(&mut [0; 8])?;
            return Ok(self.reader.get(buffer));
        }
        Ok(true)
    }
}
