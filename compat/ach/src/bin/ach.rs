//! The command `ach`: makes, changes and removes channels, with the options of Ach's. A thin program over the C interface: it reports
//! what a program of Ach would see.

use ach::*;
use std::ffi::{CStr, CString, OsString};
use std::fmt::Display;
use std::io::{ErrorKind, Write};
use std::os::unix::ffi::OsStringExt;
use std::process::ExitCode;
use std::ptr::null_mut;

const HELP: &str = "\
Usage: ach COMMAND [OPTIONS] [NAME]
Create, change and remove channels

Commands:
  mk NAME            Create a channel (also: make, create, -C NAME)
  rm NAME            Remove a channel (also: remove, unlink, -U NAME)
  chmod OCTAL NAME   Change a channel's permissions: read to get, write to put
  dump NAME          Print a channel's state to stderr (also: -D NAME)
  file NAME          Print a channel's directory (also: -F NAME)

Options:
  -m COUNT   Number of messages to keep [default: 16]
  -n SIZE    Nominal size of a message in bytes [default: 512]
  -o OCTAL   Permissions of a new channel [default: 0666 less the umask]
  -t         Replace an existing channel; open handles continue with the new one
  -1         Succeed if the channel exists, and leave it as it is
  -u, -k     Accepted: all channels are in shared memory
  -v         Print what is done
  -V         Print the version
  -h, -H, -? Print help

Channels are those of Saltus in the domain $SALTUS_DOMAIN (default: shm://): `saltus ls` lists them, `saltus echo` and `saltus spy` show
their messages.";

/// What to do.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Command {
    Make,
    Remove,
    Chmod,
    Dump,
    File,
}

/// The words of the command line, sorted.
#[derive(Debug, Default, PartialEq)]
struct Options {
    command: Option<Command>,
    names: Vec<CString>,
    count: usize,
    size: usize,
    mode: Option<u32>,
    truncates: bool,
    may_exist: bool,
    is_verbose: bool,
    /// Text to print instead of doing anything.
    print: Option<String>,
}

/// The command with this name.
fn command(word: &[u8]) -> Result<Option<Command>, String> {
    Ok(Some(match word {
        b"mk" | b"make" | b"create" => Command::Make,
        b"rm" | b"remove" | b"unlink" => Command::Remove,
        b"chmod" => Command::Chmod,
        b"dump" => Command::Dump,
        b"file" => Command::File,
        b"search" | b"adv" | b"advertise" | b"hide" | b"unadv" | b"unadvertise" => {
            return Err(format!(
                "`{}` is not supported: connect machines with `saltus bridge`",
                String::from_utf8_lossy(word)
            ));
        }
        _ => return Ok(None),
    }))
}

fn number(option: char, value: &[u8]) -> Result<usize, String> {
    let text = String::from_utf8_lossy(value);
    text.parse()
        .ok()
        .filter(|n| *n > 0)
        .ok_or_else(|| format!("-{option}: expected a number above 0, found `{text}`"))
}

fn octal(what: &str, value: &[u8]) -> Result<u32, String> {
    let text = String::from_utf8_lossy(value);
    let mode = u32::from_str_radix(&text, 8).ok().filter(|mode| *mode <= 0o777);
    mode.ok_or_else(|| format!("{what}: expected permissions in octal, such as 666, found `{text}`"))
}

fn c(word: &[u8]) -> Result<CString, String> {
    CString::new(word).map_err(|_| "a name with a zero byte".into())
}

impl Options {
    /// Sorts words as `getopt` does: options anywhere, several letters in one word, values in the same word or the next.
    fn parse(words: impl IntoIterator<Item = OsString>) -> Result<Options, String> {
        let mut found = Options::default();
        let mut words = words.into_iter().map(OsString::into_vec);
        let mut plain = Vec::new();
        while let Some(word) = words.next() {
            let letters = match &*word {
                b"--" => {
                    plain.extend(words.by_ref());
                    break;
                }
                b"--help" => b"h",
                b"--version" => b"V",
                [b'-', letters @ ..] if !letters.is_empty() => letters,
                _ => {
                    plain.push(word);
                    continue;
                }
            };
            for (i, letter) in letters.iter().enumerate() {
                let letter = *letter as char;
                if !"mnopCUDF".contains(letter) {
                    found.flag(letter)?;
                    continue;
                }
                let rest = &letters[i + 1..];
                let value = match rest.is_empty() {
                    false => rest.to_vec(),
                    true => words.next().ok_or_else(|| format!("-{letter}: expected a value"))?,
                };
                found.value(letter, &value)?;
                break;
            }
        }
        let mut plain = plain.into_iter();
        if found.command.is_none()
            && let Some(word) = plain.next()
        {
            found.command = command(&word)?;
            if found.command.is_none() {
                return Err(format!(
                    "unknown command `{}`: `ach -h` lists the commands",
                    String::from_utf8_lossy(&word)
                ));
            }
            if found.command == Some(Command::Chmod) {
                let mode = plain.next().ok_or("chmod: expected permissions and a name")?;
                found.mode = Some(octal("chmod", &mode)?);
            }
        }
        for word in plain {
            found.names.push(c(&word)?);
        }
        Ok(found)
    }

    fn flag(&mut self, letter: char) -> Result<(), String> {
        match letter {
            't' => self.truncates = true,
            '1' => self.may_exist = true,
            'v' => self.is_verbose = true,
            'u' | 'k' => {}
            'V' => self.print = Some(format!("ach of Saltus {}", env!("CARGO_PKG_VERSION"))),
            'h' | 'H' | '?' => self.print = Some(HELP.into()),
            'a' => return Err("-a is not supported: connect machines with `saltus bridge`".into()),
            _ => return Err(format!("unknown option -{letter}: `ach -h` lists the options")),
        }
        Ok(())
    }

    fn value(&mut self, letter: char, value: &[u8]) -> Result<(), String> {
        let command = match letter {
            'm' => return number(letter, value).map(|n| self.count = n),
            'n' => return number(letter, value).map(|n| self.size = n),
            'o' => return octal("-o", value).map(|mode| self.mode = Some(mode)),
            'p' => return Err("-p is not supported: connect machines with `saltus bridge`".into()),
            'C' => Command::Make,
            'U' => Command::Remove,
            'D' => Command::Dump,
            _ => Command::File,
        };
        if self.command.replace(command).is_some_and(|before| before != command) {
            return Err(format!("-{letter}: expected one command, found two"));
        }
        self.names.push(c(value)?);
        Ok(())
    }
}

/// What went wrong, from a status.
fn failed(what: &str, name: &CStr, status: AchStatus) -> String {
    let (text, sentence) = (ach_result_to_string(status), ach_errstr());
    // SAFETY: a constant string, and NULL or this thread's sentence, both with ends.
    let (text, sentence) =
        unsafe { (CStr::from_ptr(text), (!sentence.is_null()).then(|| CStr::from_ptr(sentence))) };
    let why = sentence.map_or(text.to_string_lossy(), CStr::to_string_lossy);
    format!("cannot {what} channel `{}`: {why}", name.to_string_lossy())
}

/// `Ok` if the status is one of these.
fn check(what: &str, name: &CStr, status: AchStatus, good: &[AchStatus]) -> Result<(), String> {
    if good.contains(&status) { Ok(()) } else { Err(failed(what, name, status)) }
}

/// Runs `body` with an open channel.
fn with(name: &CStr, body: impl FnOnce(*mut AchChannel) -> Result<(), String>) -> Result<(), String> {
    let mut chan = AchChannel { words: [0; 16] };
    // SAFETY: a structure that stays where it is, a string, and no attributes.
    check("open", name, unsafe { ach_open(&mut chan, name.as_ptr(), null_mut()) }, &[ACH_OK])?;
    let result = body(&mut chan);
    // SAFETY: it is open.
    unsafe { ach_close(&mut chan) };
    result
}

fn chmod(name: &CStr, mode: u32) -> Result<(), String> {
    // SAFETY: it is open.
    with(name, |chan| check("change", name, unsafe { ach_chmod(chan, mode) }, &[ACH_OK]))
}

fn make(name: &CStr, options: &Options) -> Result<&'static str, String> {
    let mut attributes = AchCreateAttr { words: [0; 16] };
    // SAFETY: a structure that lives across all calls, and a string.
    let made = unsafe {
        ach_create_attr_init(&mut attributes);
        ach_create_attr_set_truncate(&mut attributes, options.truncates.into());
        ach_create(name.as_ptr(), options.count, options.size, &mut attributes)
    };
    if made == ACH_EEXIST && options.may_exist {
        return Ok("found");
    }
    if made == ACH_EEXIST {
        let name = name.to_string_lossy();
        return Err(format!(
            "cannot create channel `{name}`: it exists; use -1 to keep it, or -t to replace it"
        ));
    }
    check("create", name, made, &[ACH_OK])?;
    if let Some(mode) = options.mode {
        chmod(name, mode)?;
    }
    Ok("created")
}

/// Where a channel's files are.
fn file(name: &CStr) -> Result<String, String> {
    let text = |e: saltus_channel::Error| format!("cannot name channel `{}`: {e}", name.to_string_lossy());
    let directory = saltus_channel::Directory::from_env().map_err(text)?;
    let name = saltus_channel::Name::new(name.to_bytes()).map_err(text)?;
    Ok(format!("{}/{}", directory.path().display(), name.file_name()))
}

fn run(options: &Options) -> Result<(), String> {
    if let Some(text) = &options.print {
        return print(text);
    }
    let command = options.command.ok_or("expected a command: see ach -h")?;
    let [name] = &*options.names else {
        return Err(format!("expected the name of one channel, found {}: see ach -h", options.names.len()));
    };
    let done = match command {
        Command::Make => make(name, options)?,
        Command::Remove => {
            // SAFETY: a string.
            check("remove", name, unsafe { ach_unlink(name.as_ptr()) }, &[ACH_OK])?;
            "removed"
        }
        Command::Chmod => {
            chmod(name, options.mode.ok_or("chmod: expected permissions")?)?;
            "changed"
        }
        Command::Dump => {
            with(name, |chan| {
                // SAFETY: an open structure, whose fields are valid for all bytes.
                unsafe { ach_dump((*chan).fields.shm) };
                Ok(())
            })?;
            "printed"
        }
        Command::File => {
            return print(&file(name)?);
        }
    };
    if options.is_verbose {
        warn(format_args!("{done} `{}`", name.to_string_lossy()));
    }
    Ok(())
}

/// Prints a line. It is not an error if the reader has ended, as `head` does.
fn print(text: &str) -> Result<(), String> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(e) if e.kind() != ErrorKind::BrokenPipe => Err(format!("cannot print: {}", e.kind())),
        _ => Ok(()),
    }
}

/// Prints a line to stderr. If that is closed or full, nobody can learn of it.
fn warn(text: impl Display) {
    let _ = writeln!(std::io::stderr(), "ach: {text}");
}

fn main() -> ExitCode {
    match Options::parse(std::env::args_os().skip(1)).and_then(|options| run(&options)) {
        Ok(()) => ExitCode::SUCCESS,
        Err(text) => {
            warn(text);
            ExitCode::FAILURE
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Options, String> {
        Options::parse(line.split_whitespace().map(OsString::from))
    }

    #[test]
    fn options_are_those_of_ach_in_any_order_and_together() {
        let made = Options {
            command: Some(Command::Make),
            names: vec![c"hubo-ref".into()],
            count: 10,
            size: 3000,
            may_exist: true,
            ..Options::default()
        };
        for line in [
            "-1 -C hubo-ref -m 10 -n 3000",
            "mk hubo-ref -1 -m 10 -n 3000",
            "-m10 -n3000 create -1 hubo-ref",
            "make -1m 10 -n 3000 -- hubo-ref",
            "-1uk -n 3000 -m 10 mk hubo-ref",
        ] {
            assert_eq!(parse(line).as_ref(), Ok(&made), "{line}");
        }
        for (line, command) in [
            ("-U x", Command::Remove),
            ("rm x", Command::Remove),
            ("-D x", Command::Dump),
            ("-F x", Command::File),
        ] {
            assert_eq!(parse(line).unwrap().command, Some(command), "{line}");
        }
        assert_eq!(parse("chmod 660 x").unwrap().mode, Some(0o660));
    }

    #[test]
    fn wrong_options_are_refused_in_words() {
        for (line, word) in [
            ("mk -m 0 x", "-m"),
            ("mk -m x", "-m"),
            ("mk x -n", "expected a value"),
            ("-C a -U b", "found two"),
            ("chmod 888 x", "octal"),
            ("chmod", "expected permissions"),
            ("frob x", "`frob`"),
            ("mk -z x", "-z"),
            ("search x", "saltus bridge"),
            ("mk -a x", "saltus bridge"),
        ] {
            let text = parse(line).unwrap_err();
            assert!(text.contains(word), "{line}: {text}");
        }
    }
}
