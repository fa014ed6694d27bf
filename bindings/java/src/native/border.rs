//! The border between Java and Rust: no panic crosses it, and errors are a number and a message.

use crate::env::Env;
use crate::fail::{Fail, Result, code};
use jni_sys::{JNIEnv, jbyteArray, jclass, jint, jlong, jobject};
use std::any::Any;
use std::cell::RefCell;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// A method's return type, with a value that means failure.
pub(crate) trait Answer {
    const FAILED: Self;
}
impl Answer for jint {
    const FAILED: jint = jint::MIN;
}
impl Answer for jlong {
    const FAILED: jlong = jlong::MIN;
}
impl Answer for jobject {
    const FAILED: jobject = std::ptr::null_mut();
}

thread_local! {
    /// The error of this thread's last call; number 0 if it succeeded.
    static LAST: RefCell<(i32, String)> = const { RefCell::new((0, String::new())) };
}

fn remember(code: i32, text: String) {
    LAST.with_borrow_mut(|last| *last = (code, text));
}

/// Runs the body of a method.
///
/// # Safety
/// As for [`Env::new`].
pub(crate) unsafe fn call<T: Answer>(env: *mut JNIEnv, body: impl FnOnce(Env) -> Result<T>) -> T {
    LAST.with_borrow_mut(|last| last.0 = 0);
    // SAFETY: as the caller vouches.
    let env = unsafe { Env::new(env) };
    // Unwind-safe: after a panic the caller knows that there is a bug, and what was locked counts as closed.
    match catch_unwind(AssertUnwindSafe(|| body(env))) {
        Ok(Ok(answer)) => return answer,
        Ok(Err(Fail::Told(code, text))) => remember(code, text),
        Ok(Err(Fail::Thrown)) => {}
        Err(panic) => remember(code::BUG, words(&*panic)),
    }
    T::FAILED
}

fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str);
    let text = text.or_else(|| panic.downcast_ref::<&str>().copied()).unwrap_or("no reason given");
    format!("a bug in Saltus: {text}")
}

/// Native methods of class `org.saltus.Native`.
macro_rules! natives {
    ($($(#[$doc:meta])* fn $name:ident($env:ident $(, $argument:ident: $type:ty)* $(,)?) -> $answer:ty $body:block)*) => {$(
        $(#[$doc])*
        #[unsafe(no_mangle)]
        #[allow(non_snake_case)]
        extern "system" fn $name(
            env: *mut jni_sys::JNIEnv,
            _: jni_sys::jclass,
            $($argument: $type),*
        ) -> $answer {
            // SAFETY: the virtual machine calls this, by the types that class `Native` declares.
            unsafe { $crate::border::call(env, |$env: $crate::env::Env| $body) }
        }
    )*};
}
pub(crate) use natives;

/// The number of this thread's last failure, or 0.
#[unsafe(no_mangle)]
#[allow(non_snake_case)]
extern "system" fn Java_org_saltus_Native_lastCode(_: *mut JNIEnv, _: jclass) -> jint {
    LAST.with_borrow(|last| last.0)
}

natives! {
    /// The message of that failure, which this call clears.
    fn Java_org_saltus_Native_lastText(env) -> jbyteArray {
        env.array(LAST.take().1.as_bytes())
    }
}
