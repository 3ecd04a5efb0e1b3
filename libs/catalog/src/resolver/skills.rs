//! The skills of an agent, and those that a session keeps; the calendar that it keeps.

use std::collections::BTreeSet;

use crate::calendar::{ResolvedCalendar, ResolvedHoliday};
use crate::catalog::Catalog;
use crate::provider::ProviderType;
use crate::resolved::{ResolvedAgent, ResolvedStage};
use crate::resolver::{Choices, Resolver};
use crate::skill::{ResolvedSkill, Skill};
use crate::strategy::Strategy;

impl Resolver<'_> {
    /// The skills that an agent may load, and those that its prompt has. The offline analyst and agents without tools have
    /// none.
    pub(super) fn skills(
        &self,
        provider: &str,
        strategy: Strategy,
        choices: &Choices<'_>,
    ) -> (Vec<String>, Vec<String>) {
        let provider = self.catalog.providers.get(provider);
        let is_model = provider.is_some_and(|one| one.provider_type != ProviderType::Offline);
        if !is_model || !strategy.uses_tools() {
            return (Vec::new(), Vec::new());
        }
        let required = known(self.catalog, choices.required_skills);
        let all: Vec<String> = match choices.skills {
            Some(listed) => known(self.catalog, listed),
            None => self.catalog.skills.keys().cloned().collect(),
        };
        let loadable = all.into_iter().filter(|name| !required.contains(name)).collect();
        (loadable, required)
    }

    /// The texts of all skills that these agents have or may load.
    pub(super) fn kept_skills(
        &self,
        stages: &[ResolvedStage],
        chat: Option<&ResolvedAgent>,
    ) -> Vec<ResolvedSkill> {
        let agents = stages.iter().flat_map(|stage| &stage.agents).chain(chat);
        let agents = agents.flat_map(ResolvedAgent::with_sub_agents);
        let names: BTreeSet<&String> =
            agents.flat_map(|agent| agent.skills.iter().chain(&agent.required_skills)).collect();
        names
            .into_iter()
            .filter_map(|name| self.catalog.skills.get(name))
            .map(Skill::resolve)
            .collect()
    }
}

/// Each skill once, without those that do not exist, which the checks report.
fn known(catalog: &Catalog, names: &[String]) -> Vec<String> {
    let mut known: Vec<String> = Vec::new();
    for name in names {
        if catalog.skills.contains_key(name) && !known.contains(name) {
            known.push(name.clone());
        }
    }
    known
}

impl Catalog {
    pub(super) fn calendar(&self) -> ResolvedCalendar {
        ResolvedCalendar {
            time_zone: self.system.time_zone.clone(),
            holidays: self.system.holidays.iter().filter_map(ResolvedHoliday::of).collect(),
        }
    }
}
