//! What an alert may request of its chain, and whether the chain can do it.

use serde::{Deserialize, Serialize};

use crate::catalog::Catalog;
use crate::chain::Chain;
use crate::provider::NativeTool;
use crate::resolve_error::ResolveError;
use crate::resolved::{ResolvedAgent, ResolvedChain};
use crate::resolver::Resolver;
use crate::selection::{McpSelection, NativeToolsChoice, Requested};
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
    /// What an alert may request of a chain: what the chain lists, by default the tools that its own agents have and every
    /// provider.
    pub(crate) fn allowed(&self, chain: &Chain) -> Allowed {
        let own = Resolver { catalog: self, chain, requested: Requested::default() }.chain("");
        let is_on =
            |tool: &NativeTool| agents(&own).any(|agent| agent.provider.native_tools.has(*tool));
        Allowed {
            mcp_servers: chain
                .allowed_mcp_servers
                .clone()
                .unwrap_or_else(|| own.server_ids().into_iter().map(str::to_owned).collect()),
            native_tools: chain
                .allowed_native_tools
                .clone()
                .unwrap_or_else(|| NativeTool::ALL.into_iter().filter(is_on).collect()),
            providers: self.allowed_providers(chain),
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
    ) -> Result<(), ResolveError> {
        let allowed = self.allowed(chain);
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

/// Refuses what would have no effect on the chain that an alert got.
pub(crate) fn check_effect(mcp: &McpSelection, chain: &ResolvedChain) -> Result<(), ResolveError> {
    if mcp.without_servers && !mcp.servers.is_empty() {
        return Err(ResolveError::ServersAndNone);
    }
    let has_own = |agent: &ResolvedAgent| agent.provider.backend == Backend::GoogleNative;
    for tool in mcp.native_tools.into_iter().flat_map(NativeToolsChoice::turned_on) {
        let has = |agent: &ResolvedAgent| {
            let tools = agent.provider.native_tools_beside(!agent.servers.is_empty());
            has_own(agent) && tools.has(tool)
        };
        if !agents(chain).any(has) {
            let beside_servers = agents(chain).any(has_own);
            return Err(ResolveError::NativeToolWithoutEffect { tool, beside_servers });
        }
    }
    let has_any = |agent: &ResolvedAgent| has_own(agent) && !agent.provider.native_tools.is_off();
    if mcp.without_servers && !agents(chain).any(has_any) {
        return Err(ResolveError::NoToolsAtAll);
    }
    Ok(())
}

/// The agents that investigate and answer questions.
fn agents(chain: &ResolvedChain) -> impl Iterator<Item = &ResolvedAgent> {
    chain.stages.iter().flat_map(|stage| &stage.agents).chain(&chain.chat)
}
