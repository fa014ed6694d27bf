//! Requests of pages. All have limits; beyond them, the page gets an error.

use saltus_spy::Column;
use serde::Deserialize;

/// Most rows of the table that are sent.
pub(crate) const ROWS: usize = 300;
/// Most channels that a page has open.
pub(crate) const CARDS: usize = 32;
/// Most numbers that a page plots.
pub(crate) const PLOTS: usize = 32;
/// Most folded or unfolded nodes of a tree.
const TOGGLED: usize = 1000;

/// A request of a page.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(crate) enum Ask {
    /// Replaces the displayed parts.
    Show(Show),
    /// A command to the player.
    Player(Steer),
    /// The page has received a turn, and is ready for the next.
    Took,
}

/// The displayed parts of a page.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Show {
    /// Frames per second, 1 to 30.
    pub hz: Option<f64>,
    /// The visible part of the table.
    pub rows: Option<Part>,
    /// Opened channels.
    pub open: Vec<Open>,
    /// Plotted numbers.
    pub plots: Vec<Plotted>,
    /// Whether it shows the graph of publishers and subscribers.
    pub graph: bool,
}

/// A part of the table.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Part {
    pub sort: Column,
    /// Whether the largest value is first.
    pub down: bool,
    pub filter: String,
    pub from: usize,
    pub to: usize,
}

/// A channel, by its escaped name and domain, as in rows. An empty domain matches any.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub(crate) struct Key {
    pub domain: String,
    pub channel: String,
}

/// An opened channel.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Open {
    #[serde(flatten)]
    pub key: Key,
    /// Whether its tree is visible.
    pub tree: bool,
    /// Whether a view of it is visible.
    pub value: bool,
    /// Whether its latencies are visible.
    pub timing: bool,
    /// Paths of nodes that are toggled from their initial state.
    pub toggled: Vec<String>,
}

/// A plotted number.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub(crate) struct Plotted {
    #[serde(flatten)]
    pub key: Key,
    pub path: String,
}

/// A command to the player.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Steer {
    Play,
    Pause,
    /// Goes to this time, in seconds after the first event.
    Seek {
        to: f64,
    },
    /// Sets the speed; 1 is the recorded speed, 0 is without limit.
    Speed {
        to: f64,
    },
    /// Goes to the next or the previous message, of this channel if one is named.
    Step {
        #[serde(default)]
        back: bool,
        channel: Option<String>,
    },
    /// Repeats between two times, or stops repeating.
    Repeat {
        from: Option<f64>,
        to: Option<f64>,
    },
    /// Sets a bookmark at the current position.
    Bookmark {
        name: String,
    },
    /// Sets whether a channel of the log is played, and its published name (empty: its own).
    Track {
        channel: String,
        on: bool,
        name: String,
    },
}

/// Parses a request.
///
/// # Errors
/// The request is invalid. The text is the error.
pub(crate) fn ask(text: &str) -> Result<Ask, String> {
    let ask: Ask = serde_json::from_str(text).map_err(|e| format!("not a request: {e}"))?;
    if let Ask::Show(show) = &ask {
        let too_many = |what, most| Err(format!("too many {what} at once: at most {most}"));
        if show.open.len() > CARDS {
            return too_many("open channels", CARDS);
        }
        if show.plots.len() > PLOTS {
            return too_many("plots", PLOTS);
        }
        if show.open.iter().any(|open| open.toggled.len() > TOGGLED) {
            return too_many("unfolded fields", TOGGLED);
        }
    }
    Ok(ask)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn omitted_fields_are_empty_and_excess_is_refused() {
        let Ok(Ask::Show(show)) =
            ask(r#"{"op":"show","rows":{"sort":"rate","to":9},"open":[{"channel":"A"}]}"#)
        else {
            panic!("a request");
        };
        assert_eq!(show.rows.unwrap().sort, Column::Rate);
        assert_eq!((show.open[0].key.channel.as_str(), show.open[0].tree), ("A", false));
        assert!(matches!(
            ask(r#"{"op":"player","do":"step","back":true}"#),
            Ok(Ask::Player(Steer::Step { back: true, .. }))
        ));
        for bad in
            ["", "[]", "{}", r#"{"op":"fly"}"#, r#"{"op":"player","do":"seek"}"#, r#"{"op":"show","open":7}"#]
        {
            assert!(ask(bad).is_err(), "{bad}");
        }
        let many = format!(r#"{{"op":"show","open":[{}{{}}]}}"#, "{},".repeat(CARDS));
        assert!(ask(&many).unwrap_err().contains("at most 32"));
        let deep = "[".repeat(60_000);
        assert!(ask(&deep).is_err());
    }
}
