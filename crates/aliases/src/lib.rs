//! LCM's tools, by their own names and options: links to `saltus` that `saltus aliases lcm` makes. Each is translated to the command line
//! of a `saltus` command, so that nothing is done here.
//!
//! The options are those of LCM 1.5.3. Those without a counterpart here are refused, such as code for Lua, Go and C#, or ignored where the
//! result is the same for a program, such as window titles.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use clap::{ArgAction, Args, Parser};

/// The network of LCM's programs if nothing names another.
const DEFAULT_URL: &str = "udpm://239.255.76.67:7667?ttl=0";

/// A tool of LCM.
pub struct Tool {
    /// Its name as a program.
    pub name: &'static str,
    /// The `saltus` command that it runs.
    pub command: &'static str,
    /// Reads LCM's options and returns the arguments of each `saltus` command to run in turn.
    lines: fn(&[OsString]) -> Result<Vec<Line>, Error>,
}

/// The reason why options do not become a command line.
#[derive(Debug)]
pub enum Error {
    /// A mistake in the options, or a request for help: clap prints both.
    Options(clap::Error),
    /// Something that LCM's tool does and `saltus` does not, with the remedy.
    Refused(String),
}

impl std::fmt::Display for Error {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Error::Options(error) => error.fmt(f),
            Error::Refused(why) => f.write_str(why),
        }
    }
}

impl std::error::Error for Error {}

/// All tools, in the order of the list that is printed.
pub const TOOLS: [Tool; 7] = [
    Tool { name: "lcm-gen", command: "gen --style lcm", lines: |args| parse::<Gen>(args)?.lines() },
    Tool { name: "lcm-logger", command: "record", lines: |args| Ok(vec![parse::<Logger>(args)?.line()]) },
    Tool { name: "lcm-logplayer", command: "play", lines: |args| Ok(vec![parse::<Player>(args)?.line()]) },
    Tool {
        name: "lcm-logplayer-gui",
        command: "spy --web --play",
        lines: |args| Ok(vec![parse::<PlayerGui>(args)?.line()]),
    },
    Tool {
        name: "lcm-logfilter",
        command: "log filter",
        lines: |args| Ok(vec![parse::<Filter>(args)?.line()]),
    },
    Tool { name: "lcm-spy", command: "spy", lines: |args| Ok(vec![parse::<Spy>(args)?.line()]) },
    Tool { name: "lcm-sink", command: "echo -e '.*'", lines: |args| Ok(vec![parse::<Sink>(args)?.line()]) },
];

/// The arguments of a command.
pub type Line = Vec<OsString>;

/// If the program was started by the name of a tool: the arguments of each `saltus` command to run in turn, with `saltus` as the first.
///
/// # Errors
/// The options are not those of the tool, or have no counterpart.
pub fn translated(arguments: &[OsString]) -> Result<Option<Vec<Line>>, Error> {
    let name = arguments.first().and_then(|program| Path::new(program).file_name());
    let Some(tool) = TOOLS.iter().find(|tool| Some(OsStr::new(tool.name)) == name) else { return Ok(None) };
    Ok(Some((tool.lines)(arguments)?))
}

/// Reads the options of a tool.
fn parse<T: Parser>(arguments: &[OsString]) -> Result<T, Error> {
    let command = T::command().max_term_width(79);
    let matches = command.try_get_matches_from(arguments).map_err(Error::Options)?;
    T::from_arg_matches(&matches).map_err(Error::Options)
}

/// The start of a command line.
fn line(words: &str) -> Line {
    std::iter::once("saltus").chain(words.split(' ')).map(OsString::from).collect()
}

/// Adds an option with its value, if there is one.
fn option(line: &mut Line, name: &str, value: Option<impl Into<OsString>>) {
    if let Some(value) = value {
        line.extend([name.into(), value.into()]);
    }
}

/// Adds an option without a value, if it is set.
fn flag(line: &mut Line, name: &str, is_set: bool) {
    if is_set {
        line.push(name.into());
    }
}

/// Adds arguments that are not options, whatever they begin with.
fn operands<'a>(line: &mut Line, all: impl IntoIterator<Item = &'a PathBuf>) {
    line.push("--".into());
    line.extend(all.into_iter().map(OsString::from));
}

#[derive(Args)]
struct Url {
    /// Network to use [default: $LCM_DEFAULT_URL, or LCM's default]
    #[arg(short = 'l', long = "lcm-url", value_name = "URL")]
    url: Option<String>,
}

impl Url {
    /// The option for it.
    fn domain(&self, line: &mut Line) {
        let known = self.url.clone().filter(|url| !url.is_empty());
        let known = known.or_else(|| std::env::var("LCM_DEFAULT_URL").ok().filter(|url| !url.is_empty()));
        option(line, "--domain", Some(known.unwrap_or_else(|| DEFAULT_URL.into())));
    }
}

/// Record messages of LCM in a log
#[derive(Parser)]
#[command(name = "lcm-logger", version)]
struct Logger {
    /// Log to write [default: lcmlog-%Y-%m-%d, numbered]
    file: Option<PathBuf>,
    /// Channels whose whole name matches
    #[arg(short, long, value_name = "REGEX", default_value = ".*")]
    channel: String,
    /// Write to disk at least every MS milliseconds
    #[arg(short = 'u', long, value_name = "MS")]
    flush_interval: Option<u64>,
    /// Overwrite an existing file
    #[arg(short, long)]
    force: bool,
    /// Number files from 00 and use the first free number
    #[arg(short, long)]
    increment: bool,
    #[command(flatten)]
    url: Url,
    /// Memory for unwritten messages, in MB
    #[arg(short, long, value_name = "MB")]
    max_unwritten_mb: Option<f64>,
    /// Keep NUM files, numbered from 0
    #[arg(long, value_name = "NUM")]
    rotate: Option<i64>,
    /// Start a new file every N MB
    #[arg(long, value_name = "N")]
    split_mb: Option<f64>,
    /// Print only errors and warnings
    #[arg(short, long)]
    quiet: bool,
    /// Append to an existing file
    #[arg(short, long)]
    append: bool,
    /// Format the name with the time, as strftime does
    #[arg(short, long)]
    strftime: bool,
    /// Record the channels that do not match
    #[arg(short = 'v', long)]
    invert_channels: bool,
    /// Stop when the disk has less than SIZE left
    #[arg(long, value_name = "SIZE", value_parser = quota)]
    disk_quota: Option<u64>,
}

/// A size as LCM writes it: K, M and so on, and KiB, are powers of 1024, and KB powers of 1000.
fn quota(text: &str) -> Result<u64, String> {
    const EXPECTED: &str = "expected a size with its unit, such as 500M, 5GB or 1TiB";
    let (number, unit) = text.split_at(text.find(|c: char| c.is_ascii_alphabetic()).ok_or(EXPECTED)?);
    let unit = unit.to_ascii_uppercase();
    let base: u64 = if unit.len() == 2 { 1000 } else { 1024 };
    let power = match (unit.chars().next(), unit.get(1..)) {
        (Some('B'), Some("")) => 0,
        (Some(first), Some("" | "B" | "IB")) => "KMGTPE".find(first).ok_or(EXPECTED)? as u32 + 1,
        _ => return Err(EXPECTED.into()),
    };
    let number: u64 = number.trim().parse().map_err(|_| EXPECTED)?;
    base.pow(power).checked_mul(number).ok_or_else(|| format!("{text} is too large"))
}

/// The number of bytes in MB as LCM counts them: 1 MB is 1 MiB.
fn mebibytes(mb: f64) -> String {
    ((mb.max(0.0) * 1048576.0) as u64).to_string()
}

impl Logger {
    fn line(self) -> Line {
        let mut line = line("record");
        self.url.domain(&mut line);
        // All channels are what it records anyhow.
        option(
            &mut line,
            "-e",
            Some(self.channel.as_str()).filter(|all| *all != ".*" || self.invert_channels),
        );
        flag(&mut line, "--invert", self.invert_channels);
        option(&mut line, "--flush-interval", self.flush_interval.map(|ms| format!("{ms}ms")));
        option(&mut line, "--max-unwritten", self.max_unwritten_mb.map(mebibytes));
        option(&mut line, "--rotate", self.rotate.filter(|n| *n >= 0).map(|n| n.to_string()));
        option(&mut line, "--split-size", self.split_mb.filter(|mb| *mb > 0.0).map(mebibytes));
        option(&mut line, "--disk-quota", self.disk_quota.map(|bytes| bytes.to_string()));
        let is_default = self.file.is_none();
        let increment = self.increment || is_default;
        flag(&mut line, "--force", self.force && !increment); // no file is in the way then
        flag(&mut line, "--append", self.append);
        flag(&mut line, "--quiet", self.quiet);
        flag(&mut line, "--increment", increment);
        flag(&mut line, "--strftime", self.strftime || is_default);
        option(&mut line, "--out", Some(self.file.unwrap_or_else(|| "lcmlog-%Y-%m-%d".into())));
        line
    }
}

/// Play a log of LCM
#[derive(Parser)]
#[command(name = "lcm-logplayer", version, disable_version_flag = true)]
struct Player {
    /// Log to play
    file: PathBuf,
    /// Print each message: ignored, the summary has the counts
    #[arg(short, long)]
    verbose: bool,
    /// Playback speed; 0 to play as fast as possible
    #[arg(short, long, value_name = "NUM", default_value_t = 1.0, allow_negative_numbers = true)]
    speed: f64,
    /// Channels whose whole name matches
    #[arg(short = 'e', long, value_name = "EXPR")]
    regexp: Option<String>,
    #[command(flatten)]
    url: Url,
}

impl Player {
    fn line(self) -> Line {
        let mut line = line("play");
        self.url.domain(&mut line);
        option(&mut line, "--speed", Some(self.speed.max(0.0).to_string()));
        option(&mut line, "-e", self.regexp);
        operands(&mut line, [&self.file]);
        line
    }
}

/// Play a log of LCM from a page in the browser
#[derive(Parser)]
#[command(name = "lcm-logplayer-gui", version, disable_version_flag = true)]
struct PlayerGui {
    /// Log to play
    file: PathBuf,
    #[command(flatten)]
    url: Url,
    /// Start paused: the page always does
    #[arg(short, long)]
    paused: bool,
    /// Title of the window: ignored
    #[arg(short, long, value_name = "LABEL")]
    title: Option<String>,
    /// Show the URL in the title: ignored
    #[arg(long)]
    title_url: bool,
}

impl PlayerGui {
    fn line(self) -> Line {
        let mut domain = Line::new();
        self.url.domain(&mut domain);
        let mut line = line("spy --web");
        option(&mut line, "--play", Some(self.file));
        option(&mut line, "--publish", domain.pop());
        line
    }
}

/// Copy messages of a log
#[derive(Parser)]
#[command(name = "lcm-logfilter", version, disable_version_flag = true)]
struct Filter {
    /// Log to read
    source: PathBuf,
    /// Log to write; an existing one is replaced
    destination: PathBuf,
    /// Channels whose name contains a match
    #[arg(short, long, value_name = "REGEX")]
    channel: Option<String>,
    /// Copy the channels that do not match
    #[arg(short, long)]
    invert: bool,
    /// Seconds after the first message at which to start
    #[arg(short, long, value_name = "TIME")]
    start: Option<f64>,
    /// Copy messages up to TIME seconds after the first one, inclusive
    #[arg(short, long, value_name = "TIME")]
    end: Option<f64>,
    /// Print more: ignored
    #[arg(short, long)]
    verbose: bool,
}

impl Filter {
    fn line(self) -> Line {
        let mut line = line("log filter --force");
        let channel = self.channel.or_else(|| self.invert.then(|| ".*".into()));
        option(&mut line, "-e", channel.map(|regex| format!(".*(?:{regex}).*")));
        flag(&mut line, "--invert", self.invert);
        option(&mut line, "--from", self.start.map(|seconds| seconds.to_string()));
        // A message at that time is copied too: times of a log are in us.
        option(&mut line, "--to", self.end.map(|seconds| format!("{:.6}", seconds + 1e-6)));
        option(&mut line, "--out", Some(self.destination));
        operands(&mut line, [&self.source]);
        line
    }
}

/// Show all channels, their messages and plots
#[derive(Parser)]
#[command(name = "lcm-spy", version, disable_version_flag = true)]
struct Spy {
    #[command(flatten)]
    url: Url,
    /// Title of the window: ignored
    #[arg(short, long, value_name = "LABEL")]
    title: Option<String>,
    /// Show the URL in the title: ignored
    #[arg(long)]
    title_url: bool,
}

impl Spy {
    fn line(self) -> Line {
        let mut line = line("spy");
        self.url.domain(&mut line);
        line
    }
}

/// Print every message
#[derive(Parser)]
#[command(name = "lcm-sink", version)]
struct Sink {
    #[command(flatten)]
    url: Url,
}

impl Sink {
    fn line(self) -> Line {
        let mut line = line("echo -e .*");
        self.url.domain(&mut line);
        line
    }
}

/// Generate code for types
#[derive(Parser)]
#[command(name = "lcm-gen", version)]
struct Gen {
    /// Type files
    #[arg(required = true)]
    files: Vec<PathBuf>,
    /// C
    #[arg(short, long)]
    c: bool,
    /// C++
    #[arg(short = 'x', long)]
    cpp: bool,
    /// Java
    #[arg(short, long)]
    java: bool,
    /// Python
    #[arg(short, long)]
    python: bool,
    /// Lua: not generated
    #[arg(short, long)]
    lua: bool,
    /// Go: not generated
    #[arg(short, long)]
    go: bool,
    /// C#: not generated
    #[arg(long)]
    csharp: bool,
    /// Directory of C source files; that of the headers, too
    #[arg(long, value_name = "DIR")]
    c_cpath: Option<PathBuf>,
    /// Directory of C headers; that of the source files, too
    #[arg(long, value_name = "DIR")]
    c_hpath: Option<PathBuf>,
    /// Folder in the #include lines of C
    #[arg(long, value_name = "FOLDER")]
    cinclude: Option<String>,
    /// Functions for type information: always there
    #[arg(long)]
    c_typeinfo: bool,
    /// Omit publish and subscribe functions: ignored, they are generated
    #[arg(long)]
    c_no_pubsub: bool,
    /// Directory of C++ headers
    #[arg(long, value_name = "DIR")]
    cpp_hpath: Option<PathBuf>,
    /// Folder in the #include lines of C++
    #[arg(long, value_name = "FOLDER")]
    cpp_include: Option<String>,
    /// Standard of C++: the code suits all
    #[arg(long, value_name = "STANDARD")]
    cpp_std: Option<String>,
    /// Directory of Java files
    #[arg(long, value_name = "DIR")]
    jpath: Option<PathBuf>,
    /// Package of Java types that have none
    #[arg(long, value_name = "PACKAGE", default_value = "lcmtypes")]
    jdefaultpkg: String,
    /// Directory of Python files
    #[arg(long, value_name = "DIR")]
    ppath: Option<PathBuf>,
    /// Quotes in the #include lines of types: always there
    #[arg(long)]
    use_quotes_for_includes: bool,
    /// Package to put before the package of every type
    #[arg(long, value_name = "PACKAGE")]
    package_prefix: Option<String>,
    /// Write only what is older than its types: only changes are written in any case
    #[arg(long, action = ArgAction::SetTrue)]
    lazy: bool,
}

impl Gen {
    fn lines(self) -> Result<Vec<Line>, Error> {
        let usage = |words: &str| Err(Error::Refused(format!("lcm-gen: {words}")));
        if self.lua || self.go || self.csharp {
            return usage("`saltus` has no generator for Lua, Go and C#: use LCM's lcm-gen for these");
        }
        if let (Some(c), Some(h)) = (&self.c_cpath, &self.c_hpath)
            && c != h
        {
            return usage(
                "--c-cpath and --c-hpath must name one directory: sources and headers are written together",
            );
        }
        let folder = |given: &Option<String>| given.clone().filter(|folder| !folder.is_empty());
        let languages = [
            (self.c, "c", self.c_cpath.as_ref().or(self.c_hpath.as_ref()), folder(&self.cinclude)),
            (self.cpp, "cpp", self.cpp_hpath.as_ref(), folder(&self.cpp_include)),
            (self.java, "java", self.jpath.as_ref(), None),
            (self.python, "python", self.ppath.as_ref(), None),
        ];
        let mut lines = Vec::new();
        for (_, language, out, include) in languages.iter().filter(|(is_asked, ..)| *is_asked) {
            let mut line = line("gen --style lcm --lang");
            line.push(language.into());
            option(&mut line, "--out", out.filter(|out| !out.as_os_str().is_empty()));
            option(&mut line, "--include-folder", include.as_ref());
            option(&mut line, "--package-prefix", self.package_prefix.as_ref());
            let package = Some(&self.jdefaultpkg).filter(|_| *language == "java");
            option(&mut line, "--default-package", package);
            operands(&mut line, &self.files);
            lines.push(line);
        }
        if lines.is_empty() {
            return usage("name a language: -c, -x (C++), -j (Java) or -p (Python)");
        }
        Ok(lines)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn translated(line: &str) -> Vec<String> {
        let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
        let lines = super::translated(&arguments).unwrap().unwrap();
        lines.iter().map(|line| line.join(OsStr::new(" ")).into_string().unwrap()).collect()
    }

    #[test]
    fn the_options_of_lcm_become_ours() {
        let lines = [
            (
                "lcm-logger -l udpm:// --channel=POSE|SCAN -v -f -q --split-mb=1.5 -i -m 10 --disk-quota 5GB run",
                "saltus record --domain udpm:// -e POSE|SCAN --invert --max-unwritten 10485760 --split-size 1572864 \
                 --disk-quota 5000000000 --quiet --increment --out run",
            ),
            (
                "lcm-logger --lcm-url=udpm:// -u 20",
                "saltus record --domain udpm:// --flush-interval 20ms --increment --strftime --out lcmlog-%Y-%m-%d",
            ),
            (
                "/usr/bin/lcm-logplayer -s -1 -e A.* -l shm:// run.00",
                "saltus play --domain shm:// --speed 0 -e A.* -- run.00",
            ),
            ("lcm-logplayer-gui -p -l udpm:// -t title run", "saltus spy --web --play run --publish udpm://"),
            (
                "lcm-logfilter -c POSE -i -s 1.5 -e 3 a b",
                "saltus log filter --force -e .*(?:POSE).* --invert --from 1.5 --to 3.000001 --out b -- a",
            ),
            ("lcm-logfilter -i a b", "saltus log filter --force -e .*(?:.*).* --invert --out b -- a"),
            ("lcm-spy --lcm-url=tcpq://", "saltus spy --domain tcpq://"),
            ("lcm-sink -l udpm://", "saltus echo -e .* --domain udpm://"),
            (
                "lcm-gen -c --use-quotes-for-includes --c-typeinfo --c-no-pubsub --c-cpath out --c-hpath out --cinclude types a.lcm b.lcm",
                "saltus gen --style lcm --lang c --out out --include-folder types -- a.lcm b.lcm",
            ),
        ];
        for (typed, meant) in lines {
            assert_eq!(translated(typed), [meant]);
            let name = typed.split(' ').next().and_then(|path| path.rsplit('/').next());
            let tool = TOOLS.iter().find(|tool| Some(tool.name) == name).unwrap();
            let listed = format!("saltus {} ", tool.command.replace('\'', ""));
            assert!(meant.starts_with(&listed), "{} is listed as `{listed}`", tool.name);
        }
        assert_eq!(
            translated("lcm-gen -x -j -p --cpp-hpath include --jpath java types.lcm"),
            [
                "saltus gen --style lcm --lang cpp --out include -- types.lcm",
                "saltus gen --style lcm --lang java --out java --default-package lcmtypes -- types.lcm",
                "saltus gen --style lcm --lang python -- types.lcm",
            ]
        );
    }

    #[test]
    fn a_quota_has_the_units_of_lcm() {
        let sizes =
            [("0b", 0), ("7K", 7 << 10), ("5gb", 5_000_000_000), ("1 TiB", 1 << 40), ("15E", 15 << 60)];
        for (text, bytes) in sizes {
            assert_eq!(quota(text), Ok(bytes), "{text}");
        }
        for text in ["", "5", "5X", "-1K", "1.5M", "20E", "5KBB", "\u{e9}K", "1\u{e9}"] {
            assert!(quota(text).is_err(), "{text}");
        }
    }

    #[test]
    fn what_cannot_be_generated_is_refused() {
        let refused = |line: &str| {
            let arguments: Vec<OsString> = line.split(' ').map(OsString::from).collect();
            match super::translated(&arguments) {
                Err(Error::Refused(words)) => words,
                other => panic!("{line}: {:?}", other.map(|_| ())),
            }
        };
        assert!(refused("lcm-gen -l a.lcm").contains("Lua"));
        assert!(refused("lcm-gen a.lcm").contains("name a language"));
        assert!(refused("lcm-gen -c --c-cpath a --c-hpath b a.lcm").contains("one directory"));
        assert!(super::translated(&["saltus".into(), "ls".into()]).unwrap().is_none());
    }
}
