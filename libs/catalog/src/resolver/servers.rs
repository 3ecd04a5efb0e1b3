//! The servers of an agent.

use crate::provider::ResolvedProvider;
use crate::resolved::ResolvedServer;
use crate::resolver::{Resolver, names};
use crate::server::{McpServer, Summarization};
use crate::stage::{Stage, StageAgent};

impl<'a> Resolver<'a> {
    pub(super) fn servers(&self, configured: Vec<&str>) -> Vec<ResolvedServer> {
        match self.requested.mcp {
            Some(mcp) if mcp.without_servers => Vec::new(),
            Some(mcp) if !mcp.servers.is_empty() => mcp
                .servers
                .iter()
                .map(|server| self.server(&server.name, server.permitted_tools()))
                .collect(),
            _ => {
                let mut once: Vec<&str> = Vec::new();
                for id in configured {
                    if !once.contains(&id) {
                        once.push(id);
                    }
                }
                once.into_iter().map(|id| self.server(id, None)).collect()
            }
        }
    }

    fn server(&self, id: &str, tools: Option<Vec<String>>) -> ResolvedServer {
        let server: Option<&McpServer> = self.catalog.servers.get(id);
        ResolvedServer {
            id: id.to_owned(),
            instructions: server.map(|server| server.instructions.clone()).unwrap_or_default(),
            tools,
            summarization: server
                .map_or_else(Summarization::default, |server| server.summarization.limits),
            summarizer: self.summarizer(server),
        }
    }

    /// What makes a server's results short, unless that is the agent's own provider.
    fn summarizer(&self, server: Option<&McpServer>) -> Option<ResolvedProvider> {
        let defaults = &self.catalog.defaults.summarization;
        let own = server.map(|server| &server.summarization);
        let (name, backend) = match own.and_then(|own| own.llm_provider.as_ref()) {
            Some(name) => (name, own.and_then(|own| own.llm_backend)),
            None => (defaults.llm_provider.as_ref()?, defaults.llm_backend),
        };
        match self.requested.provider {
            Some(requested) => Some(self.one_call(requested, None)),
            None => Some(self.one_call(name, backend)),
        }
    }

    /// The servers of the stages' agents as configured, in the order of first use.
    pub(super) fn servers_of_stages(&self) -> Vec<&'a str> {
        let stages = self.chain.stages.iter();
        stages
            .flat_map(|stage| stage.agents.iter().map(move |agent| (stage, agent)))
            .flat_map(|(stage, agent)| self.stage_servers(stage, agent).unwrap_or_default())
            .collect()
    }

    pub(super) fn stage_servers(
        &self,
        stage: &'a Stage,
        here: &'a StageAgent,
    ) -> Option<Vec<&'a str>> {
        let base = self.catalog.agents.get(&here.name);
        here.mcp_servers
            .as_ref()
            .or(stage.mcp_servers.as_ref())
            .or(self.chain.mcp_servers.as_ref())
            .or(base.and_then(|agent| agent.mcp_servers.as_ref()))
            .map(|servers| names(servers))
    }
}
