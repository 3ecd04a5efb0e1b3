//! The checks of agents that other agents may dispatch.

use crate::agent::{Agent, AgentType};
use crate::catalog::Catalog;
use crate::doc::Doc;
use crate::layers::Layers;
use crate::path::Path;
use crate::read::Mark;
use crate::report::Problem;
use crate::resolved::ResolvedAgent;
use crate::rule::AgentName;

/// Checks that every agent which another one may dispatch investigates.
pub(crate) fn check_sub_agents(layers: &Layers, catalog: &Catalog) -> Vec<Problem> {
    entries(
        layers,
        |agent, name| {
            let message =
                format!("\"{name}\" joins findings without tools and cannot be dispatched");
            let joins = agent.agent_type == AgentType::Synthesis;
            joins.then(|| (message, "name an agent that investigates".to_owned()))
        },
        catalog,
    )
}

/// Warns of agents that a model can choose only by their names and tools.
pub(crate) fn warn_of_undescribed(layers: &Layers, catalog: &Catalog) -> Vec<Problem> {
    entries(
        layers,
        |agent, name| {
            let message = format!(
                "\"{name}\" has no description: a model chooses it by its name and its tools"
            );
            let is_open = agent.description.trim().is_empty();
            is_open.then(|| (message, format!("add `description:` to agents.{name}")))
        },
        catalog,
    )
}

/// What is said of the agents in lists of sub-agents, at their places.
fn entries(
    layers: &Layers,
    find: impl Fn(&Agent, &str) -> Option<(String, String)>,
    catalog: &Catalog,
) -> Vec<Problem> {
    let files = [&layers.user.tarsy, &layers.builtin.tarsy];
    let check = |doc: &Doc, mark: &Mark| {
        let is_entry =
            mark.name == AgentName::KIND && mark.path.keys().any(|key| key == "sub_agents");
        let agent = catalog.agents.get(&mark.text).filter(|_| is_entry)?;
        let (message, suggestion) = find(agent, &mark.text)?;
        let place = doc.place(&mark.path);
        Some(Problem {
            file: doc.file.clone(),
            line: place.line,
            column: place.column,
            key: mark.path.to_string(),
            message,
            suggestion: Some(suggestion),
        })
    };
    files
        .into_iter()
        .flat_map(|file| file.marks.iter().filter_map(|mark| check(&file.doc, mark)))
        .collect()
}

/// The most agents that one may dispatch, those of all levels together: each session keeps all of them.
const MAX_AGENTS: usize = 100;

/// What is wrong with an agent that has too many below it.
pub(crate) fn too_many(doc: &Doc, at: &Path, agent: &ResolvedAgent) -> Option<Problem> {
    // The first one is the agent itself.
    agent.with_sub_agents().nth(MAX_AGENTS + 1)?;
    let place = doc.place(at);
    Some(Problem {
        file: doc.file.clone(),
        line: place.line,
        column: place.column,
        key: at.to_string(),
        message: format!(
            "\"{}\" has more than {MAX_AGENTS} agents below it, over all levels",
            agent.name
        ),
        suggestion: Some("shorten `sub_agents`, or lower `orchestrator.max_depth`".to_owned()),
    })
}
