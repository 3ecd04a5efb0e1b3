//! The lines that both doctors print.

use std::process::ExitCode;

use serde_json::{Value, json};

use crate::output::{self, Format, Styled, field, style};

/// What a check found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    Ok,
    /// Something that is not needed is not there.
    Absent,
    /// It works, and somebody should look.
    Warning,
    /// Something that is needed is not there.
    Missing,
    Failed,
}

impl State {
    const fn as_str(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Absent => "absent",
            Self::Warning => "warning",
            Self::Missing => "missing",
            Self::Failed => "failed",
        }
    }

    fn mark(self) -> Styled<String> {
        let text = style(format!("{:<7}", self.as_str()));
        match self {
            Self::Ok => text.green(),
            Self::Absent | Self::Warning => text.yellow(),
            Self::Missing | Self::Failed => text.red(),
        }
    }
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Check {
    pub(super) name: String,
    pub(super) state: State,
    pub(super) text: String,
    /// What to do.
    pub(super) advice: Option<String>,
}

impl Check {
    pub(super) fn ok(name: &str, text: impl Into<String>) -> Self {
        Self { name: name.to_owned(), state: State::Ok, text: text.into(), advice: None }
    }

    pub(super) fn warning(name: &str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        let advice = Some(advice.into());
        Self { name: name.to_owned(), state: State::Warning, text: text.into(), advice }
    }

    pub(super) fn failed(name: &str, text: impl Into<String>, advice: impl Into<String>) -> Self {
        let advice = Some(advice.into());
        Self { name: name.to_owned(), state: State::Failed, text: text.into(), advice }
    }

    fn line(&self) -> String {
        let Self { name, state, text, advice } = self;
        let advice = advice.as_ref().map(|advice| format!("; {advice}")).unwrap_or_default();
        let text = field(&format!("{name:<22} {text}{advice}").replace('\n', " ")).into_owned();
        format!("{} {text}", state.mark())
    }

    fn value(&self) -> Value {
        let Self { name, state, text, advice } = self;
        json!({ "name": name, "state": state.as_str(), "text": text, "advice": advice })
    }
}

/// Prints all checks; fails if one of them did.
pub(super) fn print(checks: &[Check], format: Format) -> anyhow::Result<ExitCode> {
    match format {
        Format::Json => {
            output::document(&checks.iter().map(Check::value).collect::<Vec<_>>())?;
        }
        Format::Text => checks.iter().for_each(|check| output::line(&check.line())),
    }
    let failed = checks.iter().any(|check| matches!(check.state, State::Missing | State::Failed));
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}
