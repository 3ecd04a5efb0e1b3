//! Where the fields of an alert stand in a payload.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tarsy_intake::{Mapping, Paths, StatusWords};

use super::wrong::Wrong;
use crate::rule::{As, Each, NotBlank};

/// JSONPath expressions (RFC 9535) that select the fields of an alert.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IntakeMapping {
    /// Alerts of a payload, such as `$.events[*]`; without it, the payload is one. Other expressions start at an alert
    #[serde(with = "As::<NotBlank>")]
    pub alerts: Option<String>,
    /// The title
    #[serde(with = "As::<NotBlank>")]
    pub title: Option<String>,
    /// The severity
    #[serde(with = "As::<NotBlank>")]
    pub severity: Option<String>,
    /// The status, one of `status_words` or of the usual ones; without it, alerts are firing
    #[serde(with = "As::<NotBlank>")]
    pub status: Option<String>,
    /// Words of this source
    pub status_words: IntakeStatusWords,
    /// The service
    #[serde(with = "As::<NotBlank>")]
    pub service: Option<String>,
    /// The namespace
    #[serde(with = "As::<NotBlank>")]
    pub namespace: Option<String>,
    /// The cluster
    #[serde(with = "As::<NotBlank>")]
    pub cluster: Option<String>,
    /// What alerts about the same problem have in common; without it, all that was sent but times and states
    #[serde(with = "As::<NotBlank>")]
    pub fingerprint: Option<String>,
    /// What the alerts of a group have in common
    #[serde(with = "As::<NotBlank>")]
    pub group_key: Option<String>,
    /// The source's id of this occurrence
    #[serde(with = "As::<NotBlank>")]
    pub id: Option<String>,
    /// When it began: RFC 3339, or seconds or milliseconds since 1970
    #[serde(with = "As::<NotBlank>")]
    pub starts_at: Option<String>,
    /// When it ended
    #[serde(with = "As::<NotBlank>")]
    pub ends_at: Option<String>,
    /// An object whose members with text become labels
    #[serde(with = "As::<NotBlank>")]
    pub all_labels: Option<String>,
    /// Labels by name
    pub labels: BTreeMap<String, String>,
    /// Annotations by name
    pub annotations: BTreeMap<String, String>,
    /// Addresses of pages by title
    pub links: BTreeMap<String, String>,
}

/// What a payload calls a status, beside the usual words.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IntakeStatusWords {
    /// Words for a problem that exists
    #[serde(with = "Each::<NotBlank>")]
    pub firing: Vec<String>,
    /// Words for a problem that a person works on
    #[serde(with = "Each::<NotBlank>")]
    pub acknowledged: Vec<String>,
    /// Words for a problem that is over
    #[serde(with = "Each::<NotBlank>")]
    pub resolved: Vec<String>,
}

impl IntakeMapping {
    pub(super) fn compile(&self) -> Result<Mapping, Vec<Wrong>> {
        let paths = Paths {
            alerts: self.alerts.clone(),
            title: self.title.clone(),
            severity: self.severity.clone(),
            status: self.status.clone(),
            service: self.service.clone(),
            namespace: self.namespace.clone(),
            cluster: self.cluster.clone(),
            fingerprint: self.fingerprint.clone(),
            group_key: self.group_key.clone(),
            id: self.id.clone(),
            starts_at: self.starts_at.clone(),
            ends_at: self.ends_at.clone(),
            all_labels: self.all_labels.clone(),
            labels: self.labels.clone(),
            annotations: self.annotations.clone(),
            links: self.links.clone(),
        };
        let words = StatusWords {
            firing: self.status_words.firing.clone(),
            acknowledged: self.status_words.acknowledged.clone(),
            resolved: self.status_words.resolved.clone(),
        };
        let wrong = |error: tarsy_intake::MappingError| {
            let keys = error.key.splitn(2, '.').map(str::to_owned);
            let keys = std::iter::once("mapping".to_owned()).chain(keys).collect();
            Wrong { keys, ..Wrong::of("", error.problem, error.fix) }
        };
        Mapping::new(&paths, words).map_err(|errors| errors.into_iter().map(wrong).collect())
    }
}
