//! What an alert may request of its chain, and whether the chain can do it.

use serde::{Deserialize, Serialize};

use crate::allowed_servers::AllowedServers;
use crate::catalog::Catalog;
use crate::chain::Chain;
use crate::provider::NativeTool;
use crate::resolve_error::ResolveError;
use crate::resolved::{ResolvedAgent, ResolvedChain};
use crate::resolver::Resolver;
use crate::selection::{McpSelection, NativeToolsChoice, Requested, Sender, Suppressed};
use crate::strategy::Backend;

/// What an alert may request.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Allowed {
    /// The servers, in order.
    pub mcp_servers: Vec<String>,
    /// The provider's own tools that it may turn on.
    pub native_tools: Vec<NativeTool>,
    /// The providers that can be called, by name.
    pub providers: Vec<String>,
}

impl Catalog {
    /// What an alert may request of a chain: what the chain names. Where it names nothing, a trusted sender may request every
    /// registered server and tool, and a source those that the chain's own agents have; both every provider.
    pub(crate) fn allowed(&self, chain: &Chain, sender: Sender) -> Allowed {
        let own = Resolver { catalog: self, chain, requested: Requested::default() }.chain("");
        Allowed {
            mcp_servers: self.allowed_servers(chain, &own, sender),
            native_tools: allowed_native_tools(chain, &own, sender),
            providers: self.allowed_providers(chain),
        }
    }

    fn allowed_servers(&self, chain: &Chain, own: &ResolvedChain, sender: Sender) -> Vec<String> {
        let by_default = match sender {
            Sender::Trusted => &AllowedServers::Registered,
            Sender::Source => &AllowedServers::Chain,
        };
        match chain.allowed_mcp_servers.as_ref().unwrap_or(by_default) {
            AllowedServers::Chain => own.server_ids().into_iter().map(str::to_owned).collect(),
            AllowedServers::Registered => self.servers.keys().cloned().collect(),
            AllowedServers::Listed(names) => names.clone(),
        }
    }

    fn allowed_providers(&self, chain: &Chain) -> Vec<String> {
        let usable = self.provider_states().into_iter().filter(|state| state.unusable.is_none());
        let names = usable.map(|state| state.name);
        names.filter(|name| is_listed(chain, name)).collect()
    }

    /// Refuses a provider that does not exist, that the chain does not allow, or that cannot be called.
    pub(crate) fn check_provider(&self, chain: &Chain, name: &str) -> Result<(), ResolveError> {
        let Some(state) = self.provider_states().into_iter().find(|state| state.name == name)
        else {
            return Err(ResolveError::UnknownProvider(self.unknown_provider(name)));
        };
        if !is_listed(chain, name) {
            return Err(ResolveError::ProviderNotAllowed {
                name: name.to_owned(),
                chain_id: chain.id.clone(),
                allowed: self.allowed_providers(chain),
            });
        }
        match state.unusable {
            Some(reason) => Err(ResolveError::ProviderUnusable {
                name: name.to_owned(),
                reason,
                allowed: self.allowed_providers(chain),
            }),
            None => Ok(()),
        }
    }

    /// Refuses tools that the chain does not allow.
    pub(crate) fn check_allowed(
        &self,
        chain: &Chain,
        mcp: &McpSelection,
        sender: Sender,
    ) -> Result<(), ResolveError> {
        let allowed = self.allowed(chain, sender);
        for (index, server) in mcp.servers.iter().enumerate() {
            if !allowed.mcp_servers.contains(&server.name) {
                return Err(ResolveError::ServerNotAllowed {
                    index,
                    name: server.name.clone(),
                    chain_id: chain.id.clone(),
                    allowed: allowed.mcp_servers,
                });
            }
        }
        if chain.allowed_native_tools.is_none() && sender == Sender::Trusted {
            return Ok(());
        }
        let mut turned_on = mcp.native_tools.into_iter().flat_map(NativeToolsChoice::turned_on);
        match turned_on.find(|tool| !allowed.native_tools.contains(tool)) {
            Some(tool) => Err(ResolveError::NativeToolNotAllowed {
                tool,
                chain_id: chain.id.clone(),
                allowed: allowed.native_tools,
            }),
            None => Ok(()),
        }
    }
}

fn is_listed(chain: &Chain, provider: &str) -> bool {
    let listed = chain.allowed_providers.as_ref();
    listed.is_none_or(|listed| listed.iter().any(|name| name == provider))
}

/// The provider's own tools that an alert may turn on; none where no agent could have any.
fn allowed_native_tools(chain: &Chain, own: &ResolvedChain, sender: Sender) -> Vec<NativeTool> {
    if let Some(listed) = &chain.allowed_native_tools {
        return listed.clone();
    }
    let is_allowed = |tool: &NativeTool| match sender {
        Sender::Trusted => agents(own).any(has_own_tools),
        Sender::Source => agents(own).any(|agent| agent.provider.native_tools.has(*tool)),
    };
    NativeTool::ALL.into_iter().filter(is_allowed).collect()
}

/// Refuses a selection that contradicts itself, or that leaves the agents of the chain that an alert got without any tool.
pub(crate) fn check_effect(mcp: &McpSelection, chain: &ResolvedChain) -> Result<(), ResolveError> {
    if mcp.without_servers && !mcp.servers.is_empty() {
        return Err(ResolveError::ServersAndNone);
    }
    let has_any =
        |agent: &ResolvedAgent| has_own_tools(agent) && !agent.provider.native_tools.is_off();
    if mcp.without_servers && !agents(chain).any(has_any) {
        return Err(ResolveError::NoToolsAtAll);
    }
    Ok(())
}

impl McpSelection {
    /// What it turns on and no agent of the chain that the alert got has.
    pub fn suppressed(&self, chain: &ResolvedChain) -> Vec<Suppressed> {
        let has = |agent: &ResolvedAgent, tool: NativeTool| {
            let tools = agent.provider.native_tools_beside(!agent.servers.is_empty());
            has_own_tools(agent) && tools.has(tool)
        };
        let beside_servers = agents(chain).any(has_own_tools);
        let turned_on = self.native_tools.into_iter().flat_map(NativeToolsChoice::turned_on);
        turned_on
            .filter(|tool| !agents(chain).any(|agent| has(agent, *tool)))
            .map(|tool| Suppressed { tool, beside_servers })
            .collect()
    }
}

/// Whether its provider has tools of its own for it.
fn has_own_tools(agent: &ResolvedAgent) -> bool {
    agent.provider.backend == Backend::GoogleNative
}

/// The agents that investigate and answer questions.
fn agents(chain: &ResolvedChain) -> impl Iterator<Item = &ResolvedAgent> {
    let agents = chain.stages.iter().flat_map(|stage| &stage.agents).chain(&chain.chat);
    agents.flat_map(ResolvedAgent::with_sub_agents)
}
