//! What stands below the options in the help of several commands: written once.

/// The parts below the options, with a blank line between them.
pub(crate) fn after(parts: &[&str]) -> String {
    parts.join("\n\n")
}

/// What a pattern is, under the help of every command that takes one.
pub(crate) const PATTERNS: &str = "\
Patterns:
  A NAME is first the channel of exactly that name, then the one that is
  printed so, then all that match the pattern:
  *        any bytes, '/' too
  ?        any one byte
  [a-z]    one byte of a set; [!a-z] one outside it
  \\c       the character c itself; \\xHH, \\n, \\r and \\t are bytes as printed
  Quote patterns, so that the shell leaves them alone.";

/// What the exit codes mean, under the help of the whole command.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  fine, also after the first Ctrl-C or when nobody reads the output any more
  1  it could not be done; standard error says why, and what to do
  2  the command line makes no sense
  3  there is no such channel
  4  nothing came in the time given with --timeout
  5  samples were lost where none may be (echo --strict, record, play)
  6  two types differ (types diff), or a message has another type (echo --type)
  7  something on this machine does not work (doctor)";
