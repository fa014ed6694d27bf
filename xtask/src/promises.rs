//! The promises of README.md and ARCHITECTURE.md, how each is shown, and what is not proved. A promise is a sentence before
//! `<!-- promise: ID -->` in a page; docs/assurance.md is made from these and from lab/records.

/// One way in which a promise is shown.
#[derive(Clone, Copy, Debug)]
pub enum Shown {
    /// A test: its file and its function.
    Test(&'static str, &'static str),
    /// All searches and mutations of these models.
    Models(&'static [&'static str]),
    /// Tests of crates/ring/tests/loom.rs.
    Loom(&'static [&'static str]),
    /// A campaign of lab/campaigns.
    Campaign(&'static str),
    /// Kills at random under load.
    Kills,
    /// Fuzzers.
    Fuzz(&'static [&'static str]),
    /// A check of lab/TESTS.md.
    Check(&'static str),
}

/// A promise.
pub struct Promise {
    /// Its name in the pages.
    pub id: &'static str,
    /// How it is shown.
    pub shown: &'static [Shown],
    /// What that does not show.
    pub not_proved: &'static str,
}

const fn promise(id: &'static str, shown: &'static [Shown], not_proved: &'static str) -> Promise {
    Promise { id, shown, not_proved }
}

const CONFORMANCE: &str = "crates/domain/tests/conformance/cases.rs";
const INVARIANTS: &str = "crates/channel/tests/invariants.rs";
const LIFECYCLE: &str = "crates/channel/tests/lifecycle.rs";
const USERS: &str = "crates/channel/tests/users.rs";
const CUT: &str = "crates/channel/tests/cut.rs";
const GROWTH: &str = "crates/domain/tests/growth.rs";
const HOLES: &str = "crates/ring/tests/holes.rs";
const PAGE_GATE: &str = "crates/web/tests/gate.rs";

use Shown::{Campaign, Check, Fuzz, Kills, Loom, Models, Test};

/// All promises, in the order of the page.
pub static PROMISES: &[Promise] = &[
    promise(
        "newest",
        &[
            Test("crates/ring/tests/invariant_1.rs", "invariant_1_newest_first"),
            Test("crates/ring/tests/oracle.rs", "every_mode_does_what_the_reference_does"),
            Test(CONFORMANCE, "the_newest_comes_first_after_a_pause"),
            Models(&["merge"]),
            Loom(&["newest_is_whole_while_it_is_overwritten"]),
        ],
        "The cost is counted in accesses to memory, up to 100,000 older messages. The time also depends on caches.",
    ),
    promise(
        "publisher-waits-for-nobody",
        &[
            Test(INVARIANTS, "invariant_2_a_publisher_waits_for_nobody"),
            Test(CUT, "a_reader_that_cuts_the_bell_all_the_time_delays_others_by_little"),
            Models(&["lane", "wake"]),
            Campaign("chaos"),
            Campaign("priorities"),
        ],
        "A hostile subscriber that truncates the wake page can delay a publisher without a bound, unless the channel has `Wake::Always`. The \
         scheduler can delay any process.",
    ),
    promise(
        "subscriber-harms-nobody",
        &[Test(INVARIANTS, "invariant_3_a_reader_harms_nobody"), Campaign("users"), Campaign("priorities")],
        "Cache misses that a subscriber causes are measured ([figures](figures.md)), not bounded.",
    ),
    promise(
        "reader-cost",
        &[
            Test(INVARIANTS, "invariant_3_a_reader_harms_nobody"),
            Test(INVARIANTS, "invariant_6_one_wake_call_however_many_sleep"),
        ],
        "",
    ),
    promise(
        "hostile-subscriber",
        &[
            Test(CUT, "a_wake_page_truncated_by_a_reader_is_repaired_by_waiters"),
            Test(CUT, "a_reader_that_cuts_the_bell_all_the_time_delays_others_by_little"),
            Test(HOLES, "impossible_wake_words_are_repaired"),
            Campaign("users"),
            Campaign("hostile"),
        ],
        "The 100 ms hold on an idle CPU. A subscriber that truncates the wake page can add delays by the kernel's lock.",
    ),
    promise(
        "die",
        &[
            Test(INVARIANTS, "invariant_4_any_process_may_die_at_any_instant"),
            Test(LIFECYCLE, "leftovers_of_dead_processes_are_swept"),
            Test(
                "bindings/java/src/test/java/org/saltus/KillTest.java",
                "publishersAreKilledAndEveryMessageThatComesIsWhole",
            ),
            Models(&["lane", "lease", "wake"]),
            Loom(&["a_writer_may_die_after_any_store", "a_writer_may_die_while_it_overwrites"]),
            Campaign("stepkill"),
            Kills,
        ],
        "Tests kill by SIGKILL on x86-64. A crash of the machine loses shared memory. No test kills `saltus share`. Tests kill the growth of a whole domain, \
         with its publishers, at random moments only.",
    ),
    promise(
        "whole",
        &[
            Test(INVARIANTS, "invariant_5_what_is_delivered_is_what_was_sent"),
            Test(CONFORMANCE, "large_messages_come_whole"),
            Test(CONFORMANCE, "a_publishers_order_is_kept"),
            Models(&["lane", "merge"]),
            Loom(&[
                "newest_is_whole_while_it_is_overwritten",
                "newest_is_whole_while_its_bytes_alone_are_overwritten",
                "next_is_whole_while_it_is_overwritten",
            ]),
            Campaign("torn"),
            Campaign("stepkill"),
            Kills,
        ],
        "Loom bounds preemptions; the models are sequentially consistent and small. The litmus tests for weak memory are written by hand. Subscribers believe a \
         publisher that lies about its own messages.",
    ),
    promise(
        "account",
        &[
            Test(INVARIANTS, "invariant_5_what_is_delivered_is_what_was_sent"),
            Test(
                "crates/ring/src/merge/account.rs",
                "each_missed_message_is_told_once_with_the_next_delivery",
            ),
            Test(CONFORMANCE, "no_more_than_the_depth_waits_and_the_rest_is_counted"),
            Test(CONFORMANCE, "what_is_lost_is_told_as_promised"),
            Test(
                "crates/cli/tests/record.rs",
                "channels_for_which_there_are_no_descriptors_are_accounted_for_and_are_exit_code_5",
            ),
            Models(&["merge"]),
            Campaign("chaos"),
            Kills,
        ],
        "Exact over `shm://` and `mem://`. Networks report what their protocol lets them know ([providers](providers.md)).",
    ),
    promise(
        "data-path",
        &[
            Test(INVARIANTS, "invariant_6_no_system_call_on_the_way_of_a_sample"),
            Test(INVARIANTS, "invariant_6_one_wake_call_however_many_sleep"),
            Test("crates/net/tests/steady.rs", "nothing_is_allocated_in_the_steady_state"),
            Test("bindings/c/tests/control_loop.rs", "nothing_is_allocated_in_a_control_loop"),
        ],
        "Memory that was never touched, or is not locked, can cause page faults.",
    ),
    promise(
        "mechanism",
        &[Check("the lowest crates depend on libc alone"), Check("ARCHITECTURE.md names what exists")],
        "This is a rule for the contents of these crates. The checks see dependencies, not intentions.",
    ),
    promise(
        "nothing-trusted",
        &[
            Test(INVARIANTS, "invariant_8_nothing_from_outside_is_trusted"),
            Test("crates/channel/tests/hardening.rs", "words_of_the_channel_are_not_trusted"),
            Test("crates/channel/src/types.rs", "any_bytes_are_read_without_harm"),
            Test("crates/net/tests/reassembly.rs", "forged_fragments_do_no_harm"),
            Test(USERS, "a_shared_name_not_owned_by_root_is_rejected_with_an_explanation"),
            Campaign("hostile"),
            Fuzz(&[]),
        ],
        "Fuzzing finds errors and does not exclude them. [The threat model](threat-model.md) lists each attacker.",
    ),
    promise(
        "never-blocks",
        &[
            Test(INVARIANTS, "invariant_2_a_publisher_waits_for_nobody"),
            Test(CONFORMANCE, "no_more_than_the_depth_waits_and_the_rest_is_counted"),
        ],
        "Over networks a publisher may wait for the kernel or a library, with the bounds of [providers](providers.md).",
    ),
    promise(
        "order",
        &[
            Test(CONFORMANCE, "a_publishers_order_is_kept"),
            Test(GROWTH, "publishers_that_grow_a_channel_at_once_agree_and_each_ones_order_holds"),
            Models(&["lane", "merge"]),
        ],
        "",
    ),
    promise(
        "hostile-publisher",
        &[
            Test(CUT, "all_users_continue_while_another_user_keeps_truncating_the_data"),
            Test(HOLES, "damaged_lanes_do_not_starve_honest_ones"),
            Campaign("hostile"),
        ],
        "A program dies when it touches a truncated file if its thread blocks SIGBUS or it replaced the handler.",
    ),
    promise(
        "providers",
        &[
            Test("crates/domain/tests/table.rs", "the_guides_table_is_that_of_the_schemes"),
            Test(CONFORMANCE, "two_publishers_are_both_heard"),
            Check("tests of the providers that are features"),
            Check("the same, next to other projects' programs"),
        ],
        "Tests run other projects' programs only in the versions that they install.",
    ),
    promise(
        "tools",
        &[
            Test("crates/record/tests/record.rs", "the_log_has_the_published_messages_in_order"),
            Test("crates/cli/tests/play.rs", "a_recording_of_a_playback_equals_the_log"),
            Test("crates/spy/tests/steady.rs", "the_rate_of_a_real_publisher_is_right_to_one_percent"),
            Test("crates/cli/tests/hiccup.rs", "every_meter_reports_and_logs_the_same"),
        ],
        "",
    ),
    promise(
        "demo",
        &[Check("the demo: plain, under chaos, and without its controller")],
        "The check runs for 20 s of kills and freezes.",
    ),
    promise(
        "lcm",
        &[
            Test("crates/types/tests/fingerprints.rs", "the_vectors_of_lcm_1_5_3"),
            Test(
                "lab/conformance/types/tests/conformance/fingerprints.rs",
                "fingerprints_of_random_types_are_those_of_lcm",
            ),
            Test(
                "lab/conformance/types/tests/conformance/equal.rs",
                "every_pair_of_encoder_and_decoder_agrees",
            ),
            Test("crates/log/tests/foreign.rs", "lcm_reads_our_logs_and_we_read_those_of_lcm"),
            Test("crates/net/tests/tcpq.rs", "lcms_clients_and_ours_meet_at_lcms_hub"),
            Test("compat/lcm/tests/differential.rs", "random_calls_have_the_results_that_they_have_in_lcm"),
            Test(
                "compat/lcm/tests/machine.rs",
                "two_unchanged_programs_meet_in_shared_memory_by_a_variable_alone",
            ),
            Test(
                "bindings/python/tests/test_lcm.py",
                "test_a_program_prints_the_same_with_lcms_package_and_with_ours",
            ),
            Test("compat/lcm/java/tests/differential.py", "a_program_prints_the_same_with_either_jar"),
        ],
        "Tests compare with LCM 1.5 and no other version.",
    ),
    promise(
        "owners",
        &[
            Test(USERS, "the_first_user_owns_only_its_own_channels"),
            Test(USERS, "a_private_root_of_another_user_is_refused_with_the_reason"),
            Test(USERS, "a_domain_of_another_user_is_refused_unless_that_user_is_named"),
            Test(USERS, "create_and_sweep_skip_other_users_files_and_root_removes_them_unread"),
            Test(
                "crates/cli/tests/users.rs",
                "a_squatter_is_neither_trusted_nor_followed_and_every_user_gets_an_error",
            ),
            Campaign("users"),
        ],
        "Tests run as root with one other user, and only in user namespaces that they make.",
    ),
    promise(
        "created-whole",
        &[
            Test(LIFECYCLE, "a_half_created_channel_is_never_visible"),
            Test("crates/channel/tests/hardening.rs", "makers_do_not_sweep_each_other"),
            Campaign("stepkill"),
        ],
        "",
    ),
    promise(
        "replaced",
        &[
            Test(LIFECYCLE, "users_of_a_replaced_channel_get_an_error"),
            Test(LIFECYCLE, "an_interrupted_replacement_is_completed_by_the_next_open"),
            Test("bindings/c/tests/misuse.rs", "a_retired_channel_is_reported_after_its_last_message"),
            Campaign("stepkill"),
        ],
        "",
    ),
    promise(
        "growth",
        &[
            Test(GROWTH, "messages_that_get_longer_are_published_and_received_all_in_their_order"),
            Test(GROWTH, "the_newest_is_that_of_the_channel_that_grew"),
            Test(
                GROWTH,
                "growers_killed_at_any_moment_leave_one_channel_that_lives_and_all_is_accounted_for",
            ),
            Test(GROWTH, "a_message_in_progress_while_its_channel_grows_is_received_and_counted"),
            Campaign("stepkill"),
        ],
        "No model covers growth. Tests kill a growing domain, with its publishers, at random moments only.",
    ),
    promise(
        "memory",
        &[
            Test("crates/channel/tests/memory.rs", "a_channel_uses_the_memory_that_the_guide_states"),
            Test("crates/os/src/linux/cgroup.rs", "the_tightest_group_counts"),
            Models(&["lease"]),
            Campaign("exhaust"),
        ],
        "Another process may fill the memory of the control group between the check and the reservation.",
    ),
    promise(
        "types-file",
        &[
            Test("crates/channel/src/types.rs", "half_an_entry_hurts_no_other"),
            Test(
                "crates/channel/tests/types.rs",
                "a_publisher_killed_while_describing_leaves_the_channel_usable",
            ),
            Campaign("stepkill"),
        ],
        "",
    ),
    promise(
        "lease",
        &[
            Test("crates/channel/tests/holes.rs", "closing_every_descriptor_keeps_the_lease"),
            Test(
                "crates/channel/tests/holes.rs",
                "a_lease_ends_with_its_owner_though_a_forked_child_lives_on",
            ),
            Test("crates/channel/tests/holes.rs", "a_forked_child_publishes_in_a_lane_of_its_own"),
            Models(&["lease"]),
            Campaign("fork"),
            Campaign("namespaces"),
        ],
        "The kernel's locks are trusted.",
    ),
    promise(
        "take-over",
        &[
            Test(HOLES, "a_takeover_publishes_nothing_of_the_dead_publisher"),
            Models(&["lane"]),
            Campaign("stepkill"),
        ],
        "",
    ),
    promise(
        "never-back",
        &[
            Test(HOLES, "newest_never_goes_back_to_a_frozen_publishers_command"),
            Models(&["merge"]),
            Campaign("chaos"),
        ],
        "With `Clock::Realtime`, the clock can jump, and with it the order of messages between lanes.",
    ),
    promise(
        "cause",
        &[Test(HOLES, "next_never_delivers_a_reply_before_its_cause"), Models(&["merge"])],
        "As ARCHITECTURE.md says, a lane that lapped the reader four times in a row is an exception.",
    ),
    promise(
        "fair",
        &[
            Test(HOLES, "a_fast_publisher_does_not_evict_messages_of_a_slow_one"),
            Test(
                "crates/ring/src/merge/fairness.rs",
                "a_hasty_lane_is_left_out_for_longer_and_longer_up_to_a_bound",
            ),
            Models(&["merge"]),
        ],
        "",
    ),
    promise(
        "bounded-receive",
        &[
            Test(HOLES, "damaged_lanes_do_not_starve_honest_ones"),
            Test(
                "crates/cli/tests/messages.rs",
                "echo_ends_when_its_time_is_over_though_the_channel_is_damaged",
            ),
            Models(&["lane"]),
        ],
        "",
    ),
    promise(
        "one-call",
        &[
            Test(INVARIANTS, "invariant_6_one_wake_call_however_many_sleep"),
            Models(&["wake"]),
            Loom(&["one_waiter_is_woken", "two_waiters_are_woken"]),
        ],
        "",
    ),
    promise(
        "check-100ms",
        &[
            Test("crates/channel/tests/hardening.rs", "a_channel_that_lost_its_name_is_noticed"),
            Test(CUT, "a_blocked_subscriber_learns_of_data_that_was_cut_and_grown_again"),
            Models(&["wake"]),
            Campaign("users"),
        ],
        "On a CPU that real-time threads keep busy, the check runs only when the scheduler permits.",
    ),
    promise(
        "cut",
        &[
            Test("crates/os/tests/fault.rs", "many_threads_continue_while_a_file_is_resized_and_remapped"),
            Test(CUT, "subscriber_and_publisher_report_truncated_data_in_words"),
            Test("crates/cli/tests/cut.rs", "commands_for_all_channels_continue_while_one_is_truncated"),
            Campaign("hostile"),
        ],
        "A program dies if its thread blocks SIGBUS or it replaced the handler.",
    ),
    promise(
        "one-rule",
        &[
            Test(
                "lab/conformance/types/tests/conformance/hostile.rs",
                "damaged_messages_are_accepted_or_refused_by_all",
            ),
            Test(
                "lab/conformance/types/tests/conformance/hostile.rs",
                "the_rule_of_sizes_is_the_same_for_all",
            ),
            Fuzz(&["wire", "rust", "c", "cpp"]),
        ],
        "[docs/wire.md](wire.md) lists differences.",
    ),
    promise(
        "fingerprints",
        &[
            Test("crates/types/tests/fingerprints.rs", "knots_of_types_are_followed_path_by_path"),
            Test(
                "lab/conformance/types/tests/conformance/fingerprints.rs",
                "fingerprints_of_random_types_are_those_of_lcm",
            ),
        ],
        "",
    ),
    promise(
        "inbox",
        &[
            Test("crates/domain/tests/url_text.rs", "the_text_of_a_url_decides_nothing"),
            Test(CONFORMANCE, "the_newest_comes_first_after_a_pause"),
            Test(
                "crates/domain/src/inbox/reader.rs",
                "all_is_counted_while_lanes_appear_and_vanish_between_two_reads",
            ),
        ],
        "",
    ),
    promise(
        "drain",
        &[
            Test("crates/domain/tests/zmq_helper.rs", "the_helper_thread_sleeps_while_a_subscriber_waits"),
            Test(CONFORMANCE, "many_subscribers_all_get_everything"),
        ],
        "The kernel chooses the order in which it wakes threads.",
    ),
    promise(
        "closing",
        &[
            Test(
                "crates/domain/src/inbox/core.rs",
                "dropping_the_last_handle_closes_the_transport_while_its_thread_receives",
            ),
            Test("crates/domain/tests/tcpq.rs", "many_domains_leave_nothing_behind"),
        ],
        "",
    ),
    promise(
        "spy-reads",
        &[
            Test("crates/cli/tests/watching.rs", "stat_never_asks_to_be_woken_and_joins_nothing"),
            Test(
                "crates/cli/tests/watching.rs",
                "stat_keeps_a_histogram_for_each_receiver_without_touching_it",
            ),
        ],
        "Its cost to a publisher is measured ([figures](figures.md)).",
    ),
    promise(
        "spy-memory",
        &[
            Test("crates/spy/tests/model.rs", "the_number_of_channels_is_bounded"),
            Test("crates/spy/src/series.rs", "the_oldest_go_and_a_part_can_be_had"),
        ],
        "No test fills all bounds at the same time.",
    ),
    promise(
        "page-queue",
        &[
            Test(PAGE_GATE, "a_page_gets_the_next_turn_when_it_has_taken_the_one_before"),
            Test(
                "crates/web/tests/stalled.rs",
                "a_page_that_does_not_read_is_disconnected_and_its_queue_freed",
            ),
        ],
        "",
    ),
    promise(
        "page-html",
        &[Test(PAGE_GATE, "on_loopback_requests_from_other_sites_are_refused")],
        "The content security policy is tested. No test shows a name with markup in a browser.",
    ),
    promise(
        "handles",
        &[
            Test("bindings/c/src/handle/tests.rs", "only_open_handles_of_the_kind_mean_something"),
            Test("bindings/c/src/handle/tests.rs", "calls_of_three_threads_and_a_close_never_meet"),
            Test(
                "bindings/c/tests/domain_misuse.rs",
                "a_second_call_at_the_same_time_is_refused_and_a_cancel_is_not",
            ),
        ],
        "",
    ),
];
