//! How a request is answered: with what was asked for, or with a refusal that says why.

use serde::{Deserialize, Serialize};
use tarsy_domain::code::Code;

/// The answer to a request over the bus.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum Reply<T> {
    Ok(T),
    Error(Refusal),
}

impl<T> Reply<T> {
    pub fn into_result(self) -> Result<T, Refusal> {
        match self {
            Self::Ok(value) => Ok(value),
            Self::Error(refusal) => Err(refusal),
        }
    }
}

impl<T> From<Result<T, Refusal>> for Reply<T> {
    fn from(result: Result<T, Refusal>) -> Self {
        match result {
            Ok(value) => Self::Ok(value),
            Err(refusal) => Self::Error(refusal),
        }
    }
}

/// Why a request was not done; small enough to fit any reply.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct Refusal {
    /// The kind of failure.
    pub code: Code,
    /// One clause for a person; no secrets, no internals.
    pub message: String,
}

impl Refusal {
    pub fn new(code: Code, message: impl Into<String>) -> Self {
        Self { code, message: message.into() }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_answer_names_its_kind() {
        let ok: Reply<u8> = Reply::Ok(1);
        assert_eq!(serde_json::to_string(&ok).unwrap(), r#"{"ok":1}"#);
        let no: Reply<u8> = Reply::Error(Refusal::new(Code::NotFound, "no such lease"));
        assert_eq!(
            serde_json::to_string(&no).unwrap(),
            r#"{"error":{"code":"not_found","message":"no such lease"}}"#
        );
    }
}
