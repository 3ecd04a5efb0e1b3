//! What TARSy brings along, and what the operator wrote.

use std::collections::BTreeMap;

use crate::check::Names;
use crate::doc::Doc;
use crate::files::{ProvidersFile, TarsyFile};
use crate::read::Mark;
use crate::report::Problem;
use crate::skill::Skill;

/// A file that was read.
pub(crate) struct File<T> {
    pub(crate) value: T,
    pub(crate) doc: Doc,
    pub(crate) marks: Vec<Mark>,
    /// Of removed keys, and of those of later versions.
    pub(crate) warnings: Vec<Problem>,
}

/// The two files of a layer.
pub(crate) struct Layer {
    pub(crate) tarsy: File<TarsyFile>,
    pub(crate) providers: File<ProvidersFile>,
}

/// What TARSy brings along, and what the operator wrote.
pub(crate) struct Layers {
    pub(crate) builtin: Layer,
    pub(crate) user: Layer,
    /// Those of both.
    pub(crate) skills: BTreeMap<String, Skill>,
}

/// An entry of one of the layers.
pub(crate) struct Merged<'a, T> {
    pub(crate) name: &'a str,
    pub(crate) value: &'a T,
    pub(crate) builtin: bool,
}

impl Layers {
    /// The operator's entries, then the built-in ones that they do not replace.
    pub(crate) fn merged<'a, T>(
        &'a self,
        of: impl Fn(&'a Layer) -> &'a BTreeMap<String, T>,
    ) -> Vec<Merged<'a, T>> {
        let user = of(&self.user);
        let own = user.iter().map(|(name, value)| Merged { name, value, builtin: false });
        let builtin = of(&self.builtin).iter().filter(|(name, _)| !user.contains_key(*name));
        own.chain(builtin.map(|(name, value)| Merged { name, value, builtin: true })).collect()
    }

    /// The names that references may use.
    pub(crate) fn names(&self) -> Names {
        let mut alert_types: Vec<String> = self
            .merged(|layer| &layer.tarsy.value.agent_chains)
            .into_iter()
            .flat_map(|chain| chain.value.alert_types.iter().cloned())
            .collect();
        alert_types.sort();
        alert_types.dedup();
        Names {
            servers: names(&self.merged(|layer| &layer.tarsy.value.mcp_servers)),
            agents: names(&self.merged(|layer| &layer.tarsy.value.agents)),
            providers: names(&self.merged(|layer| &layer.providers.value.llm_providers)),
            alert_types,
            skills: self.skills.keys().cloned().collect(),
        }
    }
}

fn names<T>(merged: &[Merged<'_, T>]) -> Vec<String> {
    merged.iter().map(|entry| entry.name.to_owned()).collect()
}
