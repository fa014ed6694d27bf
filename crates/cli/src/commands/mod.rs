//! The commands, one file each, with options, examples and implementation. Help, man pages and completions are generated from these
//! definitions.

mod aliases;
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
mod share;
mod spy;
mod stat;
mod sweep;
mod tunnel;
mod types;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use crate::exit::{Code, Failure, Outcome};
use crate::flags::domain::{self, DomainUrl};
use crate::flags::{habits, help};

/// Publish, print, record and measure messages of robots
///
/// A channel keeps the recent messages of each publisher in shared memory. Subscribers get the newest message first, and a
/// publisher never waits for them. LCM's networks, ZeroMQ, DDS, Zenoh and logs have channels too.
#[derive(Parser)]
#[command(name = "saltus", version, after_help = help::after(&[&examples(), help::EXIT_CODES]), max_term_width = 79)]
#[command(subcommand_required = true, arg_required_else_help = true)]
pub(crate) struct Cli {
    #[command(subcommand)]
    command: Command,
}

/// The commands.
#[derive(Subcommand)]
enum Command {
    /// Make a channel
    ///
    /// The memory is reserved immediately. A channel persists after its creator exits, until you remove it or reboot.
    Mk(mk::Mk),

    /// Remove channels
    ///
    /// Processes that have a removed channel open get an error from their next call.
    Rm(rm::Rm),

    /// List channels
    ///
    /// Networks keep no list of channels, so `ls` listens there for 2 seconds, or for --duration, and lists the channels
    /// with traffic.
    Ls(ls::Ls),

    /// Show configuration, memory and participants of channels
    Info(info::Info),

    /// Change the permissions of channels
    ///
    /// Processes that already have the channel open keep their access.
    Chmod(chmod::Chmod),

    /// Clean up after dead processes
    ///
    /// It removes unfinished channels and the counters of dead subscribers. Channels and their messages stay, unless
    /// --user selects everything of a user.
    Sweep(sweep::Sweep),

    /// Share channels between the users of this machine
    ///
    /// Without this command each user has a private shm://, in /dev/shm/saltus-UID. The command makes /dev/shm/saltus, where
    /// all users, or the members of a group, can create channels, but not remove those of others. Only root can run it.
    Share(share::Share),

    /// Publish messages
    ///
    /// Without -n and -r it publishes one message. With -r it publishes until -n messages or Ctrl-C, on a schedule that does
    /// not drift. With -n alone it does not pause between messages. It creates a missing channel for the size of the message,
    /// unless --no-create is given. With --type it encodes the message from JSON, and stores the type with the channel for
    /// subscribers.
    Pub(publish::Pub),

    /// Print messages
    ///
    /// It prints each message with its timestamp in seconds, its publisher, its sequence number, the number of messages
    /// missed before it, and its fields. It prints a message of unknown type as text or as a hexadecimal dump. Types come
    /// from publishers, from -I and from $SALTUS_TYPES. On exit it prints the totals.
    Echo(echo::Echo),

    /// Show all channels, their messages and plots
    ///
    /// A live table shows type, publishers, rate, jitter, size, age, latency and losses of each channel. You can open a
    /// channel as a tree of its fields, and plot numbers. In shared memory no publisher waits for the spy or wakes it.
    Spy(spy::Spy),

    /// Measure rate, jitter, age, latency and losses
    ///
    /// RATE, BANDWIDTH and SIZE come from the publishers' counters, LATENCY (to 12.5 %) and MISSED from the subscribers': they cover every
    /// message. PERIOD and JITTER come from the timestamps of kept messages. It reads channels at most 30 times per second, and no
    /// publisher waits for it. On a network it subscribes, and reports losses by sender. A narrow terminal shows fewer columns; -n 1 prints all.
    Stat(stat::Stat),

    /// Record messages in a file
    ///
    /// It records all channels or the named ones, including channels created later. It counts received, written, missed and
    /// dropped messages for each channel, prints the counts on exit and writes them into the file. SIGHUP starts a new file.
    /// It warns about a named channel that does not exist, and exits with code 3 if that channel never appears.
    Record(record::Record),

    /// Play logs
    ///
    /// It publishes the messages with their original timing. It plays several logs together, merged by time. On a terminal
    /// you control it with keys; ? lists them. On exit it prints how late messages were.
    Play(play::Play),

    /// Inspect, filter, merge, convert and repair logs
    ///
    /// It reads LCM's logs and MCAP files, and recognizes them by their contents. Other tools can read
    /// the MCAP files that it writes if the types of the messages are known. It can convert these files back byte for byte.
    Log(log::Log),

    /// Convert recordings of other tools
    Import(import::Import),

    /// Check, show and compare types
    ///
    /// Types declare the fields of messages. They are in .lcm files, in LCM's type language.
    Types(types::Types),

    /// Generate Rust, C, C++, Python, Java or Octave code
    ///
    /// It generates code for the types in the files. It searches for other types to which they refer in the directories of
    /// -I and of the files. It writes only files that change.
    Gen(generate::Gen),

    /// Forward messages between two domains
    ///
    /// Messages go from one network, shared memory or log to another, in one direction or both, and never back to where
    /// they came from. It also forwards the types that publishers stored. On exit it prints the totals.
    Bridge(bridge::Bridge),

    /// Run a hub for LCM's tcpq:// transport
    ///
    /// LCM's own clients can use it too. The hub queues messages for a slow client up to --queue, then drops the oldest of the channel with
    /// the most bytes. It listens to this machine only, unless you set --listen: anyone who can reach it may read and write.
    Hub(hub::Hub),

    /// Join two networks over a lossy link, such as a radio
    ///
    /// Messages published in a domain at one end are published in a domain at the other, and back. The tunnel recovers
    /// losses from parity, never by retransmission, and drops late messages. It encrypts everything with a key that both
    /// ends have.
    Tunnel(tunnel::Tunnel),

    /// Show channels and play logs in Foxglove and Lichtblick
    ///
    /// The server reads a channel in shared memory only while a client subscribes to it. Clients decode messages whose types are known. A log has a
    /// play bar, which all clients share. The server reports to a slow client how many messages it lost.
    Serve(serve::Serve),

    /// Measure scheduling delays on this machine
    ///
    /// A thread wakes every millisecond and records how late it was, for 60 seconds or until COMMAND exits. For each delay of --spike or
    /// more it prints the kernel's counts of that time: interrupts, page faults, switches, throttling, and time stolen by the host.
    Hiccup(hiccup::Hiccup),

    /// Find causes of latency and suggest fixes
    ///
    /// It checks the kernel, limits, CPUs, interrupts, memory, clock and network, then measures for 10 seconds how late a
    /// thread wakes. It changes nothing without --clean. It exits with code 7 if something does not work.
    Doctor(doctor::Doctor),

    /// Measure what a message costs on this machine
    ///
    /// It runs the program saltus-bench, for which it searches next to saltus and in PATH.
    Bench(bench::Bench),

    /// Show measured times as percentiles and charts
    ///
    /// It reads files of HdrHistogram. Values are nanoseconds, but milliseconds in .hgrm files. Each file is a separate series.
    Report(report::Report),

    /// Run the balancing-robot demo
    ///
    /// Ten processes balance a simulated robot at 1000 messages per second, for 20 seconds or as long as the --lidar log. On
    /// exit it prints a verdict, latencies, losses and the killed processes. The exit code is 0 if the robot stayed up. The
    /// demo leaves nothing in shared memory.
    #[cfg(feature = "demo")]
    Demo(demo::Demo),

    /// One process of the demo, which starts these itself
    #[cfg(feature = "demo")]
    #[command(hide = true)]
    DemoProcess(demo::DemoProcess),

    /// Provide other projects' tools by their names
    ///
    /// It makes a link to saltus for each of LCM's tools. A tool takes LCM's options and runs the saltus command for it, on $LCM_DEFAULT_URL
    /// or LCM's default network.
    Aliases(aliases::Aliases),

    /// Print completions for a shell
    Completions(completions::Completions),

    /// Print or write the man pages
    Man(man::Man),
}

/// The groups that the help shows, and their commands.
const GROUPS: [(&str, &[&str]); 7] = [
    ("Channels", &["mk", "rm", "ls", "info", "chmod", "sweep", "share"]),
    ("Messages", &["pub", "echo", "spy", "stat"]),
    ("Logs", &["record", "play", "log", "import"]),
    ("Types", &["types", "gen"]),
    ("Networks", &["bridge", "hub", "tunnel", "serve"]),
    ("Latency", &["hiccup", "doctor", "bench", "report"]),
    ("Others", &["demo", "aliases", "completions", "man"]),
];

/// The groups as the help lists them.
fn listed(whole: &clap::Command) -> String {
    let mut text = String::new();
    for (heading, names) in GROUPS {
        text += &format!("{heading}:\n");
        for one in names.iter().filter_map(|name| whole.find_subcommand(name)) {
            let about = one.get_about().map(ToString::to_string).unwrap_or_default();
            text += &format!("  {:<12} {about}\n", one.get_name());
        }
        text.push('\n');
    }
    text + "  help         Print the help of a command"
}

/// The commands that accept `--domain`, at any depth.
fn has_domain(path: &[&str]) -> bool {
    matches!(
        path,
        ["mk" | "rm" | "ls" | "info" | "chmod" | "sweep" | "pub" | "echo" | "spy" | "stat"]
            | ["record" | "play" | "serve" | "doctor" | "demo"]
            | ["types", "show"]
            | ["tunnel", "listen" | "connect"]
    )
}

/// The whole command line: the defined commands, with their shared options.
pub(crate) fn whole() -> clap::Command {
    fn shared<'a>(command: clap::Command, path: &mut Vec<&'a str>, names: &'a [Names]) -> clap::Command {
        let mut command =
            command.mut_args(|arg| match arg.get_action().takes_values() && !arg.is_positional() {
                // A negative number is a value, refused with a message, not an unknown option.
                true => arg.allow_negative_numbers(true),
                false => arg,
            });
        if path.is_empty() || has_domain(path) {
            command = command.arg(domain::arg());
        }
        for Names(name, inner) in names {
            path.push(name);
            command = command.mut_subcommand(name, |one| shared(one, path, inner));
            path.pop();
        }
        command
    }
    let whole = Cli::command();
    let names = Names::below(&whole);
    let template = format!(
        "{{about-with-newline}}\n{{usage-heading}} {{usage}}\n\n{}\n\nOptions:\n{{options}}{{after-help}}",
        listed(&whole)
    );
    shared(whole, &mut Vec::new(), &names).help_template(template)
}

/// The name of a command, and its subcommand.
struct Names(String, Vec<Names>);

impl Names {
    fn below(command: &clap::Command) -> Vec<Names> {
        command.get_subcommands().map(|one| Names(one.get_name().to_owned(), Names::below(one))).collect()
    }
}

/// Runs the command line.
pub(crate) fn run(arguments: Vec<std::ffi::OsString>) -> Outcome {
    let matches = whole()
        .try_get_matches_from(&arguments)
        .map_err(|error| habits::usage(&whole(), &arguments, error))?;
    let cli = Cli::from_arg_matches(&matches).map_err(|error| habits::usage(&whole(), &arguments, error))?;
    cli.command.run(&typed_domain(&matches)?.meant()?)
}

/// The domain as typed, before the command or after it.
fn typed_domain(matches: &clap::ArgMatches) -> Outcome<domain::Typed> {
    let (mut at, mut path, mut typed) = (matches, Vec::new(), None);
    loop {
        if let Ok(Some(url)) = at.try_get_one::<String>(domain::ID) {
            typed = Some(url.clone());
        }
        let Some((name, inner)) = at.subcommand() else { break };
        path.push(name);
        at = inner;
    }
    if typed.is_some() && !has_domain(&path) {
        let words = format!("`saltus {}` does not use --domain: omit it", path.join(" "));
        return Err(Failure::new(Code::Usage, words));
    }
    Ok(domain::Typed(typed))
}

impl Command {
    fn run(self, domain: &DomainUrl) -> Outcome {
        let url = domain.url();
        match self {
            Command::Mk(args) => mk::run(domain, args),
            Command::Rm(args) => rm::run(domain, args),
            Command::Ls(args) => ls::run(domain, args),
            Command::Info(args) => info::run(domain, args),
            Command::Chmod(args) => chmod::run(domain, args),
            Command::Sweep(args) => sweep::run(domain, args),
            Command::Share(args) => share::run(args),
            Command::Pub(args) => publish::run(domain, args),
            Command::Echo(args) => echo::run(domain, args),
            Command::Spy(args) => spy::run(url, args),
            Command::Stat(args) => stat::run(url, args),
            Command::Record(args) => record::run(url, args),
            Command::Play(args) => play::run(url, args),
            Command::Log(args) => log::run(args),
            Command::Import(args) => import::run(args),
            Command::Types(args) => types::run(
                || {
                    domain
                        .shm_only("types show --channel", "it stores no types; name their directory with -I")
                },
                args,
            ),
            Command::Gen(args) => generate::run(args),
            Command::Bridge(args) => bridge::run(args),
            Command::Hub(args) => hub::run(args),
            Command::Tunnel(args) => tunnel::run(whole(), url.map(str::to_owned), args),
            Command::Serve(args) => serve::run(domain.is_typed(), url, args),
            Command::Hiccup(args) => hiccup::run(args),
            Command::Doctor(args) => doctor::run(url, args),
            Command::Bench(args) => bench::run(whole(), args),
            Command::Report(args) => report::run(args),
            #[cfg(feature = "demo")]
            Command::Demo(args) => demo::run(url.map(str::to_owned), args),
            #[cfg(feature = "demo")]
            Command::DemoProcess(args) => demo::process(args),
            Command::Aliases(args) => aliases::run(args),
            Command::Completions(args) => completions::run(whole(), args),
            Command::Man(args) => man::run(whole(), args),
        }
    }
}

fn examples() -> String {
    let demo = "  saltus demo --chaos                 run the balancing robot\n";
    format!("Examples:\n{}{EXAMPLES}", if cfg!(feature = "demo") { demo } else { "" })
}

const EXAMPLES: &str = "  \
  saltus pub imu 'hello' -r 100       publish 100 messages per second
  saltus echo imu --newest            print the newest message, then newer ones
  saltus spy                          watch all channels
  saltus record -o run.mcap           record all channels
  saltus help echo                    everything about one command";

#[cfg(test)]
mod tests {
    use super::*;
    use clap::Arg;
    use std::collections::{BTreeMap, BTreeSet};

    /// Every command, at any depth, with its words.
    fn all() -> Vec<(String, clap::Command)> {
        fn walk(name: String, command: &clap::Command, all: &mut Vec<(String, clap::Command)>) {
            for inner in command.get_subcommands().filter(|inner| inner.get_name() != "help") {
                walk(format!("{name} {}", inner.get_name()), inner, all);
            }
            if !command.is_hide_set() {
                all.push((name, command.clone()));
            }
        }
        let mut whole = whole();
        whole.build();
        let mut commands = Vec::new();
        walk("saltus".into(), &whole, &mut commands);
        commands
    }

    fn options(command: &clap::Command) -> impl Iterator<Item = (&str, &Arg)> {
        let shown = command.get_arguments().filter(|arg| !arg.is_hide_set() && arg.get_id() != "help");
        shown.filter_map(|arg| Some((arg.get_long()?, arg)))
    }

    /// The value of an option, as docs/cli.md shows it.
    fn value(arg: &Arg) -> String {
        let values = arg.get_value_names().filter(|_| arg.get_action().takes_values()).unwrap_or_default();
        let choices: Vec<String> =
            arg.get_possible_values().iter().map(|value| value.get_name().to_owned()).collect();
        match values {
            [] => String::new(),
            _ if !choices.is_empty() => choices.join(", "),
            [one, ..] => one.to_string(),
        }
    }

    /// The help of an option without the parts that depend on the command: defaults, and options that it requires.
    fn meaning(arg: &Arg) -> String {
        let help = arg.get_help().map(ToString::to_string).unwrap_or_default();
        let end = help
            .find(" [default")
            .into_iter()
            .chain(help.find(" (requires --"))
            .chain(help.find(" (default)"));
        help[..end.min().unwrap_or(help.len())].to_owned()
    }

    /// Options that differ between commands, and why.
    const DIFFERENT: [(&str, &str); 2] = [
        ("force", "rm skips missing channels, the others overwrite"),
        ("out", "a file or a directory, in the formats of the command"),
    ];

    /// The same option has the same short, the same value and the same help in every command.
    #[test]
    fn an_option_is_the_same_in_every_command() {
        let mut meanings: BTreeMap<String, BTreeMap<String, Vec<String>>> = BTreeMap::new();
        for (name, command) in all() {
            for (long, arg) in options(&command) {
                let meaning = format!("{:?} {:?} {:?}", arg.get_short(), value(arg), meaning(arg));
                let of = meanings.entry(long.to_owned()).or_default();
                of.entry(meaning).or_default().push(name.clone());
            }
        }
        let excused = |long: &str| DIFFERENT.iter().any(|(one, _)| *one == long);
        let several = meanings.iter().filter(|(long, of)| of.len() > 1 && !excused(long));
        assert_eq!(several.collect::<Vec<_>>(), [], "options with several meanings");
        for (long, _) in DIFFERENT {
            assert!(meanings.get(long).is_some_and(|of| of.len() > 1), "--{long} does not differ");
        }
    }

    /// The table of options in docs/cli.md, row by row.
    fn documented() -> Vec<Vec<String>> {
        let page = include_str!("../../../../docs/cli.md");
        let table = page.lines().skip_while(|line| !line.starts_with("| option |")).skip(2);
        let rows = table.take_while(|line| line.starts_with('|'));
        let cells =
            |row: &str| row.trim_matches('|').split('|').map(|cell| cell.trim().replace('`', "")).collect();
        rows.map(cells).collect()
    }

    /// One concept has one spelling: docs/cli.md lists every shared option, correctly.
    #[test]
    fn the_table_of_options_is_what_the_commands_have() {
        let mut shared: BTreeMap<String, (String, BTreeSet<String>, usize)> = BTreeMap::new();
        for (_, command) in all() {
            for (long, arg) in options(&command) {
                let typed = match arg.get_short() {
                    Some(short) => format!("-{short}, --{long}"),
                    None => format!("--{long}"),
                };
                let (_, values, count) = shared.entry(typed.clone()).or_insert((typed, BTreeSet::new(), 0));
                values.insert(value(arg));
                *count += 1;
            }
        }
        let documented = documented();
        for row in &documented {
            let (_, values, _) = shared.get(&row[0]).unwrap_or_else(|| panic!("no command has {}", row[0]));
            let values: Vec<&str> = values.iter().map(String::as_str).collect();
            assert_eq!(row[1], values.join(" or "), "{}", row[0]);
        }
        let lacking = shared.iter().filter(|(typed, (_, _, count))| {
            let known = documented.iter().any(|row| row[0] == **typed);
            let has_short = !typed.starts_with("--") && !typed.ends_with("--version");
            !known && (*count > 1 || has_short)
        });
        assert_eq!(lacking.collect::<Vec<_>>(), [], "docs/cli.md lacks these");
    }

    /// One letter stands for one option.
    #[test]
    fn a_letter_is_one_option() {
        let mut letters: BTreeMap<char, BTreeSet<String>> = BTreeMap::new();
        for (_, command) in all() {
            for (long, arg) in options(&command) {
                if let Some(short) = arg.get_short() {
                    letters.entry(short).or_default().insert(long.to_owned());
                }
            }
        }
        for (letter, longs) in letters {
            assert!(longs.len() == 1, "-{letter} is {longs:?}");
        }
    }

    /// A time is TIME and a size is SIZE, with its unit in the value and not in the name of the option.
    #[test]
    fn values_bring_their_units() {
        for (name, command) in all() {
            for (long, arg) in options(&command) {
                let value = value(arg);
                assert!(
                    !["MS", "S", "BYTES", "MB", "HOW", "WHERE", "WHICH", "RE"].contains(&&*value),
                    "{name} --{long} {value}"
                );
                assert!(!long.ends_with("-mb") && !long.ends_with("-ms"), "{name} --{long}");
                let optional =
                    arg.get_num_args().is_some_and(|range| range.min_values() == 0 && range.max_values() > 0);
                assert!(!optional, "{name} --{long}: a value is there, or it is not");
            }
        }
    }

    /// A line of the help is an imperative or a noun phrase of at most 60 characters, without a full stop.
    #[test]
    fn help_lines_are_short() {
        let mut wrong = Vec::new();
        for (name, command) in all() {
            let about = command.get_about().map(ToString::to_string).unwrap_or_default();
            let arguments = command.get_arguments().filter(|arg| !arg.is_hide_set());
            let helps = arguments.map(|arg| arg.get_help().map(ToString::to_string).unwrap_or_default());
            let choices = command.get_arguments().flat_map(Arg::get_possible_values);
            let choices: Vec<String> =
                choices.filter_map(|value| Some(value.get_help()?.to_string())).collect();
            wrong.extend(helps.chain([about]).chain(choices).filter_map(|help| {
                let upper = help.chars().next().is_some_and(char::is_uppercase);
                let good = help.chars().count() <= 60 && upper && !help.ends_with('.') && !help.contains(';');
                (!good).then(|| format!("{name}: {help} ({})", help.chars().count()))
            }));
        }
        assert_eq!(wrong, Vec::<String>::new());
    }

    /// The help lists every command once, in its group.
    #[test]
    fn every_command_is_listed_once() {
        let help = whole().render_help().to_string();
        for command in whole().get_subcommands() {
            let lines =
                help.lines().filter(|line| line.split_whitespace().next() == Some(command.get_name()));
            let lines = lines.filter(|line| line.starts_with("  ") && !line.starts_with("   ")).count();
            assert_eq!(lines, usize::from(!command.is_hide_set()), "{}: {help}", command.get_name());
        }
    }

    /// Only commands that use a domain accept `--domain`.
    #[test]
    fn only_commands_of_a_domain_have_the_option() {
        for (name, command) in all() {
            let path: Vec<&str> = name.split(' ').skip(1).collect();
            let has = command.get_arguments().any(|arg| arg.get_id() == domain::ID);
            assert_eq!(has, path.is_empty() || has_domain(&path), "{name}");
        }
        assert!(
            all().iter().filter(|(name, _)| has_domain(&name.split(' ').skip(1).collect::<Vec<_>>())).count()
                > 15
        );
    }

    /// The short help fits a terminal of 80 columns without wrapping.
    #[test]
    fn short_help_fits_80_columns() {
        for (name, command) in all() {
            let help = command.after_help("").term_width(79).render_help().to_string();
            for line in help.lines() {
                assert!(line.chars().count() <= 79, "{name}: {line}");
            }
        }
    }

    /// The lines below the options fit without wrapping, so that examples stay intact.
    #[test]
    fn examples_fit_80_columns() {
        for (name, command) in all() {
            let below = command.get_after_help().map(|text| text.to_string()).unwrap_or_default();
            for line in below.lines() {
                assert!(line.chars().count() <= 79, "{name}: {line}");
            }
        }
    }

    /// The options, such as `--json`, in a line that is not a comment.
    fn options_in(line: &str) -> impl Iterator<Item = &str> {
        // The options of saltus-bench are not ours.
        let is_other = line.trim_start().starts_with("//") || line.contains("saltus bench ");
        let line = if is_other || line.contains("tunnel bench ") { "" } else { line };
        line.match_indices("--").filter_map(|(at, _)| {
            let is_part = line[..at].ends_with(|c: char| c == '-' || c.is_ascii_alphanumeric());
            let name = line[at + 2..].split(|c: char| c != '-' && !c.is_ascii_lowercase()).next()?;
            (!is_part && name.len() > 1 && !name.starts_with('-')).then_some(name)
        })
    }

    #[test]
    fn options_that_messages_name_exist() {
        /// Options of other programs that messages also name.
        const FOREIGN: [&str; 13] = [
            "c-cpath",
            "c-hpath",
            "cap-add",
            "cpus",
            "features",
            "ipc",
            "locked",
            "one-file-system",
            "path",
            "profile",
            "shm-size",
            "system",
            "ulimit",
        ];
        let known: BTreeSet<String> = all()
            .iter()
            .flat_map(|(_, command)| options(command).map(|(long, _)| long.to_owned()).collect::<Vec<_>>())
            .chain(["help", "version"].map(String::from))
            .collect();
        let mut left = vec![std::path::PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/.."))];
        let mut named = 0;
        while let Some(path) = left.pop() {
            if path.is_dir() {
                let is_source = !path.ends_with("tests") && !path.ends_with("target");
                let inside = || std::fs::read_dir(&path).unwrap().map(|entry| entry.unwrap().path());
                left.extend(inside().filter(|_| is_source));
                continue;
            }
            // That file lists options that do not exist.
            if path.extension().is_none_or(|ending| ending != "rs") || path.ends_with("habits.rs") {
                continue;
            }
            let text = std::fs::read_to_string(&path).unwrap();
            let text = text.split("#[cfg(test)]").next().unwrap_or_default();
            for name in text.lines().flat_map(options_in) {
                let exists = known.contains(name) || FOREIGN.contains(&name);
                assert!(exists, "{} names --{name}, which no command has", path.display());
                named += 1;
            }
        }
        assert!(named > 100, "only {named} options found");
    }
}
