//! The tools of servers as an operator accepted them.

use std::collections::BTreeMap;

use sqlx::Row;

use crate::database::store::Store;
use crate::encode;
use crate::error::Error;

/// Definitions by the tool's name, by the server's id.
pub type AcceptedTools = BTreeMap<String, BTreeMap<String, String>>;

impl Store {
    /// Accepts the tools of a server, each with its definition; replaces what was accepted before.
    #[tracing::instrument(name = "db.accepted_tools.replace", skip_all)]
    pub async fn accept_tools(
        &self,
        server: &str,
        tools: &BTreeMap<String, String>,
        accepted_by: &str,
    ) -> Result<(), Error> {
        let mut accepted_by = accepted_by.to_owned();
        encode::clean(&mut accepted_by);
        let names: Vec<&str> = tools.keys().map(String::as_str).collect();
        let definitions: Vec<&str> = tools.values().map(String::as_str).collect();
        let mut tx = self.pool.begin().await?;
        sqlx::query("delete from accepted_tools where server_id = $1")
            .bind(server)
            .execute(&mut *tx)
            .await?;
        sqlx::query(
            "insert into accepted_tools (server_id, tool_name, definition, accepted_by)
             select $1, name, definition, $4 from unnest($2::text[], $3::text[]) as t (name, definition)",
        )
        .bind(server)
        .bind(names)
        .bind(definitions)
        .bind(&accepted_by)
        .execute(&mut *tx)
        .await?;
        tx.commit().await?;
        Ok(())
    }

    /// What was accepted of these servers; a server without an accepted list is not in it.
    #[tracing::instrument(name = "db.accepted_tools.list", skip_all)]
    pub async fn list_accepted_tools(&self, servers: &[String]) -> Result<AcceptedTools, Error> {
        let rows = sqlx::query(
            "select server_id, tool_name, definition from accepted_tools where server_id = any($1)",
        )
        .bind(servers)
        .fetch_all(&self.pool)
        .await?;
        let mut accepted = AcceptedTools::new();
        for row in rows {
            let tools = accepted.entry(row.try_get("server_id")?).or_default();
            tools.insert(row.try_get("tool_name")?, row.try_get("definition")?);
        }
        Ok(accepted)
    }
}
