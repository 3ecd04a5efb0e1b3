//! Lists of tools as they were offered to models.

use sqlx::postgres::PgRow;
use tarsy_contracts::trace::OfferedTool;

use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::error::Error;

/// A tool from the columns of `tool_definitions`.
pub(crate) fn offered_tool(row: &PgRow) -> Result<OfferedTool, Error> {
    let cells = Cells::new(row, "tool_definitions");
    let schema = cells.text("input_schema")?;
    Ok(OfferedTool {
        server: cells.text("server_name")?,
        name: cells.text("tool_name")?,
        description: cells.text("description")?,
        input_schema: serde_json::from_str(&schema)
            .map_err(|_| Error::Inconsistent { table: "tool_definitions" })?,
        read_only: cells.get("read_only")?,
        idempotent: cells.get("idempotent")?,
    })
}

impl Store {
    /// The tools of a list, in order; empty without a list.
    #[tracing::instrument(name = "db.tool_set.list", skip_all)]
    pub(crate) async fn list_tool_set(
        &self,
        digest: Option<&str>,
    ) -> Result<Vec<OfferedTool>, Error> {
        let Some(digest) = digest else { return Ok(Vec::new()) };
        sqlx::query(
            "select d.server_name, d.tool_name, d.description, d.input_schema, d.read_only, d.idempotent
             from tool_sets s
             cross join unnest(s.definitions) with ordinality as m (digest, place)
             join tool_definitions d on d.digest = m.digest
             where s.digest = $1 order by m.place",
        )
        .bind(digest)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(offered_tool)
        .collect()
    }
}
