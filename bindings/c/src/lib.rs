//! The C interface of Saltus: thin functions over channels, domains and logs, one concept each, with the names it has in Rust.
//!
//! `include/saltus.h` is made from these files by cbindgen, and a test finds any difference; the comments above the
//! functions are therefore written for readers of the header. The conventions of all functions (codes, threads,
//! ownership, time) are described once, at the top of the header, in `cbindgen.toml`.
//!
//! | file | contents |
//! |---|---|
//! | `code`, `message` | errors, and the message of the last one |
//! | `border` | the border between C and Rust: panics and NULLs |
//! | `handle`, `asymmetric` | handles as numbers; closed or invented ones are rejected; one call at a time |
//! | `lender` | a handle, and the loan or view borrowed from it between two calls |
//! | `sized` | structures that may grow |
//! | `wait` | waiting for several, descriptors and canceling, for channels and domains |
//! | `clock`, `types`, `version` | times, types of messages and the version |
//! | `channel`, `attributes`, `info`, `publisher`, `options`, `subscriber`, `receive` | the functions over channels |
//! | `domain`, `domain_publisher`, `domain_message`, `domain_subscriber`, `dispatcher` | those over domains |
//! | `log` | those over logs |
//!
//! No two files use each other, directly or through others.

// The rules for all pointers are at the top of the header; a section in each function would repeat them.
#![allow(clippy::missing_safety_doc)]

mod asymmetric;
mod attributes;
mod border;
mod channel;
mod clock;
mod code;
mod dispatcher;
mod domain;
mod domain_message;
mod domain_publisher;
mod domain_subscriber;
mod handle;
mod info;
mod lender;
mod log;
mod message;
mod options;
mod publisher;
mod receive;
mod sized;
mod subscriber;
mod types;
mod version;
mod wait;

pub use attributes::*;
pub use channel::*;
pub use clock::*;
pub use code::*;
pub use dispatcher::*;
pub use domain::*;
pub use domain_message::*;
pub use domain_publisher::*;
pub use domain_subscriber::*;
pub use info::*;
pub use log::*;
pub use message::saltus_last_error;
pub use options::*;
pub use publisher::*;
pub use receive::*;
pub use subscriber::*;
pub use types::*;
pub use version::*;

/// Checks that the types allow the use by threads that the header documents.
const _: fn() = || {
    fn by_all_at_once<T: Send + Sync>() {}
    fn handed_on<T: Send>() {}
    by_all_at_once::<saltus_channel::Channel>();
    by_all_at_once::<saltus_domain::Domain>();
    by_all_at_once::<saltus_domain::CancelHandle>();
    handed_on::<saltus_channel::Publisher>();
    handed_on::<saltus_channel::Loan<'static>>();
    handed_on::<saltus_channel::Subscriber>();
    handed_on::<saltus_channel::View<'static>>();
};
