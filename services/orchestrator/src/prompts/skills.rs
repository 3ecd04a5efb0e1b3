//! The skills of an agent, as its system prompt has them.

use minijinja::context;
use tarsy_catalog::{RESERVED_ID, ResolvedAgent, ResolvedChain, ResolvedSkill};

use super::Prompts;

impl Prompts {
    /// The skills that an agent must know, whole, and the names of those that it may load; empty without any.
    pub(crate) fn skills(
        &self,
        chain: &ResolvedChain,
        agent: &ResolvedAgent,
        may_load: bool,
    ) -> String {
        let known = |names: &[String]| -> Vec<minijinja::Value> {
            names.iter().filter_map(|name| chain.skill(name)).map(shown).collect()
        };
        let required = known(&agent.required_skills);
        let loadable = if may_load { known(&agent.skills) } else { Vec::new() };
        let tool = format!("{RESERVED_ID}.load_skill");
        self.render("skills", context! { required, loadable, tool })
    }
}

fn shown(skill: &ResolvedSkill) -> minijinja::Value {
    context! {
        name => skill.name.clone(),
        description => skill.description.clone(),
        body => skill.body.clone(),
    }
}
