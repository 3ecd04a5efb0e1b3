//! The one place that prints.

use std::io::Write as _;

use serde::Serialize;

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
    line(&serde_json::to_string_pretty(value)?);
    Ok(())
}

/// A part of the answer as a JSON document of one line.
pub(crate) fn json_line<T: Serialize>(value: &T) -> anyhow::Result<()> {
    line(&serde_json::to_string(value)?);
    Ok(())
}

/// A line of the answer.
#[expect(clippy::print_stdout, reason = "a command line answers on standard output")]
pub(crate) fn line(text: &str) {
    println!("{text}");
}

/// An amount of millionths of a US dollar: `0.0213 $`; `–` if no price is configured.
pub(crate) fn dollars(millionths: Option<i64>) -> String {
    let shown = |amount: i64| format!("{}.{:04} $", amount / 1_000_000, amount % 1_000_000 / 100);
    millionths.map_or_else(|| "–".to_owned(), shown)
}

/// Part of a line of the answer, shown at once.
#[expect(clippy::print_stdout, reason = "a command line answers on standard output")]
pub(crate) fn fragment(text: &str) {
    print!("{text}");
    // A closed pipe ends the program at the next line.
    drop(std::io::stdout().flush());
}

/// What went wrong, or what is being done: not part of the answer.
#[expect(clippy::print_stderr, reason = "telemetry belongs to services")]
pub(crate) fn problem(text: &str) {
    eprintln!("{} {text}", console::style("tarsy:").red().bold());
}

/// A remark beside the answer.
#[expect(clippy::print_stderr, reason = "telemetry belongs to services")]
pub(crate) fn remark(text: &str) {
    eprintln!("{text}");
}

/// The reason why a command failed, in the format of its answers.
pub(crate) fn failure(text: &str, format: Format) {
    match format {
        Format::Text => problem(text),
        Format::Json => remark(&serde_json::json!({ "error": text }).to_string()),
    }
}
