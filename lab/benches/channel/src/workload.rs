//! Workloads: modules that publish by their periods and receive from each other. Values that the papers give are
//! used; others are ours, and marked here.

/// A millisecond, in ns.
const MS: u64 = 1_000_000;

/// One module: a process.
#[derive(Clone, Debug, PartialEq)]
pub struct Module {
    /// Its name in the report; its channel has the same.
    pub name: &'static str,
    /// How often it runs, in ns.
    pub period: u64,
    /// Offset of its periods from the others', in ns.
    pub phase: u64,
    /// It publishes once in every this many periods.
    pub every: u64,
    /// Bytes of a message.
    pub size: usize,
    /// The modules it subscribes to, by index.
    pub inputs: Vec<usize>,
}

/// The sizes that DALi measured with: a command or a position, and a longer message.
const SHORT: usize = 50;
const LONG: usize = 1_500;

/// The cWalker, DALi's walking aid. Modules and periods are the paper's: localization runs every 5 ms and publishes
/// every 10 ms, brakes every 50 ms, the tracker every 100 ms, the short-term planner every 500 ms, the long-term
/// planner every 10 s. The subscriptions and the sizes are ours.
pub fn cwalker() -> Vec<Module> {
    const LOCALISATION: usize = 0;
    const TRACKER: usize = 2;
    const SHORT_TERM: usize = 3;
    const LONG_TERM: usize = 4;
    let module = |name, period: u64, size, inputs: &[usize]| Module {
        name,
        period: period * MS,
        phase: 0,
        every: 1,
        size,
        inputs: inputs.to_vec(),
    };
    vec![
        Module { every: 2, ..module("localisation", 5, SHORT, &[]) },
        module("brakes", 50, SHORT, &[LOCALISATION, SHORT_TERM]),
        module("tracker", 100, LONG, &[LOCALISATION]),
        module("short-term-planner", 500, LONG, &[LOCALISATION, TRACKER, LONG_TERM]),
        module("long-term-planner", 10_000, LONG, &[LOCALISATION]),
    ]
}

/// What the LCM paper states about the Urban Challenge: modules, messages per second, and bytes per second.
pub const MODULES: usize = 70;
pub const RATE: f64 = 6_775.0;
pub const BANDWIDTH: f64 = 16.6e6;
/// How the traffic is divided, which is our choice: groups of modules, each with a rate per module and a message
/// size. The sums are the paper's.
const KINDS: [(usize, f64, usize); 4] =
    [(10, 150.0, 7_000), (20, 100.0, 2_400), (35, 82.0, 397), (5, 81.0, 397)];
/// Which modules each module subscribes to, as distances in the list; also our choice.
const LISTENS: [usize; 4] = [1, 7, 23, 41];

/// The traffic of LCM's paper, `scale` times as often.
pub fn urban(scale: f64) -> Vec<Module> {
    let kinds = KINDS.iter().flat_map(|kind| std::iter::repeat_n(kind, kind.0));
    let modules = kinds.enumerate().map(|(index, (_, rate, size))| {
        let period = (1e9 / (rate * scale)).round() as u64;
        Module {
            name: "",
            period,
            // Programs that were started one after the other do not send at the same moment.
            phase: period * index as u64 / MODULES as u64,
            every: 1,
            size: *size,
            inputs: LISTENS.iter().map(|far| (index + far) % MODULES).collect(),
        }
    });
    modules.collect()
}

/// The name of a module's channel.
pub fn channel(modules: &[Module], index: usize) -> String {
    match modules[index].name {
        "" => format!("module-{index}"),
        name => name.into(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_cars_traffic_adds_up_to_the_papers_sums() {
        let modules = urban(1.0);
        assert_eq!(modules.len(), MODULES);
        let rate = |m: &Module| 1e9 / m.period as f64;
        let sum: f64 = modules.iter().map(rate).sum();
        assert!((sum - RATE).abs() < 0.01, "{sum}");
        let bytes: f64 = modules.iter().map(|m| rate(m) * m.size as f64).sum();
        assert!((bytes - BANDWIDTH).abs() < 0.001 * BANDWIDTH, "{bytes}");
        let twice: f64 = urban(2.0).iter().map(rate).sum();
        assert!((twice - 2.0 * RATE).abs() < 1.0, "{twice}");
        for (index, module) in modules.iter().enumerate() {
            assert!(!module.inputs.contains(&index) && module.inputs.iter().all(|i| *i < MODULES));
        }
    }

    #[test]
    fn the_walking_aid_has_the_papers_periods_and_every_module_is_listened_to_or_listens() {
        let modules = cwalker();
        let periods: Vec<u64> = modules.iter().map(|m| m.period / MS).collect();
        assert_eq!(periods, [5, 50, 100, 500, 10_000]);
        assert_eq!(modules[0].every * modules[0].period, 10 * MS);
        let is_heard = |index| modules.iter().any(|m| m.inputs.contains(&index));
        assert!((0..5).all(|index| is_heard(index) || !modules[index].inputs.is_empty()));
        assert_eq!(channel(&modules, 1), "brakes");
        assert_eq!(channel(&urban(1.0), 69), "module-69");
    }
}
