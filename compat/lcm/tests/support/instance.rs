//! The C functions, called from Rust.
#![allow(dead_code)] // each test uses some of it

use std::ffi::{CString, c_char, c_int, c_void};
use std::ptr::null_mut;

/// As in `lcm.h`.
#[repr(C)]
pub struct ReceiveBuffer {
    pub data: *mut c_void,
    pub data_size: u32,
    pub recv_utime: i64,
    pub lcm: *const lcm::Instance,
}

/// An `lcm_t`, destroyed in the end.
pub struct Lcm(pub *const lcm::Instance);

// SAFETY: as LCM has it, any thread may call its functions.
unsafe impl Send for Lcm {}
// SAFETY: as above.
unsafe impl Sync for Lcm {}

pub type Handler = unsafe extern "C-unwind" fn(*const c_void, *const c_char, *mut c_void);

/// What a handler receives: the name of the channel and the bytes.
pub type Received = Vec<(String, Vec<u8>)>;

/// Adds each message to the list that `user` leads to.
pub unsafe extern "C-unwind" fn collect(buffer: *const c_void, channel: *const c_char, user: *mut c_void) {
    // SAFETY: `user` is the list of the thread that handles messages; the others are as LCM has them.
    unsafe {
        let buffer = &*buffer.cast::<ReceiveBuffer>();
        let bytes = std::slice::from_raw_parts(buffer.data.cast::<u8>(), buffer.data_size as usize);
        let channel = std::ffi::CStr::from_ptr(channel).to_str().unwrap();
        (*user.cast::<Received>()).push((channel.into(), bytes.into()));
    }
}

impl Lcm {
    pub fn create(url: &str) -> Option<Lcm> {
        let url = CString::new(url).unwrap();
        // SAFETY: a string.
        let lcm = unsafe { lcm::lcm_create(url.as_ptr()) };
        (!lcm.is_null()).then_some(Lcm(lcm))
    }
    pub fn open(url: &str) -> Lcm {
        Lcm::create(url).unwrap_or_else(|| panic!("{url} does not open"))
    }
    pub fn publish(&self, channel: &str, data: &[u8]) -> c_int {
        let channel = CString::new(channel).unwrap();
        // SAFETY: an instance, a string and that many bytes.
        unsafe { lcm::lcm_publish(self.0, channel.as_ptr(), data.as_ptr().cast(), data.len() as u32) }
    }
    pub fn subscribe_with(
        &self,
        pattern: &str,
        handler: Handler,
        user: *mut c_void,
    ) -> *const lcm::LcmSubscription {
        let pattern = CString::new(pattern).unwrap();
        // SAFETY: an instance and a string; the handler fits what `user` leads to.
        unsafe { lcm::lcm_subscribe(self.0, pattern.as_ptr(), Some(handler), user) }
    }
    /// Collects what arrives, of any number.
    pub fn subscribe(&self, pattern: &str, into: &mut Received) -> *const lcm::LcmSubscription {
        let one = self.subscribe_with(pattern, collect, (&raw mut *into).cast());
        assert!(!one.is_null(), "{pattern}");
        self.set_capacity(one, 0);
        one
    }
    pub fn set_capacity(&self, one: *const lcm::LcmSubscription, capacity: c_int) {
        // SAFETY: a subscription.
        assert_eq!(unsafe { lcm::lcm_subscription_set_queue_capacity(one, capacity) }, 0);
    }
    pub fn queued(&self, one: *const lcm::LcmSubscription) -> c_int {
        // SAFETY: a subscription.
        unsafe { lcm::lcm_subscription_get_queue_size(one) }
    }
    pub fn unsubscribe(&self, one: *const lcm::LcmSubscription) -> c_int {
        // SAFETY: an instance and a subscription.
        unsafe { lcm::lcm_unsubscribe(self.0, one) }
    }
    pub fn handle_timeout(&self, ms: c_int) -> c_int {
        // SAFETY: an instance.
        unsafe { lcm::lcm_handle_timeout(self.0, ms) }
    }
    pub fn fileno(&self) -> c_int {
        // SAFETY: an instance.
        unsafe { lcm::lcm_get_fileno(self.0) }
    }
    /// Handles messages until there are `n` in the list, for at most 20 s.
    #[track_caller]
    pub fn handle_until(&self, list: &mut Received, n: usize) {
        let list: *const Received = list;
        // SAFETY: the list of this thread, which only handlers in this thread change, while they run.
        let len = || unsafe { (*list).len() };
        while len() < n {
            assert_eq!(self.handle_timeout(20_000), 1, "{} of {n}", len());
        }
    }
}

impl Drop for Lcm {
    fn drop(&mut self) {
        // SAFETY: an instance, not used afterwards.
        unsafe { lcm::lcm_destroy(self.0) };
        self.0 = null_mut();
    }
}
