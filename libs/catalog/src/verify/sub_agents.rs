//! The checks of agents that other agents may dispatch.

use crate::agent::AgentType;
use crate::catalog::Catalog;
use crate::doc::Doc;
use crate::layers::Layers;
use crate::path::Path;
use crate::read::Mark;
use crate::report::Problem;
use crate::resolved::ResolvedAgent;
use crate::rule::AgentName;

/// Checks that every agent which another one may dispatch can be chosen, and is not that one.
pub(crate) fn check_sub_agents(layers: &Layers, catalog: &Catalog) -> Vec<Problem> {
    let files = [&layers.user.tarsy, &layers.builtin.tarsy];
    let check = |doc: &Doc, mark: &Mark| {
        let (message, suggestion) = fault(catalog, doc, mark)?;
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

/// What is wrong with an entry of `sub_agents`, and what to do about it.
fn fault(catalog: &Catalog, doc: &Doc, mark: &Mark) -> Option<(String, String)> {
    let name = &mark.text;
    if mark.name != AgentName::KIND || !mark.path.keys().any(|key| key == "sub_agents") {
        return None;
    }
    let agent = catalog.agents.get(name)?;
    if dispatcher(doc, &mark.path).is_some_and(|one| one == *name) {
        let message = format!("\"{name}\" cannot dispatch itself");
        return Some((message, "remove it here, or name another agent".to_owned()));
    }
    if agent.agent_type == AgentType::Synthesis {
        let message = format!("\"{name}\" joins findings without tools and cannot be dispatched");
        return Some((message, "name an agent that investigates".to_owned()));
    }
    if agent.description.trim().is_empty() {
        let message =
            format!("\"{name}\" has no description by which another agent could choose it");
        return Some((message, format!("add `description:` to agents.{name}")));
    }
    None
}

/// The agent that an entry of `sub_agents` is for; none for a list of a chain or a stage, which is for all of its agents.
fn dispatcher(doc: &Doc, entry: &Path) -> Option<String> {
    let owner = || entry.ancestors().find(|path| !path.keys().any(|key| key == "sub_agents"));
    let keys: Vec<&str> = entry.keys().collect();
    let name = match keys.as_slice() {
        ["agents", name, "sub_agents", ..] => return Some((*name).to_owned()),
        ["agent_chains", _, "stages", "agents", "sub_agents", ..] => owner()?.key("name"),
        ["agent_chains", _, "chat", "sub_agents", ..] => owner()?.key("agent"),
        _ => return None,
    };
    doc.text(&name).map(str::to_owned)
}
