//! Litmus programs: threads of atomic operations, and what must or must not come of them.

use std::fmt;

/// The ordering of an operation or a fence.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Order {
    /// A fence that was removed.
    None,
    /// Coherence only.
    Relaxed,
    /// What follows stays behind it.
    Acquire,
    /// What precedes stays before it.
    Release,
    /// Both.
    AcqRel,
    /// Both, and one order of all.
    SeqCst,
}

impl Order {
    /// Whether it is at least Acquire.
    pub fn acquires(self) -> bool {
        matches!(self, Order::Acquire | Order::AcqRel | Order::SeqCst)
    }
    /// Whether it is at least Release.
    pub fn releases(self) -> bool {
        matches!(self, Order::Release | Order::AcqRel | Order::SeqCst)
    }
    /// As Rust spells it.
    pub fn name(self) -> &'static str {
        match self {
            Order::None => "no fence",
            Order::Relaxed => "Relaxed",
            Order::Acquire => "Acquire",
            Order::Release => "Release",
            Order::AcqRel => "AcqRel",
            Order::SeqCst => "SeqCst",
        }
    }
}

/// A sum of registers and numbers.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Sum {
    /// Registers, with their signs.
    pub registers: Vec<(usize, i64)>,
    /// What is added to them.
    pub number: i64,
}

/// An operand of a condition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operand {
    /// A value of a thread.
    Sum(Sum),
    /// The last value of a location.
    Last(usize),
}

/// How two operands compare.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Compare {
    /// `==`
    Equal,
    /// `!=`
    Unequal,
    /// `<`
    Less,
    /// `<=`
    AtMost,
    /// `>`
    Greater,
    /// `>=`
    AtLeast,
}

impl Compare {
    /// Whether `a` compares so to `b`.
    pub fn holds(self, a: i64, b: i64) -> bool {
        match self {
            Compare::Equal => a == b,
            Compare::Unequal => a != b,
            Compare::Less => a < b,
            Compare::AtMost => a <= b,
            Compare::Greater => a > b,
            Compare::AtLeast => a >= b,
        }
    }
}

/// A condition on registers and last values. A comparison with a register that was never set does not hold.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Condition {
    /// A comparison.
    Is(Operand, Compare, Operand),
    /// All of these.
    All(Vec<Condition>),
    /// At least one of these.
    Any(Vec<Condition>),
}

/// What an operation does to its location.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Action {
    /// Reads.
    Load,
    /// Writes.
    Store(Sum),
    /// Adds, atomically.
    Add(Sum),
    /// Raises to at least this, atomically.
    Max(Sum),
    /// Replaces, atomically.
    Swap(Sum),
    /// Compared with the first, replaced by the second. A failure is a relaxed load.
    Replace(Sum, Sum),
}

/// A step of a thread.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Step {
    /// An access to memory.
    Access {
        /// What it does.
        action: Action,
        /// Where, as an index of [`Program::locations`].
        location: usize,
        /// The register that receives the value read.
        to: Option<usize>,
        /// The registers that the address depends on.
        address: Vec<usize>,
    },
    /// A fence.
    Fence,
    /// The instruction barrier of ARMv8. It means nothing in C11 and on x86.
    Isb,
    /// Goes on at the step with this number unless the condition holds.
    Unless(Condition, usize),
    /// Goes on at the step with this number.
    Jump(usize),
    /// Ends the execution unless the condition holds: only executions in which it holds count. Stands for a loop that waits.
    Assume(Condition),
}

/// A step with its place in the text.
#[derive(Clone, Debug)]
pub struct Line {
    /// What it does.
    pub step: Step,
    /// [`Order::Relaxed`] for steps without one.
    pub order: Order,
    /// The line of code that it stands for, as the map names it.
    pub code: Option<String>,
    /// In the file, from 1.
    pub number: usize,
    /// As it is written.
    pub text: String,
}

/// A memory model.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Model {
    /// The language's, as RC11 repairs it.
    C11,
    /// ARMv8's.
    Arm,
    /// x86-TSO.
    X86,
}

impl Model {
    /// All models.
    pub const ALL: [Model; 3] = [Model::C11, Model::Arm, Model::X86];

    /// As people call it.
    pub fn name(self) -> &'static str {
        match self {
            Model::C11 => "C11",
            Model::Arm => "ARMv8",
            Model::X86 => "x86",
        }
    }
}

/// What a test expects.
#[derive(Clone, Debug)]
pub struct Claim {
    /// Whether an execution that satisfies the condition must exist; if not, none may.
    pub possible: bool,
    /// The models that it is about.
    pub models: Vec<Model>,
    /// What an execution does.
    pub condition: Condition,
    /// As it is written.
    pub text: String,
}

/// A litmus test.
#[derive(Clone, Debug, Default)]
pub struct Program {
    /// Its name.
    pub name: String,
    /// What it shows, and where its verdict is published if it is a classic.
    pub about: String,
    /// Their steps.
    pub threads: Vec<Vec<Line>>,
    /// Their names.
    pub thread_names: Vec<String>,
    /// Names and first values.
    pub locations: Vec<(String, i64)>,
    /// Names of registers; each belongs to one thread.
    pub registers: Vec<String>,
    /// What must hold.
    pub claims: Vec<Claim>,
}

impl Program {
    /// The orderings of all steps, by thread and step.
    pub fn orders(&self) -> Orders {
        Orders(self.threads.iter().map(|lines| lines.iter().map(|line| line.order).collect()).collect())
    }
    /// All steps, with thread and number.
    pub fn lines(&self) -> impl Iterator<Item = (usize, usize, &Line)> {
        let numbered = |(thread, lines): (usize, &'_ Vec<Line>)| (thread, lines.len());
        let sizes: Vec<_> = self.threads.iter().enumerate().map(numbered).collect();
        sizes
            .into_iter()
            .flat_map(move |(thread, len)| (0..len).map(move |i| (thread, i, &self.threads[thread][i])))
    }
}

/// The orderings of a program's steps, perhaps mutated.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Orders(pub Vec<Vec<Order>>);

/// The orderings that are one step weaker than `order` for this kind of step.
pub fn weaker(step: &Step, order: Order) -> Vec<Order> {
    use Order::*;
    match (step, order) {
        (Step::Fence, SeqCst) => vec![AcqRel],
        (Step::Fence, AcqRel) => vec![Acquire, Release],
        (Step::Fence, Acquire | Release) => vec![None],
        (Step::Access { action: Action::Load, .. }, SeqCst) => vec![Acquire],
        (Step::Access { action: Action::Store(_), .. }, SeqCst) => vec![Release],
        (Step::Access { .. }, SeqCst) => vec![AcqRel],
        (Step::Access { .. }, AcqRel) => vec![Acquire, Release],
        (Step::Access { .. }, Acquire | Release) => vec![Relaxed],
        _ => vec![],
    }
}

/// A mistake in the text of a test or of the map.
#[derive(Debug)]
pub struct Mistake {
    /// The file's name.
    pub file: String,
    /// From 1.
    pub line: usize,
    /// What is wrong.
    pub what: String,
}

impl fmt::Display for Mistake {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}: {}", self.file, self.line, self.what)
    }
}
