//! Which alert type, severity and runbook an alert gets, by the rules of an operator. The first rule that fits counts.

use std::fmt;

use regex::{Regex, RegexBuilder};

use crate::alert::Alert;

/// The most rules: each is compared with each alert until one fits.
pub const MAX_RULES: usize = 500;
/// The most bytes of a compiled expression.
const MAX_REGEX_BYTES: usize = 256 * 1024;

#[derive(Clone, Debug)]
pub struct Rule {
    pub name: String,
    /// All of them must fit; a rule without any fits each alert.
    pub matchers: Vec<Matcher>,
    pub alert_type: Option<String>,
    /// Instead of that of the source.
    pub severity: Option<String>,
    /// An address.
    pub runbook: Option<String>,
}

/// What one part of an alert must be.
#[derive(Clone, Debug)]
pub struct Matcher {
    pub field: Field,
    pub test: Test,
}

/// A part of an alert that a rule can look at.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Field {
    Source,
    Title,
    Severity,
    Status,
    Service,
    Namespace,
    Cluster,
    Label(String),
    Annotation(String),
}

/// What a part of an alert is compared with.
#[derive(Clone, Debug)]
pub enum Test {
    /// It is this text.
    Equals(String),
    /// The expression fits the whole text, as in Alertmanager.
    Regex(Regex),
    /// Whether there is one that is not empty.
    Present(bool),
}

/// Why there cannot be such a matcher.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum MatcherError {
    /// The expression is not one of Rust's `regex`.
    #[error("is no regular expression ({0})")]
    Regex(String),
}

impl Test {
    /// A test with an expression that must fit the whole text.
    pub fn regex(expression: &str) -> Result<Self, MatcherError> {
        // Compiled alone first, so that parentheses of the expression cannot close ours.
        let build = |text: &str| RegexBuilder::new(text).size_limit(MAX_REGEX_BYTES).build();
        let fits = build(expression).and_then(|_| build(&format!("^(?:{expression})$")));
        fits.map(Self::Regex).map_err(|error| {
            let text = error.to_string();
            let last = text.lines().last().unwrap_or_default().trim_start_matches("error: ");
            MatcherError::Regex(last.to_owned())
        })
    }
}

/// What an alert gets.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Route {
    /// That of the rule, else the default one of the source; none if neither has one.
    pub alert_type: Option<String>,
    /// That of the rule, else that of the alert.
    pub severity: Option<String>,
    pub runbook: Option<String>,
    /// The rule that fits; none if the defaults are used.
    pub rule: Option<String>,
    /// Each rule before it, and why it does not fit.
    pub misses: Vec<Miss>,
}

/// Why a rule does not fit.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Miss {
    pub rule: String,
    /// The matcher that does not fit.
    pub matcher: String,
    /// What the alert has instead.
    pub found: Option<String>,
}

pub fn route(rules: &[Rule], default_alert_type: Option<&str>, alert: &Alert) -> Route {
    let mut misses = Vec::new();
    for rule in rules.iter().take(MAX_RULES) {
        let Some(failed) = rule.matchers.iter().find(|matcher| !matcher.fits(alert)) else {
            return Route {
                alert_type: rule.alert_type.clone().or(default_alert_type.map(str::to_owned)),
                severity: rule.severity.clone().or_else(|| alert.severity.clone()),
                runbook: rule.runbook.clone(),
                rule: Some(rule.name.clone()),
                misses,
            };
        };
        misses.push(Miss {
            rule: rule.name.clone(),
            matcher: failed.to_string(),
            found: failed.field.of(alert).map(str::to_owned),
        });
    }
    Route {
        alert_type: default_alert_type.map(str::to_owned),
        severity: alert.severity.clone(),
        runbook: None,
        rule: None,
        misses,
    }
}

impl Matcher {
    fn fits(&self, alert: &Alert) -> bool {
        let text = self.field.of(alert);
        match &self.test {
            Test::Equals(wanted) => text.unwrap_or_default() == wanted,
            Test::Regex(regex) => regex.is_match(text.unwrap_or_default()),
            Test::Present(wanted) => text.is_some_and(|text| !text.is_empty()) == *wanted,
        }
    }
}

impl Field {
    fn of<'a>(&self, alert: &'a Alert) -> Option<&'a str> {
        match self {
            Self::Source => Some(&alert.source),
            Self::Title => Some(&alert.title),
            Self::Severity => alert.severity.as_deref(),
            Self::Status => Some(alert.status.as_str()),
            Self::Service => alert.service.as_deref(),
            Self::Namespace => alert.namespace.as_deref(),
            Self::Cluster => alert.cluster.as_deref(),
            Self::Label(name) => alert.labels.get(name).map(String::as_str),
            Self::Annotation(name) => alert.annotations.get(name).map(String::as_str),
        }
    }
}

impl fmt::Display for Field {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Source => f.write_str("source"),
            Self::Title => f.write_str("title"),
            Self::Severity => f.write_str("severity"),
            Self::Status => f.write_str("status"),
            Self::Service => f.write_str("service"),
            Self::Namespace => f.write_str("namespace"),
            Self::Cluster => f.write_str("cluster"),
            Self::Label(name) => write!(f, "label {name}"),
            Self::Annotation(name) => write!(f, "annotation {name}"),
        }
    }
}

impl fmt::Display for Matcher {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let field = &self.field;
        match &self.test {
            Test::Equals(text) => write!(f, "{field} = {text}"),
            Test::Regex(regex) => write!(f, "{field} =~ {regex}"),
            Test::Present(true) => write!(f, "{field} is present"),
            Test::Present(false) => write!(f, "{field} is absent"),
        }
    }
}

impl fmt::Display for Route {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for Miss { rule, matcher, found } in &self.misses {
            let found = found.as_deref().unwrap_or("nothing");
            writeln!(f, "{rule}: does not match, {matcher} is required, the alert has {found}")?;
        }
        match &self.rule {
            Some(rule) => write!(f, "{rule}: matches"),
            None => f.write_str("no rule matches: the defaults of the source are used"),
        }
    }
}
