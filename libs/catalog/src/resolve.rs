//! From the type of an alert to the chain that its session runs.

use tarsy_domain::code::{Code, Coded};
use tarsy_domain::suggest::nearest;

use crate::catalog::Catalog;
use crate::report::advice;
use crate::resolved::ResolvedChain;
use crate::resolver::Resolver;
use crate::selection::McpSelection;

/// Why an alert cannot be given a chain; the text names the field and the fix.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ResolveError {
    /// No chain serves the alert's type.
    #[error("alert_type: unknown alert type \"{alert_type}\"{}", hint(.suggestion.as_deref()))]
    UnknownAlertType {
        /// The type as it was written.
        alert_type: String,
        /// The nearest known type, or all of them.
        suggestion: Option<String>,
    },
    /// The alert names a server that does not exist.
    #[error("mcp.servers[{index}].name: unknown server \"{name}\"{}", hint(.suggestion.as_deref()))]
    UnknownServer {
        /// Its place in the list.
        index: usize,
        /// The name as it was written.
        name: String,
        /// The nearest known name and all of them.
        suggestion: Option<String>,
    },
    /// The alert names a server twice.
    #[error("mcp.servers[{index}].name: server \"{name}\" is named twice; keep one of them")]
    RepeatedServer {
        /// The second place in the list.
        index: usize,
        /// The name.
        name: String,
    },
    /// A tool's name is blank.
    #[error("mcp.servers[{index}].tools[{tool}]: the name is blank; write the name of a tool")]
    BlankTool {
        /// The server's place in the list.
        index: usize,
        /// The tool's place in its list.
        tool: usize,
    },
}

impl ResolveError {
    /// The field of the alert that is wrong, as the API names it.
    pub fn field(&self) -> String {
        match self {
            Self::UnknownAlertType { .. } => "alert_type".to_owned(),
            Self::UnknownServer { index, .. } | Self::RepeatedServer { index, .. } => {
                format!("mcp.servers[{index}].name")
            }
            Self::BlankTool { index, tool } => format!("mcp.servers[{index}].tools[{tool}]"),
        }
    }
}

impl Coded for ResolveError {
    fn code(&self) -> Code {
        Code::Invalid
    }
}

fn hint(suggestion: Option<&str>) -> String {
    suggestion.map(|text| format!("; {text}")).unwrap_or_default()
}

impl Catalog {
    /// The chain that an alert of this type runs, with the tools that the alert requests.
    ///
    /// Without a type, the default alert type holds.
    pub fn resolve_chain(
        &self,
        alert_type: Option<&str>,
        mcp: Option<&McpSelection>,
    ) -> Result<ResolvedChain, ResolveError> {
        let alert_type = alert_type.unwrap_or(&self.defaults.alert_type);
        let chain = self
            .by_alert_type
            .get(alert_type)
            .and_then(|id| self.chains.get(id))
            .ok_or_else(|| self.unknown_alert_type(alert_type))?;
        if let Some(mcp) = mcp {
            self.check_selection(mcp)?;
        }
        Ok(Resolver { catalog: self, chain, mcp }.chain(alert_type))
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
