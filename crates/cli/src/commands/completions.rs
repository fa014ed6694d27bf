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

/// Names of channels for bash, which otherwise shows a placeholder. Other users may have chosen them: they are never evaluated, as `compgen -W`
/// would, and a name that would be an option is left out.
const CHANNELS: &str = r#"
_saltus_channels() {
    _saltus "$@"
    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD - 1]} name
    [[ " COMMANDS " == *" ${COMP_WORDS[1]} "* && $COMP_CWORD -gt 1 && $cur != -* && $prev != -* ]] || return 0
    [[ ${SALTUS_DOMAIN:-shm://} == shm://* ]] || return 0 # networks have no list
    COMPREPLY=()
    while IFS= read -r name; do
        [[ $name == -* || $name != "$cur"* ]] || COMPREPLY+=("$(printf %q "$name")")
    done < <(saltus ls 2> /dev/null)
}
complete -F _saltus_channels -o bashdefault -o default saltus
"#;

/// Prints the completions for this command.
pub(crate) fn run(command: Command, completions: Completions) -> Outcome {
    // Without hidden commands, which shells would offer.
    let mut command = Command::new("saltus")
        .version(env!("CARGO_PKG_VERSION"))
        .args(command.get_arguments().cloned())
        .subcommands(command.get_subcommands().filter(|one| !one.is_hide_set()).cloned());
    let mut script = Vec::new();
    clap_complete::generate(completions.shell, &mut command, "saltus", &mut script);
    if completions.shell == Shell::Bash {
        let takes_names = |one: &&Command| {
            one.get_positionals().any(|arg| arg.get_value_names().is_some_and(|all| all == ["NAME"]))
        };
        let commands: Vec<&str> =
            command.get_subcommands().filter(takes_names).map(Command::get_name).collect();
        script.extend(CHANNELS.replace("COMMANDS", &commands.join(" ")).bytes());
    }
    let mut out = Out::new()?;
    out.bytes(&script)?;
    out.flush()
}
