//! The rules for agents and chains.

use std::collections::BTreeMap;

use super::{Checker, Doc, chains_of};
use crate::catalog::Catalog;
use crate::chain::Chain;
use crate::file::{AgentFile, ChainFile, StageFile, SynthesisFile};
use crate::load::Layers;
use crate::path::Path;
use crate::report::Problem;
use crate::resolve::Resolver;
use crate::resolved::ResolvedAgent;

impl Checker<'_> {
    pub(super) fn agents(&mut self, agents: Option<&BTreeMap<String, AgentFile>>) {
        for (name, agent) in agents.into_iter().flatten() {
            let at = Path::of(["agents", name]);
            self.entry_name("agents", name, &at);
            self.servers(&at.key("mcp_servers"), agent.mcp_servers.as_ref());
        }
    }

    pub(super) fn chains(&mut self, chains: Option<&BTreeMap<String, ChainFile>>) {
        let mut owners: BTreeMap<&str, &str> = BTreeMap::new();
        let mut in_file_order: Vec<_> = chains.into_iter().flatten().collect();
        in_file_order.sort_by_key(|(id, _)| self.doc.key_place("agent_chains", id));
        for (id, chain) in in_file_order {
            let at = Path::of(["agent_chains", id]);
            self.entry_name("agent_chains", id, &at);
            for (index, alert_type) in chain.alert_types.iter().flatten().enumerate() {
                let path = at.key("alert_types").index(index);
                if self.doc.has_text(&path) {
                    self.alert_type(&path, id, alert_type, owners.insert(alert_type, id));
                }
            }
            self.chain(&at, chain);
        }
    }

    fn alert_type(&mut self, path: &Path, id: &str, alert_type: &str, owner: Option<&str>) {
        if alert_type.trim().is_empty() {
            self.problem(path, "is empty", "write the name of an alert type");
            return;
        }
        let Some(owner) = owner else { return };
        let fix = if owner == id {
            "remove one of the two".to_owned()
        } else {
            format!("remove it here or from agent_chains.{owner}")
        };
        let message =
            format!("the alert type \"{alert_type}\" already belongs to chain \"{owner}\"");
        self.problem(path, message, fix);
    }

    fn chain(&mut self, at: &Path, chain: &ChainFile) {
        self.provider(&at.key("llm_provider"), chain.llm_provider.as_deref());
        self.fallbacks(at, chain.fallback_providers.as_ref(), chain.llm_provider.as_deref());
        let summary = chain.executive_summary_provider.as_deref();
        self.provider(&at.key("executive_summary_provider"), summary);
        self.servers(&at.key("mcp_servers"), chain.mcp_servers.as_ref());
        if let Some(chat) = &chain.chat {
            let at = at.key("chat");
            self.agent(&at.key("agent"), chat.agent.as_deref());
            self.provider(&at.key("llm_provider"), chat.llm_provider.as_deref());
            self.fallbacks(&at, chat.fallback_providers.as_ref(), chat.llm_provider.as_deref());
            self.servers(&at.key("mcp_servers"), chat.mcp_servers.as_ref());
        }
        let stages = chain.stages.as_deref().unwrap_or_default();
        for (index, stage) in stages.iter().enumerate() {
            let at = at.key("stages").index(index);
            if stage.name.as_deref().is_some_and(|name| name.trim().is_empty()) {
                self.problem(&at.key("name"), "is empty", "write a name such as investigation");
            }
            self.stage(&at, stage);
        }
    }

    fn stage(&mut self, at: &Path, stage: &StageFile) {
        self.servers(&at.key("mcp_servers"), stage.mcp_servers.as_ref());
        self.fallbacks(at, stage.fallback_providers.as_ref(), None);
        let agents = stage.agents.as_deref().unwrap_or_default();
        if agents.len() > 1 && stage.replicas.is_some_and(|replicas| replicas > 1) {
            self.problem(
                &at.key("replicas"),
                format!("replicas do not mix with {} agents", agents.len()),
                "remove replicas, or keep one agent",
            );
        }
        for (index, agent) in agents.iter().enumerate() {
            let at = at.key("agents").index(index);
            self.agent(&at.key("name"), agent.name.as_deref());
            self.provider(&at.key("llm_provider"), agent.llm_provider.as_deref());
            self.fallbacks(&at, agent.fallback_providers.as_ref(), agent.llm_provider.as_deref());
            self.servers(&at.key("mcp_servers"), agent.mcp_servers.as_ref());
        }
        if let Some(synthesis) = &stage.synthesis {
            self.synthesis(&at.key("synthesis"), synthesis);
        }
    }

    fn synthesis(&mut self, at: &Path, synthesis: &SynthesisFile) {
        self.agent(&at.key("agent"), synthesis.agent.as_deref());
        let first = synthesis.llm_provider.as_deref();
        self.provider(&at.key("llm_provider"), first);
        self.fallbacks(at, synthesis.fallback_providers.as_ref(), first);
        if let Some(strategy) =
            synthesis.iteration_strategy.filter(|strategy| strategy.uses_tools())
        {
            self.problem(
                &at.key("iteration_strategy"),
                format!("a synthesis is one call without tools, which {strategy} is not"),
                format!("write {}", strategy.for_synthesis()),
            );
        }
    }

    fn entry_name(&mut self, section: &str, name: &str, at: &Path) {
        if name.trim().is_empty() || name.len() > 128 {
            let place = self.doc.key_place(section, name);
            let fix = Some("write a name of 1 to 128 characters".to_owned());
            self.problem_at(place, at, "the name is empty or too long".to_owned(), fix);
        }
    }
}

/// Checks that whoever needs Gemini's own interface has a provider that speaks it.
pub(super) fn strategies(layers: &Layers, catalog: &Catalog, problems: &mut Vec<Problem>) {
    for layer in [&layers.user, &layers.builtin] {
        for (id, _) in chains_of(layer) {
            let doc = &layer.tarsy_doc;
            let at = Path::of(["agent_chains", id]);
            let builtin = std::ptr::eq(layer, &raw const layers.builtin);
            if let Some(chain) = catalog.chains.get(id).filter(|chain| chain.builtin == builtin) {
                strategies_of(doc, &at, catalog, chain, problems);
            }
        }
    }
}

fn strategies_of(
    doc: &Doc,
    at: &Path,
    catalog: &Catalog,
    chain: &Chain,
    problems: &mut Vec<Problem>,
) {
    let resolver = Resolver { catalog, chain, mcp: None };
    let mut check = |path: Path, agent: ResolvedAgent| {
        if !agent.strategy.is_native() || agent.provider.provider_type.has_gemini_api() {
            return;
        }
        let place = doc.place(&path);
        problems.push(Problem {
            file: doc.file.clone(),
            line: place.line,
            column: place.column,
            key: path.to_string(),
            message: format!(
                "the strategy {} needs a provider of type google or vertexai, but \"{}\" is of type {}",
                agent.strategy,
                agent.provider.name,
                agent.provider.provider_type.as_str(),
            ),
            suggestion: Some(
                "set llm_provider to one of those, or iteration_strategy to langchain".to_owned(),
            ),
        });
    };
    for (index, stage) in chain.stages.iter().enumerate() {
        let at = at.key("stages").index(index);
        for (index, agent) in stage.agents.iter().enumerate() {
            check(at.key("agents").index(index), resolver.stage_agent(stage, agent));
        }
        if stage.agents.len() > 1 || stage.replicas > 1 {
            check(at.key("synthesis"), resolver.synthesis(stage.synthesis.as_ref()));
        }
    }
    if let Some(chat) = chain.chat.as_ref().filter(|chat| chat.enabled) {
        check(at.key("chat"), resolver.chat(chat));
    }
}
