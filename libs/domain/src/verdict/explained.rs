//! The change that explains a cause.

use jiff::Timestamp;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::change::{ChangeKind, ChangeLine};
use crate::id::ChangeId;

/// A change that explains a cause: one that came before it, about the same object, and that the investigation was given.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema, JsonSchema)]
#[schema(as = VerdictChange)]
#[schemars(rename = "VerdictChange")]
pub struct ExplainingChange {
    /// Of a session it always has one, under which the change is listed as long as it is kept. None of a case without a table of
    /// changes.
    #[schema(value_type = Option<Uuid>)]
    #[schemars(with = "Option<String>")]
    pub id: Option<ChangeId>,
    /// `deployment`, `configuration`, `secret`, `scaling`, `node`, `release`, `feature_flag`, `commit`, `package`, `unit`,
    /// `kernel` or `other`.
    #[schema(value_type = String, example = "deployment")]
    #[schemars(with = "String")]
    pub kind: ChangeKind,
    /// What changed, such as `Deployment/checkout`.
    pub object: Option<String>,
    pub service: Option<String>,
    #[schema(value_type = String, format = DateTime)]
    #[schemars(with = "String")]
    pub occurred_at: Timestamp,
    /// What changed, in one or a few sentences.
    pub text: String,
}

impl ExplainingChange {
    /// `deployment of Deployment/checkout`: what changed, without its time.
    pub fn describe(&self) -> String {
        let kind = self.kind.as_str().replace('_', " ");
        let of = self.object.as_deref().or(self.service.as_deref());
        of.map_or(kind.clone(), |of| format!("{kind} of {of}"))
    }
}

impl From<&ChangeLine> for ExplainingChange {
    fn from(line: &ChangeLine) -> Self {
        Self {
            id: None,
            kind: line.kind,
            object: line.object.clone(),
            service: line.service.clone(),
            occurred_at: line.occurred_at,
            text: line.text.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_is_described_by_its_object_or_service() {
        let change = ExplainingChange {
            id: None,
            kind: ChangeKind::FeatureFlag,
            object: None,
            service: Some("checkout".to_owned()),
            occurred_at: "2026-02-11T09:30:00Z".parse().unwrap(),
            text: "on for everybody".to_owned(),
        };
        assert_eq!(change.describe(), "feature flag of checkout");
        let object = Some("flag/fast-pay".to_owned());
        let named = ExplainingChange { object, ..change.clone() };
        assert_eq!(named.describe(), "feature flag of flag/fast-pay");
        assert_eq!(ExplainingChange { service: None, ..change }.describe(), "feature flag");
    }
}
