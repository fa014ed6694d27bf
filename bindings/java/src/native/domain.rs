//! Domains.

use crate::border::natives;
use crate::env::Env;
use crate::fail::{Fail, Result};
use crate::list;
use crate::publisher::PUBLISHERS;
use crate::subscriber::{Receiving, SUBSCRIBERS};
use crate::table::Table;
use jni_sys::{jbyteArray, jint, jlong};
use saltus_domain::{Description, Domain, Expected, Options, Pattern, Start};

static DOMAINS: Table<Domain> = Table::new("domain");

/// The type of messages, unless its name is null.
pub(crate) fn description(
    env: Env,
    name: jbyteArray,
    fingerprint: jlong,
    schema: jbyteArray,
) -> Result<Option<Description>> {
    if name.is_null() {
        return Ok(None);
    }
    let (name, schema) = (env.text(name)?, env.text(schema)?);
    Ok(Some(Description { name, fingerprint: fingerprint as u64, schema }))
}

/// The meaning of `channels`, by numbers of class `Native`.
fn pattern(env: Env, channels: jbyteArray, by: jint) -> Result<Pattern> {
    Ok(match by {
        0 => Pattern::name(env.bytes(channels)?)?,
        _ => Pattern::regex(&env.text(channels)?)?,
    })
}

fn options(depth: jlong, start: jint) -> Result<Options> {
    let options = match u64::try_from(depth) {
        Ok(0) => Options::newest(),
        Ok(depth) => Options::next(depth),
        Err(_) => return Err(Fail::invalid(format!("a depth of {depth}: it is 1 or more"))),
    };
    Ok(options.start(match start {
        0 => Start::Newest,
        1 => Start::Now,
        _ => Start::Oldest,
    }))
}

natives! {
    /// Opens a domain. For an empty URL it uses the environment's.
    fn Java_org_saltus_Native_domainOpen(env, url: jbyteArray) -> jlong {
        Ok(DOMAINS.give(Domain::open(&env.text(url)?)?, None))
    }
    /// The URL that it was opened with.
    fn Java_org_saltus_Native_domainUrl(env, domain: jlong) -> jbyteArray {
        env.array(DOMAINS.find(domain)?.share().url().as_bytes())
    }
    /// The names of the domain's channels.
    fn Java_org_saltus_Native_domainChannels(env, domain: jlong) -> jbyteArray {
        let names = DOMAINS.find(domain)?.share().channels()?;
        list::array(env, names.iter().map(|name| (name.as_bytes(), 0)))
    }
    fn Java_org_saltus_Native_domainClose(_env, domain: jlong) -> jint {
        DOMAINS.close(domain);
        Ok(0)
    }
    /// Opens a publisher in a channel.
    fn Java_org_saltus_Native_publisherOpen(
        env, domain: jlong, channel: jbyteArray, name: jbyteArray, fingerprint: jlong, schema: jbyteArray,
    ) -> jlong {
        let domain = DOMAINS.find(domain)?.share();
        let channel = env.bytes(channel)?;
        let publisher = match description(env, name, fingerprint, schema)? {
            Some(what) => domain.publisher_described(&channel, &what)?,
            None => domain.publisher(&channel)?,
        };
        Ok(PUBLISHERS.give((publisher, Vec::new()), None))
    }
    /// Opens a subscriber of channels.
    fn Java_org_saltus_Native_subscriberOpen(
        env, domain: jlong, channels: jbyteArray, by: jint, depth: jlong, start: jint,
        name: jbyteArray, fingerprint: jlong, schema: jbyteArray,
    ) -> jlong {
        let domain = DOMAINS.find(domain)?.share();
        let (pattern, options) = (pattern(env, channels, by)?, options(depth, start)?);
        let (mut subscriber, expected) = match description(env, name, fingerprint, schema)? {
            Some(what) => (domain.subscriber_described(pattern, options, &what)?, Some(Expected::new(what))),
            None => (domain.subscriber_with(pattern, options)?, None),
        };
        let cancel = subscriber.cancel_handle();
        Ok(SUBSCRIBERS.give(Receiving { subscriber, expected, kept: None }, Some(cancel)))
    }
}
