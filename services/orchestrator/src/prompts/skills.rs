//! The skills of an agent, as its system prompt has them.

use minijinja::context;
use tarsy_catalog::{RESERVED_ID, ResolvedAgent, ResolvedChain, ResolvedSkill};

use super::Prompts;

/// The most characters of a description in a list of many: every request of an agent has it.
const MOST_LISTED: usize = 300;

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
        description => listed(&skill.description),
        body => skill.body.clone(),
    }
}

/// A description, cut if it is long.
fn listed(description: &str) -> String {
    if description.chars().count() <= MOST_LISTED {
        return description.to_owned();
    }
    description.chars().take(MOST_LISTED).chain(['…']).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_description_is_cut_in_the_list() {
        assert_eq!(listed("when pods restart"), "when pods restart");
        assert_eq!(listed(&"ä".repeat(400)), format!("{}…", "ä".repeat(300)));
    }
}
