//! Alert sources, and the rules for their alerts: the section `intake` of `tarsy.yaml`.

mod events;
mod mapping;
mod policy;
mod rules;
mod source;
mod wrong;

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use tarsy_intake::{MAX_RULES, Rule, Source};

use crate::check::Check;
use crate::path::Path;
use crate::report::advice;
use crate::rule::is_short_name;

pub use self::events::{ChangedKind, KubernetesChanges, KubernetesEvents, KubernetesTopology};
pub use self::mapping::{IntakeMapping, IntakeStatusWords};
pub(crate) use self::policy::time_zone;
pub use self::policy::{IntakeFlapping, IntakePolicy, IntakeQuietHours, QuietDay};
pub use self::rules::{IntakeMatcher, IntakeRule, MatchedField};
pub use self::source::{IntakeSource, SourceKind, SourceVerification};

/// `GET /api/v1/intake/alerts` lists what all sources sent.
const RESERVED_NAME: &str = "alerts";

/// Which alert sources may send alerts, and what becomes of these.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Intake {
    /// Sources by name
    pub sources: BTreeMap<String, IntakeSource>,
    /// Rules for the alerts of sources; the first one that matches counts
    pub rules: Vec<IntakeRule>,
    /// What becomes of repeated alerts; a chain may set parts of it otherwise
    pub policy: IntakePolicy,
}

const NO_TIME: &str =
    "hmac without a time: a request that somebody recorded is accepted whenever it is sent again";
const SIGN_A_TIME: &str =
    "add timestamp_header, and have the source send seconds since 1970 there and sign TIME:BODY";

impl Intake {
    /// The source of this name, ready to receive requests; none if the operator has not configured it.
    pub fn source(&self, name: &str) -> Option<Source> {
        self.sources.get(name)?.compile(name).ok()
    }

    /// The rules for alerts of sources, in their order.
    pub fn compiled_rules(&self) -> Vec<Rule> {
        self.rules.iter().filter_map(IntakeRule::compile).collect()
    }

    pub(crate) fn check(&self, check: &mut Check<'_>) {
        let at = Path::of(["intake"]);
        self.policy.check(&at.key("policy"), check);
        for (name, source) in &self.sources {
            let at = at.key("sources").key(name);
            if !is_short_name(name) {
                let suggestion = "use small letters, digits, `_` and `-`, at most 64 of them";
                check.problem(&at, format!("\"{name}\" cannot be a source's name"), suggestion);
            }
            if name == RESERVED_NAME {
                let message = "is the path of the list of alerts";
                check.problem(&at, message, "give the source another name");
            }
            for wrong in source.compile(name).err().into_iter().flatten() {
                wrong.report(&at, check);
            }
            if source.signs_no_time() {
                check.warning(&at.key("verification"), NO_TIME, SIGN_A_TIME);
            }
        }
        let at = at.key("rules");
        if self.rules.len() > MAX_RULES {
            let message = format!("has {} rules", self.rules.len());
            check.problem(&at, message, format!("write at most {MAX_RULES}"));
        }
        for (index, rule) in self.rules.iter().enumerate() {
            let here = at.index(index);
            if self.rules.iter().take(index).any(|earlier| earlier.name == rule.name) {
                let message = format!("\"{}\" is the name of an earlier rule", rule.name);
                check.problem(&here.key("name"), message, "give each rule a name of its own");
            }
            self.check_rule(rule, &here, check);
        }
    }

    fn check_rule(&self, rule: &IntakeRule, at: &Path, check: &mut Check<'_>) {
        if let Some(wrong) = rule.wrong_runbook() {
            wrong.report(at, check);
        }
        for (index, matcher) in rule.matchers.iter().enumerate() {
            let here = at.key("match").index(index);
            if let Err(wrong) = matcher.compile() {
                wrong.report(&here, check);
            }
            let unknown = matcher.source().filter(|name| !self.sources.contains_key(*name));
            if let Some(name) = unknown {
                let known = advice(name, self.sources.keys().map(String::as_str));
                let suggestion = known.unwrap_or_else(|| "add it to intake.sources".to_owned());
                check.problem(
                    &here.key("equals"),
                    format!("unknown source \"{name}\""),
                    suggestion,
                );
            }
        }
    }
}
