//! From the type of an alert to the chain that its session runs.

use tarsy_domain::suggest::nearest;

use crate::allowed::check_effect;
use crate::catalog::Catalog;
use crate::report::advice;
use crate::resolve_error::ResolveError;
use crate::resolved::ResolvedChain;
use crate::resolver::Resolver;
use crate::selection::{McpSelection, Requested};

impl Catalog {
    /// The chain that an alert of this type runs, with the tools that a source requests.
    ///
    /// Without a type, the default alert type holds.
    pub fn resolve_chain(
        &self,
        alert_type: Option<&str>,
        mcp: Option<&McpSelection>,
    ) -> Result<ResolvedChain, ResolveError> {
        self.resolve_requested(alert_type, Requested { mcp, ..Requested::default() })
    }

    /// The same, with all that an alert may request.
    pub fn resolve_requested(
        &self,
        alert_type: Option<&str>,
        requested: Requested<'_>,
    ) -> Result<ResolvedChain, ResolveError> {
        let alert_type = alert_type.unwrap_or(&self.defaults.alert_type);
        let chain = self
            .by_alert_type
            .get(alert_type)
            .and_then(|id| self.chains.get(id))
            .ok_or_else(|| self.unknown_alert_type(alert_type))?;
        if let Some(provider) = requested.provider {
            self.check_provider(chain, provider)?;
        }
        if let Some(mcp) = requested.mcp {
            self.check_selection(mcp)?;
            self.check_allowed(chain, mcp, requested.sender)?;
        }
        let resolved = Resolver { catalog: self, chain, requested }.chain(alert_type);
        if let Some(mcp) = requested.mcp {
            check_effect(mcp, &resolved)?;
        }
        let unpriced = resolved.providers().find(|one| !one.has_price());
        if let (Some(name), Some(one), true) =
            (requested.provider, unpriced, resolved.budget.cost_usd.is_some())
            && one.name == name
        {
            return Err(ResolveError::ProviderUnpriced { name: name.to_owned() });
        }
        Ok(resolved)
    }

    fn unknown_alert_type(&self, alert_type: &str) -> ResolveError {
        ResolveError::UnknownAlertType {
            alert_type: alert_type.to_owned(),
            suggestion: both(alert_type, self.by_alert_type.keys().map(String::as_str)),
        }
    }

    fn check_selection(&self, mcp: &McpSelection) -> Result<(), ResolveError> {
        for (index, server) in mcp.servers.iter().enumerate() {
            let name = server.name.clone();
            if !self.servers.contains_key(&name) {
                let suggestion = both(&name, self.servers.keys().map(String::as_str));
                return Err(ResolveError::UnknownServer { index, name, suggestion });
            }
            if mcp.servers.iter().take(index).any(|earlier| earlier.name == name) {
                return Err(ResolveError::RepeatedServer { index, name });
            }
            let Some(tools) = &server.tools else { continue };
            if let Some(tool) = tools.iter().position(|tool| tool.trim().is_empty()) {
                return Err(ResolveError::BlankTool { index, tool });
            }
        }
        Ok(())
    }
}

/// The nearest name together with all of them.
fn both<'a>(written: &str, known: impl Iterator<Item = &'a str> + Clone) -> Option<String> {
    let all: Vec<&str> = known.clone().collect();
    match nearest(written, known.clone()) {
        Some(name) => Some(format!("did you mean \"{name}\"? known: {}", all.join(", "))),
        None => advice(written, known),
    }
}
