//! What a sender states about an alert beside its text.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use crate::review::EarlierSessions;

/// What an alert is about. All of it is optional, and masked like the alert's text, except the fingerprint.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(default)]
pub struct AlertFields {
    /// One line; without it, the first meaningful line of the text.
    #[schema(max_length = 200)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub title: Option<String>,
    /// In lower case, as the sender writes it, such as `critical` or `p1`.
    #[schema(max_length = 50)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub severity: Option<String>,
    #[schema(max_length = 253)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub service: Option<String>,
    #[schema(max_length = 253)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub namespace: Option<String>,
    #[schema(max_length = 253)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cluster: Option<String>,
    /// Pages about the alert.
    #[schema(max_items = 20)]
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub links: Vec<AlertLink>,
    /// At most 64, names of at most 128 characters, values of at most 1,024.
    #[serde(skip_serializing_if = "BTreeMap::is_empty")]
    pub labels: BTreeMap<String, String>,
    /// Alerts with the same fingerprint report the same problem. Without one, that of the alert's Slack message counts.
    #[schema(max_length = 500)]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub fingerprint: Option<String>,
}

impl AlertFields {
    pub fn is_empty(&self) -> bool {
        *self == Self::default()
    }
}

/// A page about an alert, such as a dashboard of Grafana.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlertLink {
    /// What the page is.
    #[schema(max_length = 200)]
    pub title: String,
    /// Its address, `http` or `https`.
    #[schema(max_length = 2048)]
    pub url: String,
}

/// What a running or waiting session is about.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct AlertSummary {
    /// The alert in one line.
    pub title: Option<String>,
    /// How severe the alert is, as its sender wrote it, in lower case.
    pub severity: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    /// Pages about the alert.
    pub links: Vec<AlertLink>,
    /// Alerts with the same fingerprint report the same problem.
    pub fingerprint: Option<String>,
    /// The sessions before it whose alert has the same fingerprint.
    pub earlier_sessions: EarlierSessions,
}
