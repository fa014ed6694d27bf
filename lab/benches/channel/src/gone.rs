//! Contenders in a paper's comparison that are not available today, and why. Only the paper's figure could be shown.

/// The note for a paper's curves and tables, if no text that we have gives a number.
pub const NO_FIGURE: &str = "no figure in the text we have";

/// The contender, and why it is missing.
pub const GONE: [(&str, &str); 7] = [
    ("Ach itself", "no package in Debian 12; its last version is of 2019"),
    ("TAO (CORBA)", "no package in Debian 12"),
    ("OpenDDS", "no package in Debian 12"),
    ("ORTE", "no package in Debian 12"),
    ("CARMEN's IPC", "no package in Debian 12"),
    ("Player", "no package in Debian 12"),
    ("Xenomai", "needs a kernel of its own"),
];

/// As a Markdown table, one line each.
pub fn table() -> Vec<String> {
    let head = [
        "| contender | the paper's figure | why it is not in the run |".to_owned(),
        "|---|---|---|".to_owned(),
    ];
    let lines = GONE.iter().map(|(who, why)| format!("| {who} | {NO_FIGURE} | {why} |"));
    head.into_iter().chain(lines).collect()
}
