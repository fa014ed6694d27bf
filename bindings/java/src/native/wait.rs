//! Waiting on several subscribers at once.

use crate::border::natives;
use crate::fail::{Fail, Result};
use crate::subscriber::SUBSCRIBERS;
use crate::time;
use jni_sys::{jint, jlong, jlongArray};
use saltus_domain::{Subscriber, wait_any};

natives! {
    /// The index of the first subscriber that has a new message; -1 on timeout.
    fn Java_org_saltus_Native_waitAny(env, subscribers: jlongArray, timeout: jlong) -> jint {
        let handles = env.longs(subscribers)?;
        let entries = handles.iter().map(|&handle| SUBSCRIBERS.find(handle)).collect::<Result<Vec<_>>>()?;
        if handles.iter().enumerate().any(|(i, handle)| handles[..i].contains(handle)) {
            return Err(Fail::invalid("a subscriber is given twice"));
        }
        let mut locked = entries.iter().map(|entry| entry.lock()).collect::<Result<Vec<_>>>()?;
        if let Some(i) = locked.iter().position(|receiving| receiving.gives_current()) {
            return Ok(i as jint);
        }
        let mut waiting: Vec<&mut Subscriber> = locked.iter_mut().map(|r| &mut r.subscriber).collect();
        let mut found = wait_any(&mut waiting, time::until(timeout)).map_err(Fail::from);
        for entry in &entries {
            found = entry.or_closed(found);
        }
        Ok(found?.map_or(-1, |i| i as jint))
    }
}
