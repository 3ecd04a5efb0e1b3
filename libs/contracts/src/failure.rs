//! Why a session or an agent failed. Pages, commands and messages print these facts, and read no sentence.

use serde::{Deserialize, Serialize};
use tarsy_domain::failure::FailureCode;
use utoipa::ToSchema;

/// Why work failed, as it is stored.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Failure {
    /// `credentials`, `rate_limited`, `invalid_request`, `provider_failed`, `llm_service_unreachable`, `model_timed_out`,
    /// `unusable_answer`, `format_not_followed`, `agent_timed_out`, `daily_budget_used_up`, `session_timed_out`, `workers_lost`,
    /// `unusable_chain`, `unusable_prompts` or `rollback_failed`.
    #[schema(value_type = String, example = "credentials")]
    pub code: FailureCode,
    /// What happened, in the words of who failed.
    pub reason: String,
    /// The stage in which it happened.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stage: Option<String>,
    /// The agent that failed, the first one of several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub agent: Option<String>,
    /// The provider of models that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub provider: Option<String>,
    /// The environment variable that has, or lacks, what is needed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub variable: Option<String>,
    /// The tool server that failed.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub server: Option<String>,
}

/// Why work failed, with what to do about it.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[schema(as = FailureView)]
pub struct FailureView {
    #[serde(flatten)]
    pub failure: Failure,
    /// What to do, as a sentence.
    pub remedy: String,
    /// The page of the documentation that says more, with its heading.
    #[schema(example = "operating.md#keys-of-models")]
    pub document: Option<String>,
}

impl From<Failure> for FailureView {
    fn from(failure: Failure) -> Self {
        let document = failure.code.document().map(str::to_owned);
        Self { remedy: failure.remedy(), document, failure }
    }
}

impl FailureView {
    /// What happened and what to do, on one line.
    pub fn sentences(&self) -> String {
        let (happened, remedy) = (self.failure.happened(), &self.remedy);
        let end = if happened.ends_with(['.', '!', '?']) { "" } else { "." };
        format!("{happened}{end} {remedy}")
    }
}

impl Failure {
    pub fn new(code: FailureCode, reason: impl Into<String>) -> Self {
        let reason = reason.into();
        Self {
            code,
            reason,
            stage: None,
            agent: None,
            provider: None,
            variable: None,
            server: None,
        }
    }

    #[must_use]
    pub fn of_provider(self, provider: &str) -> Self {
        Self { provider: Some(provider.to_owned()), ..self }
    }

    #[must_use]
    pub fn of_server(self, server: &str) -> Self {
        Self { server: Some(server.to_owned()), ..self }
    }

    /// The failure of an agent; of a team, the first one counts.
    #[must_use]
    pub fn in_agent(mut self, agent: &str) -> Self {
        self.agent.get_or_insert_with(|| agent.to_owned());
        self
    }

    #[must_use]
    pub fn in_stage(mut self, stage: &str) -> Self {
        self.stage.get_or_insert_with(|| stage.to_owned());
        self
    }

    /// What happened, with who failed.
    pub fn happened(&self) -> String {
        let reason = capitalized(self.reason.trim());
        match &self.provider {
            Some(provider) => format!("Provider {provider} failed: {reason}"),
            None => reason,
        }
    }

    pub fn remedy(&self) -> String {
        if self.code.is_of_model() {
            return self.remedy_of_model();
        }
        let text = match self.code {
            FailureCode::AgentTimedOut => {
                "Give the agent more time in delegation, or a smaller task."
            }
            FailureCode::DailyBudgetUsedUp => {
                "Submit the alert again after 00:00 UTC, or raise system.limits."
            }
            FailureCode::SessionTimedOut => {
                "Raise queue.session_timeout, and submit the alert again."
            }
            FailureCode::WorkersLost => {
                "Look into the logs of the orchestrators, then submit the alert again."
            }
            FailureCode::UnusableChain => "Correct the chain, and submit the alert again.",
            FailureCode::UnusablePrompts => "Correct the templates, and begin the replay again.",
            _ => match &self.server {
                Some(server) => {
                    return format!(
                        "Check the tool server {server}, and take the change back by hand."
                    );
                }
                None => "Take the change back by hand.",
            },
        };
        text.to_owned()
    }

    fn remedy_of_model(&self) -> String {
        let provider = self.provider.as_deref().map(|name| format!("the provider {name}"));
        let provider = provider.unwrap_or_else(|| "the provider".to_owned());
        match (self.code, &self.variable) {
            (FailureCode::Credentials, Some(variable)) => {
                format!("Set {variable} of llm-service to a valid key, and submit the alert again.")
            }
            (FailureCode::Credentials, None) => {
                format!("Correct the key of {provider}, and submit the alert again.")
            }
            (FailureCode::RateLimited, _) => format!(
                "Submit the alert again later, raise the quota of {provider}, or name fallback_providers."
            ),
            (FailureCode::InvalidRequest, _) => format!(
                "Correct the model or the options of {provider}, and submit the alert again."
            ),
            (FailureCode::LlmServiceUnreachable, _) => {
                "Start llm-service or correct its address, and submit the alert again.".to_owned()
            }
            (FailureCode::ModelTimedOut, _) => format!(
                "Raise llm_timeouts of {provider} for a slow model, or submit the alert again."
            ),
            (FailureCode::UnusableAnswer, _) => {
                format!("Submit the alert again, or choose another model for {provider}.")
            }
            (FailureCode::FormatNotFollowed, _) => {
                "Choose a strategy with native tools, or another model.".to_owned()
            }
            _ => format!(
                "Check {provider} on the system page, and submit the alert again; fallback_providers take over next time."
            ),
        }
    }
}

fn capitalized(text: &str) -> String {
    let mut letters = text.chars();
    match letters.next() {
        Some(first) => first.to_uppercase().chain(letters).collect(),
        None => "No reason was given".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_failure_names_what_to_set_and_where_to_read() {
        let failure = Failure {
            variable: Some("GOOGLE_API_KEY".to_owned()),
            ..Failure::new(FailureCode::Credentials, "the key was refused").of_provider("google")
        };
        let stored = json!(failure);
        assert_eq!(stored["code"], "credentials");
        assert!(stored.get("remedy").is_none() && stored.get("server").is_none(), "{stored}");
        let view =
            FailureView::from(failure.in_agent("Ledger").in_agent("Other").in_stage("reading"));
        assert_eq!(
            view.sentences(),
            "Provider google failed: The key was refused. Set GOOGLE_API_KEY of llm-service to a valid key, and submit the alert \
             again."
        );
        let shown = json!(view);
        assert_eq!(shown["document"], "operating.md#keys-of-models");
        assert_eq!((&shown["agent"], &shown["stage"]), (&json!("Ledger"), &json!("reading")));
        assert_eq!(serde_json::from_value::<FailureView>(shown).unwrap(), view);
    }
}
