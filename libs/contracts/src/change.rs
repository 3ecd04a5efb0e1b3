//! What changed, as the store reads it for the API and keeps it with a session.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::change::{ChangeKind, ChangeLine};
use tarsy_domain::id::ChangeId;
use utoipa::ToSchema;

/// A change of a system, as a source reported it; all texts are masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Change {
    #[schema(value_type = Uuid)]
    pub id: ChangeId,
    /// Who reported it: a source of `intake.sources`, or the sender of `POST /api/v1/changes`.
    pub source: String,
    /// `deployment`, `configuration`, `secret`, `scaling`, `node`, `release`, `feature_flag`, `commit`, `package`, `unit`,
    /// `kernel` or `other`.
    #[schema(value_type = String, example = "deployment")]
    pub kind: ChangeKind,
    /// What changed, such as `Deployment/checkout`.
    pub object: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub host: Option<String>,
    pub environment: Option<String>,
    pub author: Option<String>,
    /// A page about it.
    pub link: Option<String>,
    /// What changed, in one or a few sentences.
    pub text: String,
    #[schema(value_type = String, format = DateTime)]
    pub occurred_at: Timestamp,
    #[schema(value_type = String, format = DateTime)]
    pub received_at: Timestamp,
}

impl Change {
    /// The line that prompts and results show of it.
    pub fn line(&self) -> String {
        let text = match &self.link {
            Some(link) => format!("{} {link}", self.text),
            None => self.text.clone(),
        };
        let line = ChangeLine {
            occurred_at: self.occurred_at,
            kind: self.kind,
            object: self.object.clone(),
            service: self.service.clone(),
            namespace: self.namespace.clone(),
            cluster: self.cluster.clone(),
            host: self.host.clone(),
            environment: self.environment.clone(),
            author: self.author.clone(),
            source: Some(self.source.clone()),
            text,
        };
        line.to_string()
    }
}

pub fn lines(changes: &[Change]) -> String {
    changes.iter().map(Change::line).collect::<Vec<_>>().join("\n")
}

/// What an investigation is given of changes, when it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivenChanges {
    /// Whether any change was recorded lately: agents may look for further ones.
    pub are_recorded: bool,
    /// Those near the alert, in their order.
    pub near: Vec<Change>,
}
