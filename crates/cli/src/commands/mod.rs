//! The commands, a file each: its options, its examples, and what it does. Help, man pages and completions are all
//! generated from these definitions.

mod bench;
mod bridge;
mod chmod;
mod completions;
#[cfg(feature = "demo")]
mod demo;
mod doctor;
mod echo;
mod generate;
mod hiccup;
mod hub;
mod import;
mod info;
mod log;
mod ls;
mod man;
mod mk;
mod play;
mod publish;
mod record;
mod report;
mod rm;
mod serve;
mod spy;
mod stat;
mod sweep;
mod tunnel;
mod types;

use clap::{CommandFactory, Parser, Subcommand};

use crate::exit::Outcome;
use crate::flags::domain::{DomainFlag, DomainUrl};
use crate::flags::help;

/// Carries samples between the processes of a robot: newest first, old ones while they last
///
/// A channel is a place of recent samples in shared memory, written without waiting and read without asking. This
/// command makes channels, shows them, publishes into them, prints what comes out of them, and measures.
#[derive(Parser)]
#[command(name = "saltus", version, after_help = help::after(&[&examples(), help::EXIT_CODES]), max_term_width = 79)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    /// Where the channels are.
    #[command(flatten)]
    pub(crate) domain: DomainFlag,

    /// What to do.
    #[command(subcommand)]
    pub(crate) command: Command,
}

/// The commands, in the order in which the help shows them.
#[derive(Subcommand)]
pub(crate) enum Command {
    /// Make a channel
    ///
    /// The memory for it is reserved at once. A channel stays until it is removed or the machine is switched off,
    /// whoever made it may end.
    Mk(mk::Mk),

    /// Remove channels
    ///
    /// Those who have one open are told.
    Rm(rm::Rm),

    /// List channels
    ///
    /// A network does not know its channels: there it listens for a while, and lists those that something came on.
    Ls(ls::Ls),

    /// Tell everything about channels: shape, memory, publishers, subscribers
    Info(info::Info),

    /// Change who may read and write channels
    ///
    /// Those who have one open already keep what they have.
    Chmod(chmod::Chmod),

    /// Publish messages
    ///
    /// Without -n and -r one message is published; with -r it goes on until -n or Ctrl-C, on a schedule that does not
    /// drift; with -n alone, as fast as it goes. Lines are published as they come, at most -r a second. No subscriber
    /// is waited for. A channel that is missing is made to fit the message, unless --no-create is given. With --type the
    /// message is JSON, and is encoded; the type is left with the channel, so that echo can read it.
    Pub(publish::Pub),

    /// Print messages as they come
    ///
    /// Each message is shown with its stamp in seconds, its publisher (lane.lease), its number, how many were missed
    /// just before it, and its fields if its type is known, else its text, escaped to one line, or a hexadecimal dump if
    /// it is not text. Types are known from publishers, who leave them with the channel, and from -I. How many were
    /// received and missed is told on standard error at the end. On a network, messages have the number of their
    /// sender, if it has one; what was missed is unknown where the network does not tell.
    Echo(echo::Echo),

    /// Measure channels without disturbing them: rate, jitter, age, latency, losses
    ///
    /// RATE, BANDWIDTH and SIZE come from the publishers' own counters; LATENCY (publish to receive, to 12.5 %) and
    /// MISSED from the subscribers': they cover every message. PERIOD and JITTER (its standard deviation) come from the stamps
    /// of those messages that are still kept when they are looked at. Channels are looked at no more than 30 times a
    /// second, and no publisher is ever asked for a wake. On a terminal the table is drawn over itself; elsewhere one
    /// follows the other. On a network it listens like any subscriber, and tells of each sender what was missed of
    /// it, over all its channels.
    Stat(stat::Stat),

    /// Measure how long this machine leaves a program waiting
    ///
    /// A thread wants to run every millisecond; how late it is are the hiccups, which every program here has to bear. With
    /// COMMAND it measures beside it, until it ends. Corrected times also count what would have come during a long hiccup and had
    /// to wait for its end. For each spike it tells what else the kernel counted then, on that processor: interrupts
    /// and softirqs by name, page faults, switches, throttling, time stolen by the host, and what others waited for.
    Hiccup(hiccup::Hiccup),

    /// Look for what makes programs late on this machine, and say what to type
    ///
    /// Checks the kernel, limits, processors, interrupts, memory, clock and network, and at the end measures for ten seconds how late
    /// a thread is. What the machine hides, it cannot tell. It changes nothing: --fix-script prints what to type, and --clean
    /// removes channels whose publishers are all dead, and that no living subscriber has, after asking. Ends with exit code 7
    /// if something does not work.
    Doctor(doctor::Doctor),

    /// Measure what a message costs here, beside the machine's floors and the kernel's own means
    ///
    /// This is a program of its own, saltus-bench, which is found next to saltus or on PATH.
    Bench(bench::Bench),

    /// Show measured times: percentiles, charts, comparisons
    ///
    /// Reads HdrHistogram's files, from `saltus hiccup` or any other tool: interval logs, and percentiles as
    /// outputPercentileDistribution writes them. Values are nanoseconds; for percentiles see --unit. The page begins with the result;
    /// the rest is folded. The page, and the figure, are one file each, with maximum over time, percentiles, heat map, histogram, the data against a normal
    /// distribution, and the machine. Files are not mixed: each is a series of its own.
    Report(report::Report),

    /// See every channel, look into messages, plot numbers
    ///
    /// A table of all channels: type, publishers, rate, period and jitter, bandwidth, size, age, latency, losses. A channel opens
    /// into a live tree of its fields, with units and comments of the type; a number becomes a plot. It only reads: over shared
    /// memory nobody counts it as a subscriber, and no publisher ever wakes it. Types are known from publishers, who leave them with
    /// the channel, and from -I. Only a channel that is open is decoded.
    Spy(spy::Spy),

    /// Check, show and compare types
    ///
    /// A type says what the fields of a message are. Types (structs, and the old language's enums) are declared in .lcm
    /// files, in LCM's type language.
    Types(types::Types),

    /// Make code for types: Rust, C, C++, Python, Java, Octave
    ///
    /// Code is made for the types that the files declare. What they refer to is looked for beside them and in the
    /// directories given with -I. Only files that change are written, each in one step.
    Gen(generate::Gen),

    /// Turn recordings of other tools into logs of typed messages
    ///
    /// What is written is an LCM log, which the tools of LCM read too.
    Import(import::Import),

    /// Look into logs, and make others of them
    ///
    /// Logs of LCM and MCAP files, told by their first bytes. What is written is MCAP if its name ends in .mcap; messages
    /// whose types are known are written so that other tools read them, and come back to the byte.
    Log(log::Log),

    /// Carry messages from one domain to another
    ///
    /// Between networks, shared memory and logs, in one direction or both; what comes back is not carried again. Types
    /// that publishers have left with channels are handed on where there is a place for them. What was received, carried
    /// and lost is told on standard error at the end.
    Bridge(bridge::Bridge),

    /// Hand on messages between programs of LCM, or of Saltus, that say tcpq://
    ///
    /// It is the hub that LCM's network over TCP needs; LCM's own clients use it too. No client waits for another: for one
    /// that is slow the newest messages are kept, and the oldest of the channel with the most bytes dropped and counted. It
    /// listens to this machine alone unless it is told otherwise; whoever reaches it may read and write everything. Clients
    /// that are closed, and subscriptions that make no sense, are told of on standard error.
    Hub(hub::Hub),

    /// Join two networks over a lossy link, such as a radio
    ///
    /// What is published in a domain at one end comes out in a domain at the other, and back. Losses are made good from
    /// parity that is sent along, never by asking again; what is too late is dropped, and nothing waits for it. All of it
    /// is encrypted and authenticated with a key that both ends have.
    Tunnel(tunnel::Tunnel),

    /// Play logs
    ///
    /// Publishes what was recorded, as far apart as it was. Several logs are played together. On a terminal keys steer it:
    /// space pauses; left and right step by a message, also backwards; up and down go 10 s; + and - double and halve
    /// the speed; square brackets mark the ends of a part that is repeated, and a backslash ends that; b sets a bookmark, n and p go to one; q ends it.
    /// At the end it tells how far from their times messages were published.
    Play(play::Play),

    /// Record messages in a file
    ///
    /// All channels, or those that are named, of one domain or several; channels that come later too. Nothing is lost
    /// silently: of each channel it is told, and written into the file, how many messages were received, written, missed
    /// (as far as the transport tells) and dropped by the recorder itself. The file can be read however the recording
    /// ends. SIGHUP begins a new file. With --last nothing is written but the last moments: when Enter is pressed, on
    /// SIGUSR1, or when --when becomes true.
    Record(record::Record),

    /// Show channels to Foxglove and Lichtblick, and play logs to them
    ///
    /// Speaks Foxglove's WebSocket protocol, under both of its names. Channels appear as they come; one in shared memory is
    /// read only while some client wants it. Messages of known types go out so that viewers decode them; types are known
    /// from publishers, from logs and from -I. A log has a play bar in viewers that know how to steer one: all clients see
    /// and steer the same. A client that reads too slowly loses old messages, is told so, and holds up nobody.
    Serve(serve::Serve),

    /// Remove what dead processes left behind
    ///
    /// That is, half-built channels and the counters of dead subscribers. Channels and their messages stay: what was
    /// published stays readable. It can do no harm at any time.
    Sweep(sweep::Sweep),

    /// Balance a simulated robot made of processes, and kill some of them
    ///
    /// Physics, drivers, estimator, controller, arm, lidar and logger are processes that share nothing but channels, at
    /// 1000 samples a second. At the end a report tells the latency of every hop, what was missed, the worst tilt, what
    /// was killed, and a verdict; the exit code says the same. Nothing stays in shared memory.
    #[cfg(feature = "demo")]
    Demo(demo::Demo),

    /// One process of the demo; it starts these itself
    #[cfg(feature = "demo")]
    #[command(hide = true)]
    DemoProcess(demo::DemoProcess),

    /// Print completions for a shell
    Completions(completions::Completions),

    /// Print or write the man pages
    Man(man::Man),
}

impl Command {
    /// Runs it.
    pub(crate) fn run(self, domain: &DomainUrl) -> Outcome {
        let url = domain.url();
        match self {
            Command::Mk(args) => mk::run(domain, args),
            Command::Rm(args) => rm::run(domain, args),
            Command::Ls(args) => ls::run(domain, args),
            Command::Info(args) => info::run(domain, args),
            Command::Chmod(args) => chmod::run(domain, args),
            Command::Pub(args) => publish::run(domain, args),
            Command::Echo(args) => echo::run(domain, args),
            Command::Stat(args) => stat::run(url, args),
            Command::Bench(args) => bench::run(Cli::command(), args),
            Command::Hiccup(args) => hiccup::run(args),
            Command::Doctor(args) => doctor::run(url, args),
            Command::Report(args) => report::run(args),
            Command::Types(args) => types::run(
                || {
                    domain
                        .shm_only("types show --channel", "no types are left there; -I names their directory")
                },
                args,
            ),
            Command::Gen(args) => generate::run(args),
            Command::Import(args) => import::run(args),
            Command::Log(args) => log::run(args),
            Command::Bridge(args) => bridge::run(args),
            Command::Hub(args) => hub::run(args),
            Command::Tunnel(args) => tunnel::run(Cli::command(), url.map(str::to_owned), args),
            Command::Play(args) => play::run(url, args),
            Command::Record(args) => record::run(url, args),
            Command::Serve(args) => serve::run(domain.is_typed(), url, args),
            Command::Spy(args) => spy::run(url, args),
            Command::Sweep(args) => sweep::run(domain, args),
            #[cfg(feature = "demo")]
            Command::Demo(args) => demo::run(url.map(str::to_owned), args),
            #[cfg(feature = "demo")]
            Command::DemoProcess(args) => demo::process(args),
            Command::Completions(args) => completions::run(Cli::command(), args),
            Command::Man(args) => man::run(Cli::command(), args),
        }
    }
}

fn examples() -> String {
    let demo = "  saltus demo --chaos                 see a robot survive\n";
    format!("Examples:\n{}{EXAMPLES}", if cfg!(feature = "demo") { demo } else { "" })
}

const EXAMPLES: &str = "  \
  saltus mk imu --frames 64 --size 128   make a channel
  saltus pub imu 'hello' -r 100       publish a hundred times a second
  saltus echo imu --newest            print the newest, at once and as it comes
  saltus stat                         watch all channels
  saltus types check types            check type files
  saltus help echo                    everything about one command";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;
    use std::collections::{BTreeMap, BTreeSet};

    /// Every command, in any depth, with the words that are typed for it.
    fn all() -> Vec<(String, clap::Command)> {
        fn walk(name: String, command: &clap::Command, all: &mut Vec<(String, clap::Command)>) {
            for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
                walk(format!("{name} {}", inner.get_name()), inner, all);
            }
            all.push((name, command.clone()));
        }
        let mut whole = Cli::command();
        whole.build();
        let mut commands = Vec::new();
        walk("saltus".into(), &whole, &mut commands);
        commands
    }

    fn options(command: &clap::Command) -> impl Iterator<Item = (&str, &Arg)> {
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "help");
        shown.filter_map(|arg| Some((arg.get_long()?, arg)))
    }

    /// Options that are not the same in every command, and why.
    const DIFFERENT: [(&str, &str); 28] = [
        ("also", "what becomes of the other domain"),
        ("clock", "of a channel's stamps, or of a log"),
        ("duration", "from when on, and what ends it otherwise"),
        ("force", "rm passes over what is not there, the others overwrite"),
        ("from", "a point in a channel, or a time in a log"),
        ("hex", "printed, or given"),
        ("hlog", "in what it is beside the table"),
        ("interval", "of tables, of histograms, of one look"),
        ("lines", "printed, or read"),
        ("listen", "an address, or for how long"),
        ("newest", "once, or of what is carried"),
        ("next", "in order, or as far as it comes in time"),
        ("out", "a file, or a directory"),
        ("paused", "until a key, or until a client plays"),
        ("plain", "a message, or the code for it"),
        ("queue", "what happens beyond it"),
        ("quiet", "echo tells nothing but its counts"),
        ("rate", "messages, or megabytes"),
        ("raw", "printed, or written"),
        ("rename", "once, or several times"),
        ("repeat", "of serve it is for logs alone"),
        ("schema", "of a file, or for clients"),
        ("size", "of pub it is for a new channel alone"),
        ("speed", "of serve it is for logs alone"),
        ("stat", "what is counted"),
        ("strict", "of losses, or of the system"),
        ("to", "of what is played, or of a file: up to there, without it"),
        ("type", "expected, or encoded"),
    ];

    /// The same option has the same short, the same value and the same help in every command.
    #[test]
    fn an_option_is_the_same_in_every_command() {
        let mut meanings: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
        for (name, command) in all() {
            for (long, arg) in options(&command) {
                let values = arg.get_value_names().filter(|_| arg.get_action().takes_values());
                let meaning = format!("{:?} {values:?} {:?}", arg.get_short(), arg.get_help());
                let of = meanings.entry(long.to_owned()).or_default();
                of.entry(meaning).or_default().push(name.clone());
            }
        }
        let excused = |long: &str| DIFFERENT.iter().any(|(one, _)| *one == long);
        for (long, of) in &meanings {
            assert!(of.len() == 1 || excused(long), "--{long} has several meanings: {of:#?}");
        }
        for long in ["regex", "json", "domain", "count", "timeout", "include"] {
            assert!(meanings.get(long).is_some_and(|of| of.len() == 1), "--{long}");
        }
    }

    /// One letter is one idea; another one is excused by name.
    #[test]
    fn a_letter_is_one_option() {
        const SHARED: [(char, &[&str]); 5] = [
            ('f', &["follow", "force", "frames"]),
            ('i', &["increment", "interval"]),
            ('l', &["lanes", "lang", "lines", "long"]),
            ('m', &["max-unwritten-mb", "mode"]),
            ('s', &["size", "speed", "strftime"]),
        ];
        let mut letters: BTreeMap<char, BTreeSet<String>> = BTreeMap::new();
        for (_, command) in all() {
            for (long, arg) in options(&command) {
                if let Some(short) = arg.get_short() {
                    letters.entry(short).or_default().insert(long.to_owned());
                }
            }
        }
        for (letter, longs) in letters.iter().filter(|(_, longs)| longs.len() > 1) {
            let shared = SHARED.iter().find(|(c, _)| c == letter).map_or(&[][..], |(_, longs)| longs);
            assert!(longs.iter().all(|long| shared.contains(&&long[..])), "-{letter} is {longs:?}");
        }
    }

    /// The short help fits a terminal of 80 columns as it is written.
    #[test]
    fn short_help_fits_80_columns() {
        for (name, command) in all() {
            let help = command.after_help("").term_width(79).render_help().to_string();
            for line in help.lines() {
                assert!(line.chars().count() <= 79, "{name}: {line}");
            }
        }
    }

    /// Nothing below the options has to be wrapped, so that examples stay what they are.
    #[test]
    fn examples_fit_80_columns() {
        for (name, command) in all() {
            let below = command.get_after_help().map(|text| text.to_string()).unwrap_or_default();
            for line in below.lines() {
                assert!(line.chars().count() <= 79, "{name}: {line}");
            }
        }
    }
}
