//! The checks of agents that judge sessions.

use crate::agent::AgentType;
use crate::catalog::Catalog;
use crate::check::Check;
use crate::layers::Layers;
use crate::path::Path;
use crate::report::Problem;
use crate::rule::AgentName;

/// Checks that each `scoring.agent` is of type `scoring`.
pub(crate) fn check_scoring(layers: &Layers, catalog: &Catalog) -> Vec<Problem> {
    let file = &layers.user.tarsy;
    let marks = file.marks.iter().filter(|mark| {
        mark.name == AgentName::KIND && mark.path.keys().any(|key| key == "scoring")
    });
    let wrong = marks.filter_map(|mark| {
        let agent = catalog.agents.get(&mark.text)?;
        let place = file.doc.place(&mark.path);
        (agent.agent_type != AgentType::Scoring).then(|| Problem {
            file: file.doc.file.clone(),
            line: place.line,
            column: place.column,
            key: mark.path.to_string(),
            message: format!("\"{}\" is not of type `scoring`", mark.text),
            suggestion: Some(format!(
                "write `type: scoring` at agents.{}, or leave it out for ScoringAgent",
                mark.text
            )),
        })
    });
    wrong.collect()
}

/// Warns of agents of type `scoring` in stages: there they investigate.
pub(crate) fn warn(layers: &Layers, check: &mut Check<'_>) {
    let agents = layers.merged(|layer| &layer.tarsy.value.agents);
    let of_name = |name: &str| agents.iter().find(|one| one.name == name).map(|one| one.value);
    for (id, chain) in &layers.user.tarsy.value.agent_chains {
        let at = Path::of(["agent_chains", id]).key("stages");
        for (index, stage) in chain.stages.iter().enumerate() {
            let at = at.index(index).key("agents");
            for (index, agent) in stage.agents.iter().enumerate() {
                let own = of_name(&agent.name).map(|agent| agent.agent_type);
                if agent.agent_type.or(own) == Some(AgentType::Scoring) {
                    let message = "is of type `scoring`, and investigates in a stage";
                    let advice = "name it in scoring.agent, or another agent here";
                    check.warning(&at.index(index), message, advice);
                }
            }
        }
    }
}
