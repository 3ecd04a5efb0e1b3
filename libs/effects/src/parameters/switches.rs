//! Switches: parameters that decide whether a call changes something.

use super::lists::{EFFECTS, FLAGS, JOINED_SWITCHES, SHOWN_BY, SHOWS, SWITCHES};
use crate::names::changes;

/// First words of flags that say that something is done beside reading, which the words behind them name.
const DOES: [&str; 6] = ["also", "and", "auto", "do", "perform", "then"];

/// Whether a name is that of a switch, or of a flag that makes a call change something.
pub(super) fn is_switch(named: &[String], kind: Option<&str>) -> bool {
    let Some(first) = named.first().map(String::as_str) else { return false };
    let is_listed = |word: &String| SWITCHES.contains(&word.as_str());
    let is_alone = named.len() == 1;
    let is_joined = (0..named.len()).any(|from| {
        let rest = named.get(from..).unwrap_or_default();
        (1..=rest.len()).any(|many| {
            let joined = rest.get(..many).unwrap_or_default().concat();
            JOINED_SWITCHES.contains(&joined.as_str())
        })
    });
    // The hash of a commit is data.
    let is_one = is_alone && (named.iter().any(is_listed) && first != "commit");
    // `0` and `1` are a switch, too.
    if matches!(kind, Some("integer" | "number")) {
        return is_joined || is_one;
    }
    let is_effect = |word: &String| EFFECTS.contains(&word.as_str());
    let is_flag = match kind {
        None => named.iter().any(is_listed),
        Some("boolean") => {
            let shows = SHOWS.contains(&first);
            let does = DOES.contains(&first) && named.iter().skip(1).any(|word| changes(word))
                || is_alone
                    && changes(first)
                    && !SHOWN_BY.split_whitespace().any(|one| one == first);
            named.iter().any(is_listed)
                || FLAGS.contains(&first)
                || does
                || (!shows && named.iter().any(is_effect))
        }
        Some(_) => false,
    };
    is_joined
        || is_one
        || is_flag
        || (is_alone && named.iter().any(is_effect))
        || named.iter().any(|word| ["ack", "autoack", "noack"].contains(&word.as_str()))
}
