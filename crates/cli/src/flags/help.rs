//! Help sections below the options that several commands share.

/// Joins help sections with a blank line between them.
pub(crate) fn after(parts: &[&str]) -> String {
    parts.join("\n\n")
}

/// The syntax of patterns, for every command that accepts one.
pub(crate) const PATTERNS: &str = "\
Patterns:
  NAME selects the channel with that name. If there is none, it selects the
  channel that Saltus prints as NAME, else all channels that match NAME:
  *        any bytes, also '/'
  ?        any one byte
  [a-z]    one byte of a set; [!a-z] one byte outside it
  \\c       the character c itself; \\xHH, \\n, \\r and \\t are bytes as printed
  Quote patterns to protect them from the shell.";

/// The exit codes, for `saltus --help`.
pub(crate) const EXIT_CODES: &str = "\
Exit codes:
  0  success, also after the first Ctrl-C or when the output is closed
  1  failed; standard error has the reason and the remedy
  2  invalid command line
  3  no such channel, or a named channel never appeared (record)
  4  nothing arrived within --timeout
  5  messages were lost (echo --strict, record, play)
  6  types differ (types diff, echo --type)
  7  something on this machine does not work (doctor)";
