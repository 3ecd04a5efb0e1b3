//! The outcome of an investigation, typed; the report is rendered from it.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, IntoStaticStr};

/// A family of faults. Each has a file of rules.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Hash,
    Serialize,
    Deserialize,
    Display,
    IntoStaticStr,
    EnumIter,
)]
#[serde(rename_all = "snake_case")]
pub enum Category {
    #[strum(serialize = "image pull")]
    ImagePull,
    #[strum(serialize = "crash")]
    Crash,
    #[strum(serialize = "out of memory")]
    OutOfMemory,
    #[strum(serialize = "probe")]
    Probe,
    #[strum(serialize = "scheduling")]
    Scheduling,
    #[strum(serialize = "quota")]
    Quota,
    #[strum(serialize = "volume")]
    Volume,
    #[strum(serialize = "service routing")]
    ServiceRouting,
    #[strum(serialize = "DNS")]
    Dns,
    #[strum(serialize = "network policy")]
    NetworkPolicy,
    #[strum(serialize = "network fault")]
    NetworkFault,
    #[strum(serialize = "configuration")]
    Configuration,
    #[strum(serialize = "node")]
    Node,
    #[strum(serialize = "control plane")]
    ControlPlane,
    #[strum(serialize = "database")]
    Database,
    #[strum(serialize = "resource starvation")]
    Starvation,
    #[strum(serialize = "disk")]
    Disk,
    #[strum(serialize = "clock")]
    Clock,
    #[strum(serialize = "certificate")]
    Certificate,
    #[strum(serialize = "host service")]
    HostService,
    #[strum(serialize = "missing workload")]
    MissingWorkload,
    #[strum(serialize = "command")]
    Command,
    #[strum(serialize = "access")]
    Access,
    #[strum(serialize = "feature flag")]
    FeatureFlag,
    #[strum(serialize = "redeployment")]
    Redeployment,
    #[strum(serialize = "application error")]
    Application,
}

/// What a cause belongs to.
#[derive(Clone, Debug, Default, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
pub struct Target {
    /// `Pod`, `Deployment`, `Service`, `Node`, `host` …; empty if it is not known.
    pub kind: String,
    pub name: String,
    /// Empty for what has none, and if it is not known.
    pub namespace: String,
}

/// How sure a cause is, by the evidence for it and the distance to the next one.
#[derive(
    Clone,
    Copy,
    Debug,
    PartialEq,
    Eq,
    PartialOrd,
    Ord,
    Serialize,
    Deserialize,
    Display,
    IntoStaticStr,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Confidence {
    Low,
    Medium,
    High,
}

/// A place of a result, word for word.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord, Serialize, Deserialize)]
pub struct Quote {
    /// The number of the call; 0 for a text that was given with the request.
    pub call: u32,
    /// From 1.
    pub line: usize,
    pub text: String,
}

/// Another cause that the evidence speaks for, less.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Alternative {
    pub cause: String,
    pub category: Category,
    pub target: Target,
    /// Why it ranks lower.
    pub because: String,
    pub evidence: Vec<Quote>,
}

/// What was not looked at.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "kind", rename_all = "snake_case")]
pub enum NotExamined {
    /// A call that failed: its tool, its number and the first line of the error.
    Failed { tool: String, call: u32, error: String },
    /// A tool that could be called and was not.
    NotCalled { tool: String },
    /// A tool whose required arguments nothing names.
    NotCallable { tool: String, missing: Vec<String> },
}

/// The most likely cause, and what it rests on.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// One sentence without its full stop.
    pub cause: String,
    pub category: Category,
    pub target: Target,
    /// When it began, as a result shows it: a time or an age.
    pub since: Option<String>,
    pub confidence: Confidence,
    pub evidence: Vec<Quote>,
    pub alternatives: Vec<Alternative>,
    pub not_examined: Vec<NotExamined>,
    /// The safest first.
    pub next_steps: Vec<String>,
}

impl Target {
    pub(crate) fn new(kind: &str, name: &str, namespace: &str) -> Self {
        Self { kind: kind.to_owned(), name: name.to_owned(), namespace: namespace.to_owned() }
    }
}
