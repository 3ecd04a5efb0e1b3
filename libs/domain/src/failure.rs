//! Why work failed, as a code: what people are to do follows from it.

use crate::string_enum::string_enum;

string_enum! {
    /// What went wrong.
    FailureCode {
        /// A provider refused its key, or the key is not there.
        Credentials,
        /// A provider answers no more requests for now.
        RateLimited,
        /// A provider refuses the request as it is.
        InvalidRequest,
        /// A provider failed.
        ProviderFailed,
        /// llm-service was not reached, or was lost.
        LlmServiceUnreachable,
        /// A model did not answer in time.
        ModelTimedOut,
        /// The answers of a model cannot be used: they are empty, or repeat themselves.
        UnusableAnswer,
        /// A model does not write its calls in the format that its agent needs.
        FormatNotFollowed,
        /// An agent did not conclude in the time that it was given.
        AgentTimedOut,
        /// The tokens or the money of the day are used up.
        DailyBudgetUsedUp,
        /// The session took longer than it may.
        SessionTimedOut,
        /// Each process that worked on the session was lost.
        WorkersLost,
        /// The chain that is stored with the session cannot be used.
        UnusableChain,
        /// The prompt templates of a replay cannot be used.
        UnusablePrompts,
        /// A call was not taken back.
        RollbackFailed,
    }
}

impl FailureCode {
    /// The page of the documentation that says more, with its heading.
    pub const fn document(self) -> Option<&'static str> {
        match self {
            Self::Credentials => Some("operating.md#keys-of-models"),
            Self::RateLimited | Self::ProviderFailed | Self::InvalidRequest => {
                Some("configuration.md#llm-providersyaml")
            }
            Self::LlmServiceUnreachable => Some("operating.md#replicas-of-llm-service"),
            Self::ModelTimedOut | Self::UnusableAnswer | Self::FormatNotFollowed => {
                Some("local-models.md#make-it-work-well")
            }
            Self::DailyBudgetUsedUp => Some("configuration.md#system"),
            Self::SessionTimedOut => Some("configuration.md#queue"),
            Self::WorkersLost => Some("operating.md#what-to-do-when"),
            Self::UnusableChain => Some("configuration.md#agent_chainsid"),
            Self::RollbackFailed => Some("actions.md#taking-it-back"),
            Self::AgentTimedOut | Self::UnusablePrompts => None,
        }
    }

    /// Whether a provider of models is what failed.
    pub const fn is_of_model(self) -> bool {
        matches!(
            self,
            Self::Credentials
                | Self::RateLimited
                | Self::InvalidRequest
                | Self::ProviderFailed
                | Self::LlmServiceUnreachable
                | Self::ModelTimedOut
                | Self::UnusableAnswer
                | Self::FormatNotFollowed
        )
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use strum::IntoEnumIterator as _;

    use super::*;

    /// The anchor that the dashboard and mdBook make of a heading.
    fn anchor(heading: &str) -> String {
        let kept = |letter: &char| letter.is_alphanumeric() || "_- ".contains(*letter);
        let letters = heading.trim_start_matches('#').trim().to_lowercase();
        letters.chars().filter(kept).collect::<String>().replace(' ', "-")
    }

    #[test]
    fn every_document_has_the_heading_that_is_named() {
        let docs = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs"));
        for code in FailureCode::iter() {
            let Some((page, wanted)) = code.document().and_then(|one| one.split_once('#')) else {
                continue;
            };
            let text = std::fs::read_to_string(docs.join(page)).unwrap();
            let mut headings = text.lines().filter(|line| line.starts_with('#')).map(anchor);
            assert!(headings.any(|one| one == wanted), "{page} has no heading for {wanted}");
        }
    }
}
