//! Views of messages in place.

use crate::border::natives;
use crate::fail::Fail;
use crate::subscriber::{Kept, SUBSCRIBERS, tell};
use crate::table::Table;
use crate::time;
use jni_sys::{jbyteArray, jint, jlong, jlongArray, jobject};
use saltus_domain::View;

/// A view, without the bytes that are its own, and its length.
static VIEWS: Table<(View, usize)> = Table::new("view");

natives! {
    /// Opens a view of a message and returns its handle. In shared memory the result is a direct buffer. Java must close the view when
    /// the buffer is unreachable, and not before. Other transports return an array, because Java's collector counts an array's
    /// memory, but not the memory behind a direct buffer. Null, without a failure, if there is no message.
    fn Java_org_saltus_Native_view(env, subscriber: jlong, timeout: jlong, number: jlongArray) -> jobject {
        let entry = SUBSCRIBERS.find(subscriber)?;
        let mut receiving = entry.lock()?;
        if receiving.gives_current() {
            return Err(Fail::invalid("receive the message first for which a buffer was too small"));
        }
        let view = receiving.subscriber.view(time::until(timeout)).map_err(Fail::from);
        let Some(mut view) = entry.or_closed(view)? else { return Ok(std::ptr::null_mut()) };
        let len = view.len();
        let seen = match view.own() {
            None => env.direct(&view)?,
            Some(bytes) => match env.array(bytes) {
                Ok(array) => array,
                Err(fail) => {
                    let receiving = &mut *receiving;
                    if let Ok(mut message) = receiving.subscriber.validate(&view) {
                        if let Some(kept) = &receiving.kept {
                            kept.count(&mut message);
                        }
                        receiving.kept = Some(Kept::of(&message, false));
                    }
                    return Err(fail);
                }
            },
        };
        view.release();
        env.tell(number, &[VIEWS.give((view, len), None)])?;
        Ok(seen)
    }
    /// Checks that the message was not overwritten. Then it counts as received, and its metadata is returned.
    fn Java_org_saltus_Native_viewValidate(
        env, subscriber: jlong, view: jlong, info: jlongArray, channel: jbyteArray,
    ) -> jint {
        let entry = SUBSCRIBERS.find(subscriber)?;
        let mut receiving = entry.lock()?;
        let view = VIEWS.find(view)?;
        let view = view.lock()?;
        let (view, len) = &*view;
        let receiving = &mut *receiving;
        let mut message = receiving.subscriber.validate(view)?;
        if let Some(kept) = receiving.kept.take() {
            kept.count(&mut message);
        }
        tell(env, &message, info, channel)?;
        env.tell(info, &[*len as jlong])?; // the message has no bytes of its own
        Ok(0)
    }
    fn Java_org_saltus_Native_viewClose(_env, view: jlong) -> jint {
        VIEWS.close(view);
        Ok(0)
    }
}
