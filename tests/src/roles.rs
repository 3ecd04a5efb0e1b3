//! Agents with a role of their own: by which a played model recognizes the caller.

use crate::model::Asked;

/// Their names in the configuration of every stack; each may use the ledger.
pub const ROLES: [&str; 6] = ["Alpha", "Beta", "Gamma", "Delta", "Omega", "Chatter"];

/// YAML below `agents`.
pub(crate) fn agents() -> String {
    let agent = |name| {
        format!("  {name}: {{mcp_servers: [ledger], custom_instructions: You are {name}.}}\n")
    };
    ROLES.map(agent).concat()
}

impl Asked {
    /// The role of who asks, if it has one.
    pub fn role(&self) -> Option<&'static str> {
        ROLES.into_iter().find(|name| self.system.contains(&format!("You are {name}.")))
    }
}
