//! What an operator is to know of agents that change something.

use crate::agent::{Agent, AgentType};
use crate::chain::Chain;
use crate::check::Check;
use crate::layers::Layers;
use crate::path::Path;
use crate::stage::StageAgent;

/// Warns of agents of type `action` in chains whose remediation is off, and of one that is on without such an agent.
pub(crate) fn warn(layers: &Layers, check: &mut Check<'_>) {
    let agents = layers.merged(|layer| &layer.tarsy.value.agents);
    let of_name = |name: &str| agents.iter().find(|one| one.name == name).map(|one| one.value);
    for (id, chain) in &layers.user.tarsy.value.agent_chains {
        let at = Path::of(["agent_chains", id]);
        let acting = acting(chain, &at, &of_name);
        if chain.remediation.enabled {
            if acting.is_empty() && !dispatches(chain, &of_name) {
                let message = "has no effect: no agent of the chain is of type `action`";
                let advice = "write `type: action` at an agent, or remove it";
                check.warning(&at.key("remediation"), message, advice);
            }
            continue;
        }
        for path in acting {
            let message =
                "is of type `action`, and the remediation of its chain is off: it changes nothing";
            let advice = "write `remediation: {enabled: true}` at the chain, or leave it off";
            check.warning(&path, message, advice);
        }
    }
}

/// The agents of type `action` in the stages of a chain.
fn acting<'a>(chain: &Chain, at: &Path, of_name: &impl Fn(&str) -> Option<&'a Agent>) -> Vec<Path> {
    let mut found = Vec::new();
    for (index, stage) in chain.stages.iter().enumerate() {
        let at = at.key("stages").index(index).key("agents");
        let acts = |agent: &StageAgent| {
            let own = of_name(&agent.name).map(|agent| agent.agent_type);
            agent.agent_type.or(own) == Some(AgentType::Action)
        };
        let agents = stage.agents.iter().enumerate().filter(|(_, agent)| acts(agent));
        found.extend(agents.map(|(index, _)| at.index(index)));
    }
    found
}

/// Whether an agent of type `action` may be dispatched in a chain.
fn dispatches<'a>(chain: &Chain, of_name: &impl Fn(&str) -> Option<&'a Agent>) -> bool {
    let of_agent = |name: &str| of_name(name).and_then(|agent| agent.sub_agents.as_ref());
    let stages = chain.stages.iter().flat_map(|stage| {
        let agents = stage.agents.iter();
        let lists = agents.flat_map(|agent| [agent.sub_agents.as_ref(), of_agent(&agent.name)]);
        lists.chain([stage.sub_agents.as_ref()])
    });
    let lists = stages.chain([chain.sub_agents.as_ref()]).flatten().flatten();
    lists
        .into_iter()
        .any(|one| of_name(&one.name).is_some_and(|agent| agent.agent_type == AgentType::Action))
}
