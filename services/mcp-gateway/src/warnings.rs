//! The warnings that operators see about MCP servers, in the bucket `tarsy_warnings`.

use std::collections::BTreeMap;
use std::sync::Arc;

use tarsy_bus::{Bus, Error};
use tarsy_contracts::status::Warning;
use tarsy_contracts::topology;
use tarsy_domain::clock::Clock;
use tokio::time::timeout;
use tokio_util::sync::CancellationToken;

use crate::limits;
use crate::servers::Servers;
use crate::text::truncate;

/// Whether a server can be used at all, or lists tools that cannot be used.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Category {
    Health,
    Tools,
}

impl Category {
    const fn name(self) -> &'static str {
        match self {
            Self::Health => "mcp_health",
            Self::Tools => "mcp_tools",
        }
    }

    fn message(self, server: &str) -> String {
        match self {
            Self::Health => format!("The MCP server '{server}' cannot be used."),
            Self::Tools => format!("Some tools of the MCP server '{server}' cannot be used."),
        }
    }
}

/// Writes and deletes warnings.
#[derive(Clone)]
pub(crate) struct Warnings {
    pub(crate) bus: Bus,
    pub(crate) clock: Arc<dyn Clock>,
}

impl Warnings {
    /// Writes a warning; one that exists keeps its time of creation.
    pub(crate) async fn raise(
        &self,
        category: Category,
        server: &str,
        details: String,
    ) -> Result<(), Error> {
        let (id, warnings) = (warning_id(category, server), self.bus.kv(&topology::WARNINGS));
        let existing: Option<Warning> = warnings.get(&id).await?;
        let created_at = existing.map_or_else(|| self.clock.now(), |warning| warning.created_at);
        let warning = Warning {
            id: id.clone(),
            category: category.name().to_owned(),
            message: category.message(server),
            details,
            server_id: Some(server.to_owned()),
            created_at,
        };
        warnings.put(&id, &warning).await
    }

    /// Deletes a warning if there is one.
    pub(crate) async fn clear(&self, category: Category, server: &str) -> Result<(), Error> {
        let (id, warnings) = (warning_id(category, server), self.bus.kv(&topology::WARNINGS));
        match warnings.get::<Warning>(&id).await? {
            Some(_) => warnings.delete(&id).await,
            None => Ok(()),
        }
    }

    /// Publishes the warnings about tool lists as they change, until `stop`.
    pub(crate) async fn publish_tool_warnings(
        self,
        servers: Arc<Servers>,
        stop: CancellationToken,
    ) {
        let mut current = servers.context().tool_warnings.subscribe();
        let mut published: BTreeMap<String, Vec<String>> = BTreeMap::new();
        loop {
            let latest = current.borrow_and_update().clone();
            for (server, warnings) in latest {
                if published.get(&server) != Some(&warnings) {
                    self.publish_for(&servers, &server, &warnings).await;
                    published.insert(server, warnings);
                }
            }
            tokio::select! {
                changed = current.changed() => if changed.is_err() { return },
                () = stop.cancelled() => return,
            }
        }
    }

    async fn publish_for(&self, servers: &Servers, server: &str, warnings: &[String]) {
        let Some(runtime) = servers.get(server) else { return };
        let writing = async {
            if warnings.is_empty() {
                return self.clear(Category::Tools, server).await;
            }
            let details = runtime.masks.mask(warnings.join("; ")).await.text;
            self.raise(Category::Tools, server, truncate(details, limits::REASON_BYTES)).await
        };
        match timeout(limits::WARNING, writing).await {
            Ok(Ok(())) => {}
            Ok(Err(error)) => {
                tracing::debug!(mcp.server = server, %error, "could not write a warning");
            }
            Err(_) => tracing::debug!(mcp.server = server, "writing a warning takes too long"),
        }
    }
}

fn warning_id(category: Category, server: &str) -> String {
    format!("{}.{}", category.name(), bucket_key(server))
}

/// A server's id as a key of a bucket: characters that keys may not contain become `_`.
pub(crate) fn bucket_key(server: &str) -> String {
    let allowed = |letter: char| letter.is_ascii_alphanumeric() || "-_=".contains(letter);
    server.chars().map(|letter| if allowed(letter) { letter } else { '_' }).collect()
}

#[cfg(test)]
mod tests {
    use super::bucket_key;

    #[test]
    fn every_server_id_becomes_a_valid_bucket_key() {
        assert_eq!(bucket_key("kubernetes-server"), "kubernetes-server");
        assert_eq!(bucket_key("my server.1"), "my_server_1");
    }
}
