//! C and Rust understand each other: what one publishes the other receives, to the byte, with the same numbers.

mod support;

use support::*;

#[test]
fn c_publishes_and_rust_receives() {
    programs::c_publishes_and_rust_receives(&Build::plain("c_publishes_and_rust_receives", &[]));
}

#[test]
fn rust_publishes_and_c_receives() {
    programs::rust_publishes_and_c_receives(&Build::plain("rust_publishes_and_c_receives", &[]));
}

#[test]
fn two_threads_of_c() {
    programs::two_threads_of_c(&Build::plain("two_threads_of_c", &[]));
}

#[test]
fn a_forked_child_has_a_lane_of_its_own() {
    programs::a_forked_child_has_a_lane_of_its_own(&Build::plain(
        "a_forked_child_has_a_lane_of_its_own",
        &[],
    ));
}

#[test]
fn another_user_has_the_permissions_of_the_mode() {
    programs::another_user_has_the_permissions_of_the_mode(&Build::plain(
        "another_user_has_the_permissions_of_the_mode",
        &[],
    ));
}
