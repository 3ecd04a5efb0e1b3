//! The families of faults.

use serde::{Deserialize, Serialize};
use strum::{Display, EnumIter, EnumString, IntoStaticStr};

/// A family of faults.
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
    EnumString,
    IntoStaticStr,
    EnumIter,
)]
#[serde(rename_all = "snake_case")]
#[strum(serialize_all = "snake_case")]
pub enum Category {
    ImagePull,
    Crash,
    OutOfMemory,
    Probe,
    Scheduling,
    Quota,
    Volume,
    ServiceRouting,
    Dns,
    NetworkPolicy,
    NetworkFault,
    Configuration,
    Node,
    ControlPlane,
    Database,
    /// Too little CPU or memory for the load, without an end of a process.
    Starvation,
    Disk,
    Clock,
    Certificate,
    HostService,
    MissingWorkload,
    Command,
    Access,
    FeatureFlag,
    Redeployment,
    /// An error of the application itself.
    Application,
    Other,
}

impl Category {
    /// The spelling in the database and on the wire.
    pub fn as_str(self) -> &'static str {
        self.into()
    }

    /// As people read it.
    pub fn words(self) -> String {
        match self {
            Self::Dns => "DNS".to_owned(),
            Self::Starvation => "resource starvation".to_owned(),
            Self::Application => "application error".to_owned(),
            other => other.as_str().replace('_', " "),
        }
    }
}
