//! Lists of tools as they were offered to models: each definition and each list is stored once.

use std::collections::{BTreeMap, HashSet};
use std::sync::{Arc, Mutex, PoisonError};

use serde_json::json;
use tarsy_contracts::trace::OfferedTool;

use crate::access::secret::hex_hash;
use crate::database::pool::Connection;
use crate::error::Error;

/// The digests of the lists of a batch.
pub(crate) struct ToolSets<'a>(Vec<(&'a [OfferedTool], String)>);

impl ToolSets<'_> {
    /// The digest of a list; none if it is empty.
    pub(crate) fn digest(&self, tools: &[OfferedTool]) -> Option<&str> {
        self.0.iter().find(|(list, _)| *list == tools).map(|(_, digest)| digest.as_str())
    }
}

/// Digests of lists that are stored: nothing deletes them. Cheap to clone.
#[derive(Clone, Debug, Default)]
pub(crate) struct StoredSets(Arc<Mutex<HashSet<String>>>);

impl StoredSets {
    /// The most that are remembered; an installation has some for each agent and version of its servers.
    const MOST: usize = 4_096;

    /// The digests of these lists, if all are known to be stored.
    pub(crate) fn find<'a>(
        &self,
        lists: impl Iterator<Item = &'a [OfferedTool]>,
    ) -> Option<ToolSets<'a>> {
        let sets =
            lists.filter(|list| !list.is_empty()).map(|list| (list, digest(&definitions(list))));
        let sets = ToolSets(sets.collect());
        let known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        sets.0.iter().all(|(_, digest)| known.contains(digest)).then_some(sets)
    }

    /// Remembers lists whose transaction is committed.
    pub(crate) fn add<'a>(&self, lists: impl Iterator<Item = &'a [OfferedTool]>) {
        let mut known = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        for list in lists.filter(|list| !list.is_empty()) {
            if known.len() >= Self::MOST {
                known.clear();
            }
            known.insert(digest(&definitions(list)));
        }
    }
}

/// Stores the lists that are not stored yet, and their definitions.
pub(crate) async fn insert<'a>(
    tx: &mut Connection,
    lists: impl Iterator<Item = &'a [OfferedTool]>,
) -> Result<ToolSets<'a>, Error> {
    let (mut sets, mut members) = (Vec::new(), BTreeMap::new());
    for list in lists.filter(|list| !list.is_empty()) {
        let definitions = definitions(list);
        let digest = digest(&definitions);
        sets.push((list, digest.clone()));
        members.insert(digest, (list, definitions));
    }
    // All lists before all definitions, each by digest: two batches never wait for each other.
    let mut missing = BTreeMap::new();
    for (digest, (list, definitions)) in members {
        let done = sqlx::query(
            "insert into tool_sets (digest, definitions) values ($1, $2) on conflict do nothing",
        )
        .bind(&digest)
        .bind(&definitions)
        .execute(&mut *tx)
        .await?;
        if done.rows_affected() == 1 {
            missing.extend(definitions.into_iter().zip(list));
        }
    }
    if !missing.is_empty() {
        insert_definitions(tx, &missing).await?;
    }
    Ok(ToolSets(sets))
}

async fn insert_definitions(
    tx: &mut Connection,
    missing: &BTreeMap<String, &OfferedTool>,
) -> Result<(), Error> {
    fn column<'a, T>(
        rows: &BTreeMap<String, &'a OfferedTool>,
        cell: impl Fn(&'a OfferedTool) -> T,
    ) -> Vec<T> {
        rows.values().map(|tool| cell(tool)).collect()
    }
    sqlx::query(
        "insert into tool_definitions
            (digest, server_name, tool_name, description, input_schema, read_only, idempotent)
         select * from unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bool[], $7::bool[])
         on conflict do nothing",
    )
    .bind(missing.keys().collect::<Vec<_>>())
    .bind(column(missing, |tool| tool.server.as_str()))
    .bind(column(missing, |tool| tool.name.as_str()))
    .bind(column(missing, |tool| tool.description.as_str()))
    .bind(column(missing, |tool| tool.input_schema.to_string()))
    .bind(column(missing, |tool| tool.read_only))
    .bind(column(missing, |tool| tool.idempotent))
    .execute(tx)
    .await?;
    Ok(())
}

fn definitions(list: &[OfferedTool]) -> Vec<String> {
    list.iter().map(definition).collect()
}

/// The digest of a list, of those of its definitions.
fn digest(definitions: &[String]) -> String {
    hex_hash(&definitions.join("\n"))
}

/// The digest of a definition; the order of the schema's keys counts, because the model reads it.
fn definition(tool: &OfferedTool) -> String {
    let OfferedTool { server, name, description, input_schema, read_only, idempotent } = tool;
    let parts = json!([server, name, description, input_schema, read_only, idempotent]);
    hex_hash(&parts.to_string())
}
