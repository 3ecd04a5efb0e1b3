//! The one place that prints.

/// What was found.
#[expect(clippy::print_stdout, reason = "the table is the bench's answer")]
pub(crate) fn answer(text: &str) {
    println!("{text}");
}

/// What is being done.
#[expect(clippy::print_stderr, reason = "progress is not part of the answer")]
pub(crate) fn step(text: &str) {
    eprintln!("· {text}");
}
