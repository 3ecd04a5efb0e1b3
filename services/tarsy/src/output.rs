//! The one place that prints. Much of it was written by others: whatever commands a terminal, hides or reorders text is shown
//! as its code point, and only [`style`] styles.

mod style;
mod table;

use std::borrow::Cow;
use std::fmt::Display;
use std::io::Write as _;
use std::sync::atomic::{AtomicBool, Ordering};

use serde::Serialize;
use tarsy_visible::json;

use self::style::printable;
pub(crate) use self::style::{Styled, style};
pub(crate) use self::table::{Table, Wide};

/// How a command prints its answer.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) enum Format {
    #[default]
    Text,
    /// One JSON document; one for each event where a command prints events.
    Json,
}

impl Format {
    pub(crate) fn is_json(self) -> bool {
        self == Self::Json
    }
}

/// The answer as a JSON document of several lines.
pub(crate) fn document<T: Serialize>(value: &T) -> anyhow::Result<()> {
    line(&json(&serde_json::to_string_pretty(value)?));
    Ok(())
}

/// A part of the answer as a JSON document of one line.
pub(crate) fn json_line<T: Serialize>(value: &T) -> anyhow::Result<()> {
    line(&json(&serde_json::to_string(value)?));
    Ok(())
}

/// `1 session`, `2 sessions`.
pub(crate) fn counted(count: impl Display, noun: &str) -> String {
    let count = count.to_string();
    let ending = if count == "1" { "" } else { "s" };
    format!("{count} {noun}{ending}")
}

/// Whether whoever read the answer has gone, as `head` does.
static NOBODY_READS: AtomicBool = AtomicBool::new(false);

/// A line of the answer.
pub(crate) fn line(text: &str) {
    write(&format!("{}\n", printable(text)));
}

/// Whether nobody reads the answer any more: what follows events ends then, everything else goes on.
pub(crate) fn is_unread() -> bool {
    NOBODY_READS.load(Ordering::Relaxed)
}

fn write(text: &str) {
    let mut out = std::io::stdout().lock();
    if out.write_all(text.as_bytes()).and_then(|()| out.flush()).is_err() {
        NOBODY_READS.store(true, Ordering::Relaxed);
    }
}

/// An amount of millionths of a US dollar: `0.0213 $`; `–` if no price is configured.
pub(crate) fn dollars(millionths: Option<i64>) -> String {
    let shown = |amount: i64| format!("{}.{:04} $", amount / 1_000_000, amount % 1_000_000 / 100);
    millionths.map_or_else(|| "–".to_owned(), shown)
}

/// A number of tokens; `about 1200` if a part of it is estimated.
pub(crate) fn tokens(count: i64, estimated: bool) -> String {
    if estimated { format!("about {count}") } else { count.to_string() }
}

/// Part of a line of the answer, shown at once.
pub(crate) fn fragment(text: &str) {
    write(&printable(text));
}

/// What went wrong, or what is being done: not part of the answer.
pub(crate) fn problem(text: &str) {
    remark(&format!("{} {text}", style("tarsy:").red().bold()));
}

/// A remark beside the answer. Whoever reads neither, as `2>&1 | head` after its lines, misses nothing.
pub(crate) fn remark(text: &str) {
    _ = writeln!(std::io::stderr().lock(), "{}", printable(text));
}

/// The reason why a command failed, in the format of its answers.
pub(crate) fn failure(text: &str, format: Format) {
    match format {
        Format::Text => problem(text),
        Format::Json => remark(&json(&serde_json::json!({ "error": text }).to_string())),
    }
}

/// A text of others as a field of a line of ours, which it does not end.
pub(crate) fn field(text: &str) -> Cow<'_, str> {
    tarsy_visible::line(text)
}

/// A text of others of several lines, of which none begins like one of ours.
pub(crate) fn indented(text: &str) -> String {
    text.replace('\n', "\n  ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_of_a_model_forges_no_line() {
        let text = "all is well\n\u{b7} session completed\ncompleted";
        assert!(indented(text).lines().skip(1).all(|line| line.starts_with("  ")));
        assert_eq!(field("one\ntwo"), "one[U+000A]two");
    }

    #[test]
    fn what_is_counted_agrees_with_its_number() {
        let counted: Vec<_> = [0, 1, 2].map(|count| counted(count, "session")).into();
        assert_eq!(counted, ["0 sessions", "1 session", "2 sessions"]);
    }
}
