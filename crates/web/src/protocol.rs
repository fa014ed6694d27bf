//! What pages say. All of it is bounded, and what is too much is an error that is told.

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

/// Something that a page says.
#[derive(Debug, Deserialize)]
#[serde(tag = "op", rename_all = "lowercase")]
pub(crate) enum Ask {
    /// What it shows from now on, as a whole.
    Show(Show),
    /// What the player is to do.
    Player(Steer),
    /// It has taken a turn, and may get the next.
    Took,
}

/// What a page shows.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Show {
    /// Frames a second, 1 to 30.
    pub hz: Option<f64>,
    /// The part of the table that is on the screen.
    pub rows: Option<Part>,
    /// Channels that are open.
    pub open: Vec<Open>,
    /// Numbers that are plotted.
    pub plots: Vec<Plotted>,
    /// Whether it draws who talks to whom.
    pub graph: bool,
}

/// A part of the table.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Part {
    pub sort: Column,
    /// Whether the largest is first.
    pub down: bool,
    pub filter: String,
    pub from: usize,
    pub to: usize,
}

/// A channel, by its names as rows have them; of any domain if that is empty.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub(crate) struct Key {
    pub domain: String,
    pub channel: String,
}

/// A channel that is open.
#[derive(Debug, Default, Deserialize)]
#[serde(default)]
pub(crate) struct Open {
    #[serde(flatten)]
    pub key: Key,
    /// Whether its tree is on the screen.
    pub tree: bool,
    /// Whether a view of it is.
    pub value: bool,
    /// Whether all its latencies are.
    pub timing: bool,
    /// Paths that are folded which are not by themselves, and the other way round.
    pub toggled: Vec<String>,
}

/// A number that is plotted.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash, Deserialize)]
#[serde(default)]
pub(crate) struct Plotted {
    #[serde(flatten)]
    pub key: Key,
    pub path: String,
}

/// What the player is to do.
#[derive(Debug, Deserialize)]
#[serde(tag = "do", rename_all = "lowercase")]
pub(crate) enum Steer {
    Play,
    Pause,
    /// To this time, seconds after the first event.
    Seek {
        to: f64,
    },
    /// So many times as fast; 0 is as fast as it goes.
    Speed {
        to: f64,
    },
    /// To the next message, or the last one; of this channel of the log, if one is named.
    Step {
        #[serde(default)]
        back: bool,
        channel: Option<String>,
    },
    /// Repeats between two times, or no longer.
    Repeat {
        from: Option<f64>,
        to: Option<f64>,
    },
    /// Sets a bookmark where it is.
    Bookmark {
        name: String,
    },
    /// Whether a channel of the log is played, and under which name; its own if that is empty.
    Track {
        channel: String,
        on: bool,
        name: String,
    },
}

/// Reads what a page says.
///
/// # Errors
/// In words: what is wrong with it.
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
    fn what_is_left_out_is_nothing_and_what_is_too_much_is_refused() {
        let Ok(Ask::Show(show)) =
            ask(r#"{"op":"show","rows":{"sort":"rate","to":9},"open":[{"channel":"A"}]}"#)
        else {
            panic!("it is a request");
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
