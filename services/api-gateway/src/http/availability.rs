//! Which alert types can be investigated with tools, as far as is known.

use std::collections::HashMap;

use tarsy_catalog::Sender;
use tarsy_contracts::status::McpServerStatus;
use tarsy_contracts::topology;

use crate::http::system::entries;
use crate::state::AppState;

/// The last check of each tool server; nothing of those that were not checked.
pub(super) struct ServerChecks(HashMap<String, bool>);

impl ServerChecks {
    pub(super) async fn read(app: &AppState) -> Self {
        let statuses = entries::<McpServerStatus>(app, &topology::MCP_STATUS).await;
        let statuses = statuses.unwrap_or_default().into_iter();
        Self(statuses.map(|status| (status.id, status.healthy)).collect())
    }

    /// Why an alert of a type cannot be investigated with tools: none of its servers works. None if one does, or was not
    /// checked yet, or if it needs none.
    pub(super) fn problem(&self, app: &AppState, alert_type: &str) -> Option<String> {
        let servers =
            app.catalog().default_tools(Some(alert_type), Sender::Source).ok()?.mcp_servers;
        self.none_works(&servers).then(|| {
            let names = servers.join(", ");
            format!("None of its tool servers can be used ({names}). The system page says why.")
        })
    }

    fn none_works(&self, servers: &[String]) -> bool {
        let failed = |server: &String| self.0.get(server) == Some(&false);
        !servers.is_empty() && servers.iter().all(failed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_server_that_works_or_was_not_checked_is_enough() {
        let checks = [("works".to_owned(), true), ("fails".to_owned(), false)];
        let checks = ServerChecks(checks.into());
        let none_works = |servers: &[&str]| {
            checks.none_works(&servers.iter().map(|&name| name.to_owned()).collect::<Vec<_>>())
        };
        assert!(none_works(&["fails"]));
        assert!(!none_works(&["fails", "works"]));
        assert!(!none_works(&["fails", "unknown"]));
        assert!(!none_works(&[]));
    }
}
