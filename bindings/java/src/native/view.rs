//! Messages where they lie.

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
    /// Looks at a message, and tells the view's number. In shared memory it is a direct buffer: the view must be closed when nobody
    /// has the buffer any more, and not before. Elsewhere it is an array, which Java's collector counts, as it does not what a
    /// direct buffer shows. Null, without a failure, if there is none.
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
        view.let_go();
        env.tell(number, &[VIEWS.give((view, len), None)])?;
        Ok(seen)
    }
    /// Whether it was whole all the while; then it is received, and told.
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
