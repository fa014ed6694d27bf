//! One suite for all providers: the promises of a domain, for every transport.

mod conformance {
    mod calls;
    mod cases;
    mod toy;
    mod world;
    pub use calls::*;
    pub use cases::*;
    pub use toy::*;
    pub use world::*;
}

/// A module of tests for each provider.
macro_rules! providers {
    ($($provider:ident),*) => {$(
        mod $provider {
            use crate::conformance as suite;
            providers!(@cases $provider:
                a_publishers_order_is_kept,
                the_newest_comes_first_after_a_pause,
                no_more_than_the_depth_waits_and_the_rest_is_counted,
                what_is_lost_is_told_as_promised,
                what_came_while_nobody_subscribed_is_not_missed,
                patterns_match_whole_names_and_pick_up_late_channels,
                several_channels_come_in_the_order_of_publication,
                who_joins_late_gets_what_the_transport_keeps,
                large_messages_come_whole,
                growing_messages_come_whole,
                nothing_is_lost_where_messages_grow,
                empty_messages_come,
                whose_bytes_are_taken_out_is_followed_by_a_whole_one,
                names_of_63_bytes_are_carried,
                unsubscribing_in_a_callback_is_fine,
                a_slow_callback_gets_the_newest_afterwards,
                two_publishers_are_both_heard,
                many_subscribers_all_get_everything,
                a_publisher_may_come_back,
                waits_end_in_time,
                waits_are_called_off,
                a_descriptor_is_readable_when_there_is_something,
                another_type_is_reported_once,
                handles_close_in_any_order
            );
        }
    )*};
    (@cases $provider:ident: $($case:ident),*) => {$(
        #[test]
        fn $case() {
            suite::$provider(suite::$case);
        }
    )*};
}

providers!(mem, shm, udpm, mpudpm, tcpq, memq, toy);
#[cfg(feature = "dds")]
providers!(dds);
#[cfg(feature = "zmq")]
providers!(zmq);
#[cfg(feature = "zenoh")]
providers!(zenoh);

/// A log that is played has no publishers, which the other cases need; `tests/file.rs` has the cases for logs.
mod file {
    use crate::conformance as suite;
    providers!(@cases file: waits_end_in_time, waits_are_called_off);
}
