//! What the litmus tests promise, with mutations of the checker's own inputs that must not pass.

use saltus_litmus::check::{failures, run};
use saltus_litmus::code::{Map, disagreements};
use saltus_litmus::execution::candidates;
use saltus_litmus::model::allows;
use saltus_litmus::parse::parse;
use saltus_litmus::program::{Action, Line, Model, Order, Orders, Program, Step};
use saltus_litmus::report::{Report, root};

#[test]
fn every_test_holds_every_ordering_is_mapped_and_every_mutation_is_caught_or_named() {
    let report = Report::make().unwrap_or_else(|mistake| panic!("{mistake}"));
    assert!(report.wrong.is_empty(), "{:#?}", report.wrong);
    assert!(report.mutations.iter().any(|m| m.is_caught(Model::Arm)));
}

/// The program's orderings, each replaced by the one nearest to `order` that its step can have.
fn all_with(program: &Program, order: Order) -> Orders {
    let nearest = |step: &Step| match (step, order) {
        (Step::Access { action: Action::Load, .. }, Order::Release) => Order::Relaxed,
        (Step::Access { action: Action::Load, .. }, Order::AcqRel) => Order::Acquire,
        (Step::Access { action: Action::Store(_), .. }, Order::Acquire) => Order::Relaxed,
        (Step::Access { action: Action::Store(_), .. }, Order::AcqRel) => Order::Release,
        (Step::Fence, Order::Relaxed) => Order::None,
        _ => order,
    };
    let of_thread = |lines: &Vec<_>| lines.iter().map(|line: &Line| nearest(&line.step)).collect();
    Orders(program.threads.iter().map(of_thread).collect())
}

/// The compiler's mapping is proved correct (Podkopaev and others, POPL 2019): a processor shows only what the language allows. The
/// exception are cycles of program order and reading, which RC11 forbids and ARMv8 allows. The three models were written independently.
#[test]
fn c11_allows_what_processors_allow() {
    use Order::*;
    let report = Report::make().unwrap_or_else(|mistake| panic!("{mistake}"));
    let mut compared = 0u64;
    for program in report.files.iter().flat_map(|file| &file.programs) {
        let as_it_is = std::iter::once(program.orders());
        let variants: Vec<Orders> = as_it_is
            .chain([Relaxed, Acquire, Release, AcqRel, SeqCst].map(|order| all_with(program, order)))
            .collect();
        candidates(program, &[], false, &mut |execution, _| {
            for orders in &variants {
                let language = allows(Model::C11, execution, orders);
                let arm =
                    allows(Model::Arm, execution, orders) && execution.po.or(&execution.rf).is_acyclic();
                let x86 = allows(Model::X86, execution, orders);
                assert!(language || !arm, "{} under ARMv8 with {orders:?}: {execution:#?}", program.name);
                assert!(language || !x86, "{} under x86 with {orders:?}: {execution:#?}", program.name);
                compared += 1;
            }
            true
        });
    }
    assert!(compared > 10_000, "{compared}");
}

fn programs(text: &str) -> Vec<Program> {
    parse("test", text).unwrap_or_else(|mistake| panic!("{mistake}"))
}

#[test]
fn a_claim_that_is_false_fails_both_ways() {
    let text = "litmus a\nthread one\nstore x 1 rlx\nthread two\nr = load x rlx\nforbid r == 1\nallow r == 2";
    let program = &programs(text)[0];
    let said = failures(program, &run(program));
    assert_eq!(said.len(), 6, "{said:?}");
    assert!(said[0].contains("a: under C11 an execution has r == 1"), "{said:?}");
}

#[test]
fn a_map_that_differs_from_the_code_or_the_tests_is_refused() {
    let map = |text: &str| Map::parse("code.map", text).unwrap_or_else(|mistake| panic!("{mistake}"));
    let head = "w5 | ring/src/writer.rs | commit | writer.mem.store(HEAD, seq, Release)";
    let test = |line: &str| programs(&format!("litmus a\nthread one\n{line}\nforbid [head] == 2"));
    for (map, test, says) in [
        (map(head), test("store head 1 rlx @w5"), "is Relaxed, but ring/src/writer.rs has"),
        (map(head), test("h = load head acq @w5"), "but ring/src/writer.rs has"),
        (map(head), test("h = add head 1 rel @w5"), "is not what"),
        (map(head), test("store head 1 rel"), "no litmus test has a line for w5"),
        (map(head), test("store head 1 rel @w6"), "names `w6`, which code.map lacks"),
        (map(head), test("store head 1 rel @w5"), "`self.mem.fence(Release)` in `reserve` has no line"),
        (map(&head.replace("HEAD", "TAIL")), test("store head 1 rel @w5"), "0 times in `commit`"),
        (map(&head.replace("Release", "SeqCst")), test("store head 1 sc @w5"), "0 times in `commit`"),
        (map(&head.replace("commit", "omit")), test("store head 1 rel @w5"), "has no function `omit`"),
    ] {
        let said = disagreements(&map, &root().join("crates"), &test);
        assert!(said.iter().any(|what| what.contains(says)), "{says}: {said:#?}");
    }
}
