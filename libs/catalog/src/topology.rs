//! The section `topology` of `tarsy.yaml`: which services there are, and what they call.

use std::collections::BTreeMap;

use schemars::JsonSchema;
use serde::Deserialize;
use smart_default::SmartDefault;

use crate::check::Check;
use crate::path::Path;
use crate::rule::{As, Between, Each, NotBlank, ObjectName};

/// What depends on what, as the operator knows it.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema, SmartDefault)]
#[serde(default, deny_unknown_fields)]
pub struct Topology {
    /// Dependencies that an investigation is given at most; 0 for none, also without the tool `dependencies`
    #[default = 30]
    #[serde(with = "As::<Between<0, 50>>")]
    pub most: u32,
    /// Services by name, as alerts name them
    pub services: BTreeMap<String, Service>,
}

/// A service.
#[derive(Clone, Debug, Default, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(default, deny_unknown_fields)]
pub struct Service {
    /// Services, databases and systems of others that it sends requests to
    #[serde(with = "Each::<ObjectName>")]
    pub calls: Vec<String>,
    /// What it reads or writes, such as `PersistentVolumeClaim/data`
    #[serde(with = "Each::<ObjectName>")]
    pub uses: Vec<String>,
    /// Who answers for it
    #[serde(with = "As::<NotBlank>")]
    pub team: Option<String>,
    /// Its environment; alerts of another one do not see it
    #[serde(with = "As::<NotBlank>")]
    pub environment: Option<String>,
    /// Its namespace
    #[serde(with = "As::<NotBlank>")]
    pub namespace: Option<String>,
}

impl Topology {
    /// Checks that names can be followed, and that nothing depends on itself.
    pub(crate) fn check(&self, check: &mut Check<'_>) {
        for (name, service) in &self.services {
            let at = Path::of(["topology", "services", name]);
            if name.is_empty() || name.contains(char::is_whitespace) {
                let message = format!("\"{name}\" cannot be the name of a service");
                check.key_problem(&at, message, "write it without blanks, as alerts name it");
            }
            for (key, names) in [("calls", &service.calls), ("uses", &service.uses)] {
                let itself = names.iter().position(|other| other.eq_ignore_ascii_case(name));
                if let Some(index) = itself {
                    let path = at.key(key).index(index);
                    check.problem(&path, "a service cannot depend on itself", "remove it");
                }
            }
        }
    }
}
