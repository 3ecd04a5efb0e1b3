//! What is sent to people, and what they command.

pub(crate) mod commands;
pub(crate) mod dead_letters;
pub(crate) mod notifications;
pub(crate) mod weekly;
