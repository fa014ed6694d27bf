//! `saltus man`: the man pages, generated from the definitions of the options.

use std::io::{self, Write};
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man as Page;

use crate::exit::{Code, Failure, Outcome, unwritable};
use crate::print::out::Out;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// Page to print, such as echo or types-check [default: saltus]
    #[arg(conflicts_with = "out")]
    command: Option<String>,

    /// Directory to write all pages into
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  saltus man echo | man -l -            read a page
  saltus man -o ~/.local/share/man/man1";

/// Prints one page of this command, or writes them all.
pub(crate) fn run(command: Command, man: Man) -> Outcome {
    let pages = pages(command);
    if let Some(directory) = man.out {
        let failed = |e: io::Error| unwritable(&directory, &e);
        std::fs::create_dir_all(&directory).map_err(failed)?;
        return pages.into_iter().try_for_each(|(name, page)| {
            std::fs::write(directory.join(format!("{name}.1")), page).map_err(failed)
        });
    }
    let wanted = man.command.map_or("saltus".to_owned(), |command| format!("saltus-{command}"));
    let Some((_, page)) = pages.into_iter().find(|(name, _)| *name == wanted) else {
        let words = format!("unknown page `{wanted}(1)`: `saltus help` lists the commands");
        return Err(Failure::new(Code::Usage, words));
    };
    let mut out = Out::new()?;
    out.bytes(&page)?;
    out.flush()
}

/// Every page by its name: one for `saltus`, and one for each command that is not hidden, at any depth.
fn pages(command: Command) -> Vec<(String, Vec<u8>)> {
    let mut whole = command.disable_help_subcommand(true);
    whole.build();
    let mut pages = Vec::new();
    add("saltus", "saltus", &whole, &mut pages);
    pages
}

/// The page's name has dashes; the command as typed has spaces.
fn add(name: &str, usage: &str, command: &Command, pages: &mut Vec<(String, Vec<u8>)>) {
    pages.push((name.to_owned(), rendered(command.clone().name(name.to_owned()).bin_name(usage))));
    let hidden = |inner: &Command| inner.is_hide_set() || inner.get_name() == "help";
    for inner in command.get_subcommands().filter(|inner| !hidden(inner)) {
        let inner_name = inner.get_name();
        add(&format!("{name}-{inner_name}"), &format!("{usage} {inner_name}"), inner, pages);
    }
}

fn rendered(command: Command) -> Vec<u8> {
    let below = command.get_after_help().map(|text| text.to_string()).unwrap_or_default();
    let has_commands = command.has_subcommands();
    let title = command.get_name().to_uppercase();
    let version = format!("saltus {}", env!("CARGO_PKG_VERSION"));
    let synopsis = synopsis(&command);
    let page = Page::new(command).title(title).source(version).manual("Saltus");
    let mut out = Vec::new();
    page.render_title(&mut out)
        .and_then(|()| page.render_name_section(&mut out))
        .and_then(|()| out.write_all(synopsis.as_bytes()))
        .and_then(|()| page.render_description_section(&mut out))
        .and_then(|()| page.render_options_section(&mut out))
        .and_then(|()| if has_commands { page.render_subcommands_section(&mut out) } else { Ok(()) })
        .expect("writing into memory cannot fail");
    out.extend(sections(&below).into_bytes());
    out
}

/// The synopsis: the command with all its options and their values.
fn synopsis(command: &Command) -> String {
    let escaped = |text: &str| text.replace('\\', "\\e").replace('-', "\\-");
    let name = command.get_bin_name().unwrap_or_else(|| command.get_name());
    let mut page = format!(".SH SYNOPSIS\n\\fB{}\\fR", escaped(name));
    let shown = || command.get_arguments().filter(|arg| !arg.is_hide_set());
    for arg in shown().filter(|arg| !arg.is_positional()) {
        let short = arg.get_short().map(|short| format!("-{short}"));
        let long = arg.get_long().map(|long| format!("--{long}"));
        let names: Vec<String> =
            short.into_iter().chain(long).map(|name| format!("\\fB{}\\fR", escaped(&name))).collect();
        let value = arg.get_value_names().filter(|_| arg.get_action().takes_values()).unwrap_or_default();
        let value: String = value.iter().map(|name| format!(" \\fI{}\\fR", escaped(name))).collect();
        let typed = names.join("|") + &value;
        page += &if arg.is_required_set() { format!(" {typed}") } else { format!(" [{typed}]") };
    }
    if command.has_subcommands() {
        page += " \\fICOMMAND\\fR";
    }
    for arg in shown().filter(|arg| arg.is_positional()) {
        let more = if arg.get_num_args().is_some_and(|range| range.max_values() > 1) { "..." } else { "" };
        let value = arg.get_value_names().and_then(|names| names.first()).map(|name| escaped(name));
        let typed = format!("\\fI{}\\fR{more}", value.unwrap_or_else(|| escaped(arg.get_id().as_str())));
        page += &if arg.is_required_set() { format!(" {typed}") } else { format!(" [{typed}]") };
    }
    page + "\n"
}

/// The help sections below the options, as sections whose lines are not filled.
fn sections(text: &str) -> String {
    let mut page = String::new();
    for line in text.lines() {
        match line.strip_suffix(':').filter(|_| !line.starts_with(' ')) {
            Some(title) => page += &format!("{NORMAL}.SH {}\n.nf\n", title.to_uppercase()),
            // \& keeps a dot or a quote at the beginning from being a request.
            None => {
                page += &format!(
                    "\\&{}\n",
                    line.strip_prefix("  ").unwrap_or(line).replace('\\', "\\e").replace('-', "\\-")
                )
            }
        }
    }
    page + NORMAL
}

/// Ends the unfilled lines.
const NORMAL: &str = ".fi\n";
