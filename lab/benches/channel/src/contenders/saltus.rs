//! Saltus: published by copy and received into a buffer, or loaned and viewed in place. Both with default options:
//! timestamps, counters and latencies. The bare form copies, without these three; the difference is their cost
//! (mostly two clock readings for each message).

use crate::contender::{Ask, Contender, Link, Receiver, Sender};
use crate::error::Fallible;
use crate::message::HEAD;
use saltus_channel::{
    Attributes, Channel, Directory, Publisher, Start, Subscriber, SubscriberOptions, Until, Which,
};
use std::path::PathBuf;

/// See the module.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Saltus {
    /// Copies in and out.
    Copy,
    /// Builds and reads in place.
    Loan,
    /// Copies, without timestamps and counters.
    Bare,
}

/// A separate domain for every connection, removed with it.
struct SaltusLink {
    directory: PathBuf,
    form: Saltus,
}

const CHANNEL: &str = "bench";

impl Contender for Saltus {
    fn name(&self) -> &'static str {
        match self {
            Saltus::Copy => "saltus",
            Saltus::Loan => "saltus-loan",
            Saltus::Bare => "saltus-bare",
        }
    }

    fn supports(&self, ask: &Ask) -> Result<(), &'static str> {
        match ask {
            // Timestamps are what orders the lanes of several publishers.
            _ if *self == Saltus::Bare && ask.writers > 1 => Err("without timestamps, one publisher"),
            _ if ask.one_group => Err("a channel has one direction: the same as on two groups"),
            _ if ask.stock => Err("has no receive buffer"),
            _ => Ok(()),
        }
    }

    fn link(&self, ask: &Ask) -> Fallible<Box<dyn Link>> {
        let link = SaltusLink {
            directory: PathBuf::from("/dev/shm").join(format!("{}-saltus", ask.name)),
            form: *self,
        };
        let attributes = Attributes::new()
            .depth(ask.depth as u64)
            .max_message_size(ask.size as u64)
            .reserve_publishers(ask.writers as u32)
            .timestamps(*self != Saltus::Bare)
            .prefault(true);
        link.domain()?.create(CHANNEL, &attributes)?;
        Ok(Box::new(link))
    }
}

impl SaltusLink {
    fn domain(&self) -> Fallible<Directory> {
        Ok(Directory::open(&format!("shm://{}", self.directory.display()))?)
    }

    fn channel(&self) -> Fallible<Channel> {
        Ok(self.domain()?.open_channel(CHANNEL)?)
    }
}

impl Link for SaltusLink {
    fn sender(&self, _index: usize) -> Fallible<Box<dyn Sender>> {
        Ok(Box::new(In { publisher: self.channel()?.publisher()?, in_place: self.form == Saltus::Loan }))
    }

    fn receiver(&self, _index: usize) -> Fallible<Box<dyn Receiver>> {
        let options = SubscriberOptions::new().start(Start::Now).counters(self.form != Saltus::Bare);
        let subscriber = self.channel()?.subscriber_with(options)?;
        Ok(Box::new(Out { subscriber, in_place: self.form == Saltus::Loan }))
    }
}

impl Drop for SaltusLink {
    fn drop(&mut self) {
        // A directory that cannot be removed stays visible in /dev/shm; nothing else can be done here.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

struct In {
    publisher: Publisher,
    in_place: bool,
}

impl Sender for In {
    fn send(&mut self, message: &[u8]) -> Fallible<()> {
        if self.in_place {
            let mut loan = self.publisher.loan(message.len())?;
            loan[..HEAD].copy_from_slice(&message[..HEAD]);
            loan.publish(message.len())?;
        } else {
            self.publisher.publish(message)?;
        }
        Ok(())
    }
}

struct Out {
    subscriber: Subscriber,
    in_place: bool,
}

impl Out {
    #[inline]
    fn receive(&mut self, until: Until, buffer: &mut [u8]) -> Fallible<bool> {
        if !self.in_place {
            return Ok(self.subscriber.receive(Which::Next, until, buffer)?.is_some());
        }
        let Some(view) = self.subscriber.view(Which::Next, until)? else { return Ok(false) };
        view.copy_to(0, &mut buffer[..HEAD]);
        // A view that was overwritten while it was read is not a message.
        Ok(view.validate().is_ok())
    }
}

impl Receiver for Out {
    fn poll(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.receive(Until::Poll, buffer)
    }

    fn wait(&mut self, buffer: &mut [u8]) -> Fallible<bool> {
        self.receive(Until::Forever, buffer)
    }
}
