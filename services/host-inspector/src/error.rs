//! The one failure of a tool: what is wrong, and what to do instead.

use serde_json::{Value, json};
use tarsy_hosts::Host;

pub(crate) type ToolResult = Result<Value, ToolError>;

/// Why a tool gave no answer; the model sees all of it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{message}")]
pub(crate) struct ToolError {
    kind: Kind,
    message: String,
    fix: String,
}

/// The kinds of failure a caller can tell apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    /// The arguments do not fit the schema.
    InvalidArguments,
    /// The request is understood and not allowed.
    Refused,
    /// The thing asked for does not exist.
    NotFound,
    /// The machine does not let us read it.
    Unreadable,
    /// The time ran out.
    Timeout,
    /// Something else went wrong on this machine.
    Failed,
}

impl Kind {
    const fn name(self) -> &'static str {
        match self {
            Self::InvalidArguments => "invalid_arguments",
            Self::Refused => "refused",
            Self::NotFound => "not_found",
            Self::Unreadable => "unreadable",
            Self::Timeout => "timeout",
            Self::Failed => "failed",
        }
    }
}

impl ToolError {
    fn new(kind: Kind, message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self { kind, message: message.into(), fix: fix.into() }
    }

    pub(crate) fn invalid(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(Kind::InvalidArguments, message, fix)
    }

    pub(crate) fn refused(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(Kind::Refused, message, fix)
    }

    /// A host that neither the operator nor the alert names.
    pub(crate) fn not_allowed(host: &Host) -> Self {
        Self::refused(
            format!("{host} is neither among the allowed hosts nor a host of the alert"),
            "use another tool, or report what could not be checked",
        )
    }

    pub(crate) fn not_found(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(Kind::NotFound, message, fix)
    }

    pub(crate) fn unreadable(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(Kind::Unreadable, message, fix)
    }

    pub(crate) fn timeout(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(Kind::Timeout, message, fix)
    }

    pub(crate) fn failed(message: impl Into<String>, fix: impl Into<String>) -> Self {
        Self::new(Kind::Failed, message, fix)
    }

    /// The text of an error result.
    pub(crate) fn to_json(&self) -> Value {
        json!({ "error": { "kind": self.kind.name(), "message": self.message, "fix": self.fix } })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_error_contains_its_kind_the_problem_and_the_fix() {
        let text =
            ToolError::refused("not allowed", "ask for /var/log/syslog").to_json().to_string();
        for part in ["refused", "not allowed", "ask for /var/log/syslog"] {
            assert!(text.contains(part), "{part} is missing in {text}");
        }
    }
}
