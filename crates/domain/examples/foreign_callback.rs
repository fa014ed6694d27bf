//! A publisher inside a foreign framework's callback, as robot vendors' SDKs require. The framework calls from its
//! own thread, at its own rate, with memory that is freed when the callback returns. Publishing copies and never
//! blocks, so the callback can publish directly.
//!
//! ```sh
//! cargo run -p saltus-domain --example foreign_callback shm:// &
//! saltus echo imu --hex
//! ```

use saltus_domain::{Domain, Publisher};
use std::error::Error;
use std::time::Duration;

/// A stand-in for the vendor's library: it accepts a callback and a pointer that it passes back, as in C.
mod vendor {
    use std::ffi::c_void;
    use std::time::Duration;

    /// Called with that pointer, and with data that is valid during the call.
    pub type Callback = extern "C" fn(user: *mut c_void, data: *const u8, len: usize);

    /// Calls back from its own thread for a while, and then never again.
    pub fn run_for(time: Duration, callback: Callback, user: *mut c_void) {
        struct Word(*mut c_void);
        // SAFETY: the vendor promises only that one thread uses it at a time.
        unsafe impl Send for Word {}
        let word = Word(user);
        let thread = std::thread::spawn(move || {
            let word = word;
            for n in 0..time.as_millis() as u64 {
                let data = n.to_be_bytes();
                callback(word.0, data.as_ptr(), data.len());
                std::thread::sleep(Duration::from_millis(1));
            }
        });
        let _ = thread.join();
    }
}

/// The state of the callback.
struct Context {
    publisher: Publisher,
    /// A callback cannot return an error: it is kept here for `main`.
    failed: Option<saltus_domain::Error>,
}

extern "C" fn on_data(user: *mut std::ffi::c_void, data: *const u8, len: usize) {
    // SAFETY: `main` passed its context, which outlives the vendor's thread and is not used by others in the
    // meantime.
    let context = unsafe { &mut *user.cast::<Context>() };
    // SAFETY: the vendor documents that `len` bytes are readable during this call.
    let data = unsafe { std::slice::from_raw_parts(data, len) };
    if let Err(e) = context.publisher.publish(data) {
        context.failed = Some(e);
    }
}

fn main() -> Result<(), Box<dyn Error>> {
    let domain = Domain::open(&std::env::args().nth(1).unwrap_or_else(|| "shm://".into()))?;
    let mut context = Context { publisher: domain.publisher("imu")?, failed: None };
    vendor::run_for(Duration::from_secs(2), on_data, std::ptr::from_mut(&mut context).cast());
    context.failed.map_or(Ok(()), |e| Err(e.into()))
}
