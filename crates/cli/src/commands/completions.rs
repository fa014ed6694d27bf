//! `saltus completions`: completions for a shell, generated from the definitions of the options.

use clap::{Args, Command};
use clap_complete::Shell;

use crate::exit::Outcome;
use crate::print::out::Out;

#[derive(Args)]
#[command(after_help = EXAMPLES)]
pub(crate) struct Completions {
    /// Shell to complete for
    #[arg(value_enum)]
    shell: Shell,
}

const EXAMPLES: &str = "\
Examples:
  saltus completions bash > ~/.local/share/bash-completion/completions/saltus
  saltus completions zsh > ~/.zfunc/_saltus
  saltus completions fish > ~/.config/fish/completions/saltus.fish";

/// Prints the completions for this command.
pub(crate) fn run(command: Command, completions: Completions) -> Outcome {
    // Without hidden commands, which shells would offer.
    let mut command = Command::new("saltus")
        .version(env!("CARGO_PKG_VERSION"))
        .args(command.get_arguments().cloned())
        .subcommands(command.get_subcommands().filter(|one| !one.is_hide_set()).cloned());
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut command, "saltus", &mut script);
    let mut out = Out::new()?;
    out.bytes(&script)?;
    out.flush()
}
