//! The one place that prints.

use std::sync::{Mutex, PoisonError};

static LAST_STEP: Mutex<String> = Mutex::new(String::new());

#[expect(clippy::print_stdout, reason = "the table is the bench's answer")]
pub(crate) fn answer(text: &str) {
    println!("{text}");
}

/// What is being done.
#[expect(clippy::print_stderr, reason = "progress is not part of the answer")]
pub(crate) fn step(text: &str) {
    eprintln!("· {text}");
    text.clone_into(&mut LAST_STEP.lock().unwrap_or_else(PoisonError::into_inner));
}

/// What was being done last.
pub(crate) fn last_step() -> String {
    LAST_STEP.lock().unwrap_or_else(PoisonError::into_inner).clone()
}
