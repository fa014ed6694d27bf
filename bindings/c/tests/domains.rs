//! C and C++ programs in domains: all that they can do, and killed at any instant.

mod support;

use support::*;

#[test]
fn c_does_all_that_domains_and_logs_can() {
    programs::c_does_all_that_domains_and_logs_can(&Build::plain(
        "c_does_all_that_domains_and_logs_can",
        &[],
    ));
}

#[test]
fn cpp_17_does_all_that_channels_domains_and_logs_can() {
    programs::cpp_does_all_that_channels_domains_and_logs_can(&Build::plain("cpp17", &[]));
}

#[test]
fn cpp_20_does_without_exceptions() {
    let build = Build::plain("cpp20", &["-std=c++20", "-fno-exceptions"]);
    programs::cpp_does_all_that_channels_domains_and_logs_can(&build);
}

#[test]
fn a_killed_publisher_leaves_whole_messages_and_the_others_continue() {
    programs::a_killed_publisher_leaves_whole_messages_and_the_others_continue(&Build::plain(
        "a_killed_publisher_leaves_whole_messages_and_the_others_continue",
        &[],
    ));
}
