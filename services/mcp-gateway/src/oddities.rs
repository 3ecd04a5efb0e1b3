//! What is odd about the tool lists of servers: told to operators, for a tool that is left out is
//! missed by nobody else.

use std::collections::BTreeMap;

use tarsy_contracts::status::Warning;
use tarsy_contracts::topology;
use tokio::sync::watch;
use tokio::time::timeout;

use crate::health;
use crate::hub::Hub;
use crate::limits;

/// What a warning of this kind is called.
pub(crate) const CATEGORY: &str = "mcp_tools";

/// What was found odd, by server.
#[derive(Clone, Debug, Default)]
pub(crate) struct Oddities(watch::Sender<BTreeMap<String, Vec<String>>>);

impl Oddities {
    /// Notes what a server's last list was like.
    pub(crate) fn note(&self, server: &str, odd: Vec<String>) {
        self.0.send_if_modified(|known| {
            let changes = known.get(server) != Some(&odd);
            if changes {
                known.insert(server.to_owned(), odd);
            }
            changes
        });
    }
}

/// Raises and clears warnings as lists change.
pub(crate) async fn tell(hub: Hub) {
    let mut noted = hub.around.oddities.0.subscribe();
    let mut told: BTreeMap<String, Vec<String>> = BTreeMap::new();
    loop {
        let now = noted.borrow_and_update().clone();
        for (server, odd) in now {
            if told.get(&server) != Some(&odd) {
                write(&hub, &server, &odd).await;
                told.insert(server, odd);
            }
        }
        tokio::select! {
            changed = noted.changed() => if changed.is_err() { return },
            () = hub.over.cancelled() => return,
        }
    }
}

async fn write(hub: &Hub, server: &str, odd: &[String]) {
    let id = format!("{CATEGORY}.{}", health::key(server));
    let warnings = hub.bus.kv(&topology::WARNINGS);
    let writing = async {
        if odd.is_empty() {
            return warnings.delete(&id).await;
        }
        let told = match hub.kits.get(server) {
            Some(kit) => kit.masks.mask(odd.join("; ")).await.text,
            None => return Ok(()),
        };
        let warning = Warning {
            id: id.clone(),
            category: CATEGORY.to_owned(),
            message: format!("Some tools of the MCP server '{server}' cannot be used."),
            details: crate::content::cut(told, limits::REASON_BYTES),
            server_id: Some(server.to_owned()),
            created_at: hub.clock.now(),
        };
        warnings.put(&id, &warning).await
    };
    match timeout(limits::WARNING, writing).await {
        Ok(Ok(())) => {}
        Ok(Err(error)) => tracing::debug!(mcp.server = server, %error, "could not write a warning"),
        Err(_) => tracing::debug!(mcp.server = server, "writing a warning takes too long"),
    }
}
