//! What the readers of layouts share: files, errors, and calls with the tools that they show.

use std::collections::BTreeMap;

use jiff::Timestamp;
use serde::de::DeserializeOwned;
use serde_json::Value;
use tarsy_contracts::recording::{RecordedCall, RecordedServer};
use tarsy_contracts::trace::OfferedTool;
use tarsy_domain::event::CallStatus;

use super::schema;
use crate::case::Expected;

/// The server that recorded tools belong to.
const SERVER: &str = "recorded";

/// A file of a case's folder.
#[derive(Clone, Copy, Debug)]
pub struct File<'t> {
    /// Its name in the folder.
    pub name: &'t str,
    pub text: &'t str,
}

#[derive(Clone, Debug, PartialEq)]
pub struct ReadCase {
    /// The alert's text.
    pub alert: String,
    /// None if the layout has no time.
    pub received_at: Option<Timestamp>,
    pub server: RecordedServer,
    pub calls: Vec<RecordedCall>,
    pub expected: Expected,
}

/// A case that cannot be read: the file, the field if it is one's fault, and what is wrong.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{file}: {problem}")]
pub struct LayoutError {
    pub file: String,
    pub problem: String,
}

pub(super) fn problem(file: &str, problem: impl Into<String>) -> LayoutError {
    LayoutError { file: file.to_owned(), problem: problem.into() }
}

pub(super) fn text<'t>(files: &[File<'t>], name: &str) -> Result<&'t str, LayoutError> {
    let file = files.iter().find(|file| file.name == name);
    file.map(|file| file.text).ok_or_else(|| problem(name, "is missing"))
}

/// A file of JSON; the error names the field or the place.
pub(super) fn json<T: DeserializeOwned>(files: &[File<'_>], name: &str) -> Result<T, LayoutError> {
    serde_json::from_str(text(files, name)?).map_err(|error| problem(name, error.to_string()))
}

/// A recorded call; they are numbered by [`numbered`].
pub(super) fn call(
    tool: String,
    arguments: Value,
    status: CallStatus,
    result: String,
) -> RecordedCall {
    let server = SERVER.to_owned();
    RecordedCall { number: 0, server, tool, arguments, status, refused_by_policy: false, result }
}

/// The server with the tools of the calls, and the calls with their numbers from 1.
pub(super) fn numbered(mut calls: Vec<RecordedCall>) -> (RecordedServer, Vec<RecordedCall>) {
    for (number, call) in (1..).zip(&mut calls) {
        call.number = number;
    }
    let mut by_tool: BTreeMap<&str, Vec<&Value>> = BTreeMap::new();
    for call in &calls {
        by_tool.entry(&call.tool).or_default().push(&call.arguments);
    }
    let tools = by_tool.into_iter().map(|(name, arguments)| OfferedTool {
        server: SERVER.to_owned(),
        name: name.to_owned(),
        description: format!("{name}; {} recorded calls", arguments.len()),
        input_schema: schema::of(&arguments),
        read_only: true,
        idempotent: true,
    });
    let server = RecordedServer { server: SERVER.to_owned(), tools: tools.collect(), error: None };
    (server, calls)
}
