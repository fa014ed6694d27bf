//! `saltus man`: the man pages, generated from the definitions of the options.

use std::io;
use std::path::PathBuf;

use clap::{Args, Command};
use clap_mangen::Man as Page;

use crate::exit::{Code, Failure, Outcome};
use crate::print::out::Out;

/// The options of `man`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Man {
    /// Command whose page to print, such as echo or types-check; the page of saltus itself when none is given
    #[arg(conflicts_with = "out")]
    command: Option<String>,

    /// Write all pages into this directory, which is made if it is missing
    #[arg(long, value_name = "DIR")]
    out: Option<PathBuf>,
}

const EXAMPLES: &str = "\
Examples:
  saltus man echo | man -l -            read a page
  saltus man --out ~/.local/share/man/man1";

/// Prints one page of this command, or writes them all.
pub(crate) fn run(command: Command, man: Man) -> Outcome {
    let pages = pages(command);
    if let Some(directory) = man.out {
        let failed = |e: io::Error| {
            let words = format!(
                "cannot write man pages into {}: {e}; name a directory you may write",
                directory.display()
            );
            Failure::new(Code::Failed, words)
        };
        std::fs::create_dir_all(&directory).map_err(failed)?;
        return pages.into_iter().try_for_each(|(name, page)| {
            std::fs::write(directory.join(format!("{name}.1")), page).map_err(failed)
        });
    }
    let wanted = man.command.map_or("saltus".to_owned(), |command| format!("saltus-{command}"));
    let Some((_, page)) = pages.into_iter().find(|(name, _)| *name == wanted) else {
        let words = format!("there is no page {wanted}(1); `saltus help` lists the commands");
        return Err(Failure::new(Code::Usage, words));
    };
    let mut out = Out::new()?;
    out.bytes(&page)?;
    out.flush()
}

/// Every page by its name: the command's own, and one for each command that is not hidden, in any depth.
fn pages(command: Command) -> Vec<(String, Vec<u8>)> {
    let mut whole = command.disable_help_subcommand(true);
    whole.build();
    let mut pages = Vec::new();
    add("saltus", "saltus", &whole, &mut pages);
    pages
}

/// A page is named with dashes; what it tells people to type has blanks.
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
    let page = Page::new(command).title(title).source(version).manual("Saltus");
    let mut out = Vec::new();
    page.render_title(&mut out)
        .and_then(|()| page.render_name_section(&mut out))
        .and_then(|()| page.render_synopsis_section(&mut out))
        .and_then(|()| page.render_description_section(&mut out))
        .and_then(|()| page.render_options_section(&mut out))
        .and_then(|()| if has_commands { page.render_subcommands_section(&mut out) } else { Ok(()) })
        .expect("writing into memory cannot fail");
    out.extend(sections(&below).into_bytes());
    out
}

/// What stands below the options, as sections of their own whose lines stay as they are.
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

/// Ends the lines that stay as they are.
const NORMAL: &str = ".fi\n";
