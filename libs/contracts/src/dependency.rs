//! What depends on what, as the store reads it for the API and keeps it with a session.

use jiff::Timestamp;
use serde::{Deserialize, Serialize};
use tarsy_domain::dependency::{DependencyLine, Relation};
use utoipa::ToSchema;

/// A dependency of one object on another; all texts are masked.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Dependency {
    /// Who reports it: `tarsy.yaml`, a source of `intake.sources`, or the sender of `POST /api/v1/topology`.
    pub source: String,
    /// What depends, such as `checkout` or `Deployment/checkout`.
    pub from: String,
    /// `calls`, `routes_to` or `uses`.
    #[schema(value_type = String, example = "calls")]
    pub relation: Relation,
    /// What it depends on.
    pub to: String,
    /// That of `from`, and of `to` where that has none of its own.
    pub namespace: Option<String>,
    /// The namespace of `to`, if it is another one.
    pub to_namespace: Option<String>,
    pub cluster: Option<String>,
    pub environment: Option<String>,
    /// Who answers for `from`.
    pub team: Option<String>,
    /// When it was last reported; none for what the configuration has.
    #[schema(value_type = Option<String>, format = DateTime)]
    pub last_seen_at: Option<Timestamp>,
}

impl Dependency {
    /// The line that prompts and results show of it.
    pub fn line(&self) -> String {
        let line = DependencyLine {
            from: self.from.clone(),
            relation: self.relation,
            to: self.to.clone(),
            namespace: self.namespace.clone(),
            to_namespace: self.to_namespace.clone(),
            cluster: self.cluster.clone(),
            environment: self.environment.clone(),
            team: self.team.clone(),
            source: Some(self.source.clone()),
        };
        line.to_string()
    }
}

pub fn lines(dependencies: &[Dependency]) -> String {
    dependencies.iter().map(Dependency::line).collect::<Vec<_>>().join("\n")
}

/// What depends on what around some objects.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Dependencies {
    /// What they depend on, the nearest first.
    pub depends_on: Vec<Dependency>,
    /// What depends on them, the nearest first.
    pub used_by: Vec<Dependency>,
}

/// What an investigation is given of dependencies, when it begins.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(default)]
pub struct GivenDependencies {
    /// Whether any is known: agents may look for further ones.
    pub are_known: bool,
    /// Those near the alert's objects: what they depend on first, then what depends on them.
    pub near: Vec<Dependency>,
}
