//! Rules that give alerts their type, severity and runbook.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_intake::{Field, Matcher, Rule, Test};
use url::Url;

use super::wrong::Wrong;
use crate::rule::{AlertTypeName, As, NotBlank};

/// The keys of a matcher that choose what it looks at.
const FIELDS: [&str; 3] = ["label", "annotation", "field"];
/// The keys of a matcher for what must be there.
const TESTS: [&str; 3] = ["equals", "regex", "present"];

/// A rule for the alerts of sources.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntakeRule {
    /// What explanations call it
    #[serde(with = "As::<NotBlank>")]
    pub name: String,
    /// All of them must match; without any, each alert does
    #[serde(default, rename = "match")]
    pub matchers: Vec<IntakeMatcher>,
    /// Type of the alert; without it, that of the source
    #[serde(default, with = "As::<AlertTypeName>")]
    pub alert_type: Option<String>,
    /// Severity, instead of the source's
    #[serde(default, with = "As::<NotBlank>")]
    pub severity: Option<String>,
    /// The address of a runbook: http(s), or `file:///NAME.md`
    #[serde(default, with = "As::<NotBlank>")]
    pub runbook: Option<String>,
}

/// What one label or field of an alert must be.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct IntakeMatcher {
    /// The name of a label; either this or `annotation` or `field`
    #[serde(with = "As::<NotBlank>")]
    pub label: Option<String>,
    /// The name of an annotation
    #[serde(with = "As::<NotBlank>")]
    pub annotation: Option<String>,
    /// A field of the alert
    pub field: Option<MatchedField>,
    /// The text that it must be; either this or `regex` or `present`
    #[serde(with = "As::<NotBlank>")]
    pub equals: Option<String>,
    /// A regular expression that must fit the whole text
    #[serde(with = "As::<NotBlank>")]
    pub regex: Option<String>,
    /// Whether there must be one, or none
    pub present: Option<bool>,
}

/// A field of an alert that rules look at.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum MatchedField {
    /// The name of its source.
    Source,
    /// Its title.
    Title,
    /// In lower case.
    Severity,
    /// `firing`, `acknowledged` or `resolved`.
    Status,
    /// Its service.
    Service,
    /// Its namespace.
    Namespace,
    /// Its cluster.
    Cluster,
}

impl IntakeRule {
    /// The rule; none if one of its matchers is wrong, which the checks report.
    pub(super) fn compile(&self) -> Option<Rule> {
        let matchers: Result<_, _> = self.matchers.iter().map(IntakeMatcher::compile).collect();
        Some(Rule {
            name: self.name.clone(),
            matchers: matchers.ok()?,
            alert_type: self.alert_type.clone(),
            severity: self.severity.clone(),
            runbook: self.runbook.clone(),
        })
    }

    pub(super) fn wrong_runbook(&self) -> Option<Wrong> {
        let text = self.runbook.as_deref()?;
        let url = Url::parse(text).ok();
        let is_known = url.is_some_and(|url| matches!(url.scheme(), "http" | "https" | "file"));
        let suggestion = "write https://…, or file:///NAME.md for a file of system.runbooks.folder";
        (!is_known).then(|| Wrong::of("runbook", "is no address of a runbook", suggestion))
    }
}

impl IntakeMatcher {
    pub(super) fn compile(&self) -> Result<Matcher, Wrong> {
        Ok(Matcher { field: self.compile_field()?, test: self.compile_test()? })
    }

    /// The name of the source that must have sent the alert.
    pub(super) fn source(&self) -> Option<&str> {
        self.equals.as_deref().filter(|_| self.field == Some(MatchedField::Source))
    }

    fn compile_field(&self) -> Result<Field, Wrong> {
        match (&self.label, &self.annotation, self.field) {
            (Some(name), None, None) => Ok(Field::Label(name.clone())),
            (None, Some(name), None) => Ok(Field::Annotation(name.clone())),
            (None, None, Some(field)) => Ok(match field {
                MatchedField::Source => Field::Source,
                MatchedField::Title => Field::Title,
                MatchedField::Severity => Field::Severity,
                MatchedField::Status => Field::Status,
                MatchedField::Service => Field::Service,
                MatchedField::Namespace => Field::Namespace,
                MatchedField::Cluster => Field::Cluster,
            }),
            (None, None, None) => {
                let message = "is missing, as are annotation and field";
                Err(Wrong::missing(&FIELDS, message, "write one of them, such as `label: team`"))
            }
            _ => {
                let message = "stands beside another of label, annotation and field";
                Err(Wrong::of("label", message, "write one matcher for each"))
            }
        }
    }

    fn compile_test(&self) -> Result<Test, Wrong> {
        match (&self.equals, &self.regex, self.present) {
            (Some(text), None, None) => Ok(Test::Equals(text.clone())),
            (None, Some(expression), None) => Test::regex(expression).map_err(|error| {
                Wrong::of(
                    "regex",
                    error.to_string(),
                    "correct it; look-around and back-references do not exist",
                )
            }),
            (None, None, Some(present)) => Ok(Test::Present(present)),
            (None, None, None) => {
                let message = "is missing, as are regex and present";
                Err(Wrong::missing(&TESTS, message, "write one of them, such as `present: true`"))
            }
            _ => {
                let message = "stands beside another of equals, regex and present";
                Err(Wrong::of("equals", message, "write one matcher for each"))
            }
        }
    }
}
