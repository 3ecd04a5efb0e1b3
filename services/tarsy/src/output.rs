//! The one place that prints.

use std::io::Write as _;

/// A line of the answer.
#[expect(clippy::print_stdout, reason = "a command line answers on standard output")]
pub(crate) fn line(text: &str) {
    println!("{text}");
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
