//! Messages of clap in our style, with hints for commands and options of other tools.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};

use clap::error::{ContextKind, ContextValue, ErrorKind};
use saltus_types::nearest;

use crate::exit::{Code, Failure, printed};

/// Verbs of other tools, each with the `saltus` command to use instead.
const VERBS: [(&str, &str); 33] = [
    ("topic", "`saltus ls`"),
    ("topics", "`saltus ls`"),
    ("list", "`saltus ls`"),
    ("channels", "`saltus ls`"),
    ("hz", "`saltus stat`"),
    ("bw", "`saltus stat`"),
    ("delay", "`saltus stat`"),
    ("latency", "`saltus stat --latency`"),
    ("rate", "`saltus stat`"),
    ("stats", "`saltus stat`"),
    ("top", "`saltus spy`"),
    ("watch", "`saltus spy`"),
    ("monitor", "`saltus spy`"),
    ("view", "`saltus spy`"),
    ("plot", "`saltus spy`"),
    ("rqt", "`saltus spy --web`"),
    ("cat", "`saltus echo` or `saltus log cat`"),
    ("sub", "`saltus echo`"),
    ("subscribe", "`saltus echo`"),
    ("listen", "`saltus echo`"),
    ("publish", "`saltus pub`"),
    ("send", "`saltus pub`"),
    ("bag", "`saltus record`, `saltus play` or `saltus log`"),
    ("logger", "`saltus record`"),
    ("rec", "`saltus record`"),
    ("replay", "`saltus play`"),
    ("dump", "`saltus info` or `saltus log cat`"),
    ("show", "`saltus info` or `saltus types show`"),
    ("create", "`saltus mk`"),
    ("make", "`saltus mk`"),
    ("delete", "`saltus rm`"),
    ("remove", "`saltus rm`"),
    ("convert", "`saltus log convert`"),
];

/// Options of other tools, with the options to suggest: the first that the command has.
const OPTIONS: [(&str, &[&str]); 41] = [
    ("--once", &["count"]),
    ("-1", &["if-missing", "count"]),
    ("--num", &["count"]),
    ("--limit", &["count"]),
    ("--messages", &["count"]),
    ("-n", &["count", "depth"]),
    ("--repeat", &["loop"]),
    ("--cycle", &["loop"]),
    ("--loop", &["loop"]),
    ("--seconds", &["duration"]),
    ("--time", &["duration"]),
    ("--meter-time", &["duration"]),
    ("--channel", &["regex"]),
    ("--channels", &["regex"]),
    ("--topics", &["regex"]),
    ("-c", &["regex"]),
    ("-E", &["regex"]),
    ("--exclude", &["invert"]),
    ("-x", &["invert"]),
    ("--from", &["start"]),
    ("-s", &["max-size", "speed", "from", "strftime"]),
    ("-f", &["follow", "force"]),
    ("-l", &["lines", "lang", "long"]),
    ("-i", &["invert", "interval", "increment"]),
    ("-m", &["max-unwritten"]),
    ("-u", &["flush-interval"]),
    ("--output", &["out"]),
    ("--hlog", &["out"]),
    ("--hz", &["rate"]),
    ("--overwrite", &["force"]),
    ("--replace", &["force"]),
    ("--frames", &["depth"]),
    ("--size", &["max-size"]),
    ("--lanes", &["reserve-publishers"]),
    ("--types", &["include"]),
    ("--hex", &["bytes"]),
    ("--raw", &["no-cdr"]),
    ("--compress", &["compression"]),
    ("--split-mb", &["split-size"]),
    ("--max-unwritten-mb", &["max-unwritten"]),
    ("--clock", &["clock-channel"]),
];

/// Prints the message of clap. Help and version exit with 0; anything else is a usage error, printed like others.
pub(crate) fn usage(whole: &clap::Command, arguments: &[OsString], error: clap::Error) -> Failure {
    let given = |kind| match error.get(kind) {
        Some(ContextValue::String(text)) => Some(text.as_str()),
        _ => None,
    };
    let words = match error.kind() {
        ErrorKind::UnknownArgument => {
            given(ContextKind::InvalidArg).map(|given| option(given, &Typed::of(whole, arguments)))
        }
        ErrorKind::InvalidSubcommand => {
            given(ContextKind::InvalidSubcommand).map(|given| verb(given, &Typed::of(whole, arguments)))
        }
        ErrorKind::ValueValidation => given(ContextKind::InvalidArg)
            .zip(given(ContextKind::InvalidValue))
            .and_then(|(option, value)| {
                Some(format!("invalid value `{value}` for `{option}`: {}", error.source()?))
            }),
        ErrorKind::InvalidValue => given(ContextKind::InvalidArg)
            .zip(given(ContextKind::InvalidValue))
            .and_then(|(option, value)| {
                let Some(ContextValue::Strings(valid)) = error.get(ContextKind::ValidValue) else {
                    return None;
                };
                Some(format!("invalid value `{value}` for `{option}`: expected {}", valid.join(", ")))
            }),
        _ => None,
    };
    if let Some(words) = words {
        return Failure::new(Code::Usage, words);
    }
    let text = error.render().to_string();
    match text.strip_prefix("error: ") {
        Some(words) => {
            let _ = write!(io::stderr(), "saltus: {words}");
            Failure::Reported(Code::Usage)
        }
        None => printed(&error),
    }
}

/// The command as typed.
struct Typed<'a> {
    command: &'a clap::Command,
    /// All words of the command, such as `saltus types show`.
    path: String,
}

impl<'a> Typed<'a> {
    fn of(whole: &'a clap::Command, arguments: &[OsString]) -> Typed<'a> {
        let mut typed = Typed { command: whole, path: "saltus".into() };
        for word in arguments.iter().skip(1).filter_map(|word| word.to_str()) {
            if let Some(inner) = typed.command.find_subcommand(word) {
                typed.command = inner;
                typed.path += " ";
                typed.path += word;
            }
        }
        typed
    }

    /// The option of the command with this long name.
    fn has(&self, long: &str) -> bool {
        self.command.get_arguments().any(|arg| arg.get_long() == Some(long))
    }
}

fn verb(given: &str, typed: &Typed<'_>) -> String {
    let names =
        || typed.command.get_subcommands().filter(|one| !one.is_hide_set()).map(clap::Command::get_name);
    let near = nearest(given, names()).map(|name| format!("`{} {name}`", typed.path));
    let habit = VERBS.iter().find(|(verb, _)| *verb == given && typed.path == "saltus");
    match habit.map(|(_, instead)| (*instead).to_owned()).or(near) {
        Some(instead) => format!("unknown command `{given}`: did you mean {instead}?"),
        None => format!("unknown command `{given}`: `{} --help` lists all commands", typed.path),
    }
}

fn option(given: &str, typed: &Typed<'_>) -> String {
    let path = &typed.path;
    if !given.starts_with('-') {
        return match typed.has("out") {
            true => format!("unexpected argument `{given}` of `{path}`: did you mean `-o {given}`?"),
            false if path == "saltus echo" => {
                format!(
                    "unexpected argument `{given}` of `{path}`: it takes one name; `-e REGEX` selects several channels"
                )
            }
            false => {
                format!("unexpected argument `{given}` of `{path}`: quote an argument that contains spaces")
            }
        };
    }
    let meant = OPTIONS
        .iter()
        .find(|(flag, _)| *flag == given)
        .and_then(|(_, longs)| longs.iter().find(|long| typed.has(long)));
    let longs =
        || typed.command.get_arguments().filter(|arg| !arg.is_hide_set()).filter_map(clap::Arg::get_long);
    let near = || given.strip_prefix("--").and_then(|given| nearest(given, longs()));
    match meant.copied().or_else(near) {
        Some("count") if given == "--once" || given == "-1" => {
            format!("unknown option `{given}` of `{path}`: did you mean `-n 1`?")
        }
        Some(long) => format!("unknown option `{given}` of `{path}`: did you mean `--{long}`?"),
        None => format!("unknown option `{given}`: `{path} --help` lists the options of `{path}`"),
    }
}
