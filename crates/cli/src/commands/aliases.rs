//! `saltus aliases`: other projects' tools by their names.

use std::fs;
use std::io::{self, ErrorKind};
use std::path::{Path, PathBuf};

use clap::{Args, ValueEnum};
use saltus_channel::Error;

use crate::exit::{Code, Failure, Outcome};
use crate::print::out::Out;

/// The options of `aliases`.
#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Aliases {
    /// Project whose tools to provide
    #[arg(value_enum)]
    project: Project,

    /// Directory for the links [default: that of saltus]
    #[arg(short, long, value_name = "DIR")]
    out: Option<PathBuf>,

    /// Remove the links
    #[arg(long)]
    remove: bool,
}

/// A project.
#[derive(Clone, Copy, ValueEnum)]
enum Project {
    /// Tools of LCM: lcm-gen, lcm-logger and others
    Lcm,
}

const EXAMPLES: &str = "\
Examples:
  saltus aliases lcm                   links next to saltus
  saltus aliases lcm -o ~/.local/bin   in another directory
  saltus aliases lcm --remove          remove them";

/// Makes the links, or removes those that are ours.
pub(crate) fn run(aliases: Aliases) -> Outcome {
    let Project::Lcm = aliases.project;
    let program = std::env::current_exe().map_err(|source| system("find this program", source))?;
    let directory = match &aliases.out {
        Some(directory) => directory.as_path(),
        None => program.parent().unwrap_or(Path::new("/")),
    };
    let links = saltus_aliases::TOOLS.iter().map(|tool| (tool, directory.join(tool.name)));
    let is_ours = |link: &Path| fs::read_link(link).is_ok_and(|target| target == program);
    // Nothing is done if anything is in the way.
    for (_, link) in links.clone() {
        let is_there = fs::symlink_metadata(&link).is_ok();
        if is_there && !is_ours(&link) && !aliases.remove {
            let words = format!(
                "{} exists and is not a link to {}: choose another directory with --out",
                link.display(),
                program.display()
            );
            return Err(Failure::new(Code::Failed, words));
        }
    }
    let mut out = Out::new()?;
    for (tool, link) in links {
        if aliases.remove {
            if is_ours(&link) {
                fs::remove_file(&link)
                    .map_err(|source| system(format!("remove {}", link.display()), source))?;
                out.line(format_args!("removed {}", link.display()))?;
            }
            continue;
        }
        match saltus_os::file::symlink(&program, &link) {
            Err(e) if e.kind() == ErrorKind::AlreadyExists => {}
            made => made.map_err(|source| system(format!("create {}", link.display()), source))?,
        }
        out.line(format_args!("{}   saltus {}", link.display(), tool.command))?;
    }
    out.flush()
}

fn system(what: impl Into<String>, source: io::Error) -> Error {
    Error::System { what: what.into(), source }
}
