//! What sources report as changes: deployments, releases, flags, commits. Each file reads what one source sends.

mod argocd;
mod fields;
mod flux;
mod github;
mod gitlab;
mod jenkins;
mod launchdarkly;
mod plain;

use http::HeaderMap;
use serde_json::Value;

use crate::received::{Ignored, Received};

pub(crate) use plain::read_changes;
pub use plain::{ChangeError, changes_in};

/// What reports changes, and how they are read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChangeSource {
    GitHub,
    GitLab,
    ArgoCd,
    Flux,
    Jenkins,
    LaunchDarkly,
    /// TARSy's own form, plain or in a `CloudEvent`.
    Plain,
}

impl ChangeSource {
    /// The name in the configuration.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::GitHub => "github",
            Self::GitLab => "gitlab",
            Self::ArgoCd => "argocd",
            Self::Flux => "flux",
            Self::Jenkins => "jenkins",
            Self::LaunchDarkly => "launchdarkly",
            Self::Plain => "changes",
        }
    }

    /// The names of the verifications that it offers, the best first.
    pub(crate) const fn verifications(self) -> &'static [&'static str] {
        match self {
            Self::GitHub | Self::LaunchDarkly => &["hmac"],
            Self::GitLab => &["hmac", "header"],
            Self::Flux | Self::Plain => &["hmac", "bearer", "basic"],
            Self::ArgoCd => &["bearer", "basic"],
            // Its plugin sends no headers of its own; a proxy between may add one.
            Self::Jenkins => &["query", "bearer", "basic"],
        }
    }

    /// The changes of a request, or why there are none.
    pub(crate) fn receive(self, headers: &HeaderMap, payload: &Value) -> Received {
        let found = match self {
            Self::GitHub => github::read(headers, payload),
            Self::GitLab => gitlab::read(payload),
            Self::ArgoCd => argocd::read(payload),
            Self::Flux => flux::read(payload),
            Self::Jenkins => jenkins::read(payload),
            Self::LaunchDarkly => launchdarkly::read(payload),
            Self::Plain => match read_changes(payload) {
                Ok(changes) => return Received::Changes(changes),
                Err(error) => Err(Ignored::Event(error.to_string())),
            },
        };
        match found {
            Ok(change) => Received::Changes(vec![change.bounded()]),
            Err(why) => Received::Ignored(why),
        }
    }
}
