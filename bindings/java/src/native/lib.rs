//! The native half of the Java package `org.saltus`: the methods of its class `Native`.
//!
//! - No panic and no misuse ends the virtual machine: handles are numbers that are looked up (`table`), arrays and buffers are checked
//!   (`env`, the only unsafe code), and errors and panics become codes and messages (`border`), which Java turns into exceptions.
//! - Nothing here calls back into Java, and no array is pinned.

mod border;
mod domain;
mod env;
mod fail;
mod list;
mod log;
mod log_writer;
mod publisher;
mod subscriber;
mod table;
mod time;
mod view;
mod wait;
