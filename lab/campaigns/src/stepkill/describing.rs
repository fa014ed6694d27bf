//! Killed while describing its messages.

use super::publishing::NAME;
use super::runner::Operation;
use super::tracee::{begin, end};
use crate::report::Failure;
use saltus_channel::{Attributes, Channel, Description, Directory};
use std::path::{Path, PathBuf};

/// A publisher describes a type; this many were described before.
#[derive(Clone, Copy, Debug)]
pub struct Describing {
    pub before: usize,
}

pub struct World {
    domain: Directory,
    channel: Channel,
}

fn description(i: usize) -> Description {
    Description {
        name: format!("campaign.t{i}"),
        fingerprint: i as u64,
        schema: format!("package campaign;\nstruct t{i} {{ int32_t x; }}\n"),
    }
}

fn describe(channel: &Channel, i: usize) -> Result<(), Failure> {
    let Description { name, fingerprint, schema } = description(i);
    Ok(channel.publisher()?.describe(&name, fingerprint, &schema)?)
}

impl Operation for Describing {
    type World = World;

    fn name(&self) -> String {
        "describe a type".into()
    }
    fn case(&self) -> String {
        format!("{} described before", self.before)
    }

    fn build(&self, ground: &Path) -> Result<World, Failure> {
        let domain = Directory::open(&format!("shm://{}", ground.display()))?;
        let channel = domain.create(NAME, &Attributes::new().depth(1).max_message_size(64))?;
        (0..self.before).try_for_each(|i| describe(&channel, i))?;
        Ok(World { domain, channel })
    }

    fn act(&self, world: &World) -> Result<(), Failure> {
        let publisher = world.channel.publisher()?;
        let Description { name, fingerprint, schema } = description(self.before);
        begin();
        publisher.describe(&name, fingerprint, &schema)?;
        end();
        Ok(())
    }

    fn files(&self, world: &World) -> Vec<PathBuf> {
        vec![world.domain.path().join(NAME).join("types")]
    }

    /// Earlier descriptions are readable, the last one whole or not at all; and the next one is stored.
    fn check(&self, world: World, _: &Path, _: usize) -> Result<(), Failure> {
        let expected = |n: usize| (0..n).map(description).collect::<Vec<_>>();
        let reported = world.channel.descriptions()?;
        if reported != expected(self.before) && reported != expected(self.before + 1) {
            return Err(
                format!("{} types are described, not {} or one more", reported.len(), self.before).into()
            );
        }
        describe(&world.channel, self.before)?;
        describe(&world.channel, self.before + 1)?;
        if world.channel.descriptions()? != expected(self.before + 2) {
            return Err("the next publisher's description did not arrive".into());
        }
        world.domain.unlink(NAME)?;
        Ok(())
    }
}

/// All cases. The runner maps the files that it watches, which must not be empty.
pub fn operations() -> Vec<Describing> {
    [1].map(|before| Describing { before }).into()
}
