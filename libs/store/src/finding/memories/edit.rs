//! What people change of memories.

use tarsy_contracts::memory::Memory;
use tarsy_domain::id::MemoryId;
use tarsy_domain::memory::MemoryState;

use crate::database::store::Store;
use crate::encode;
use crate::error::Error;
use crate::finding::memories::list;

/// A person's change.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MemoryEdit {
    pub id: MemoryId,
    pub editor: String,
    /// As [`fit`](crate::fit_memory) returns it.
    pub text: Option<String>,
    pub state: Option<MemoryState>,
}

impl Store {
    /// Changes the text of a memory, or whether it is given to investigations; none if there is no such
    /// memory.
    #[tracing::instrument(name = "db.memory.edit", skip_all)]
    pub async fn edit_memory(&self, mut edit: MemoryEdit) -> Result<Option<Memory>, Error> {
        encode::clean(&mut edit.editor);
        encode::clean_maybe(&mut edit.text);
        let mut connection = self.pool.acquire().await?;
        sqlx::query(
            "update memories set text = coalesce($2, text), decided_state = coalesce($3, decided_state), edited_by = $4,
                edited_at = now()
             where id = $1",
        )
        .bind(edit.id.uuid())
        .bind(&edit.text)
        .bind(edit.state.map(MemoryState::as_str))
        .bind(&edit.editor)
        .execute(&mut connection)
        .await?;
        list::find(&mut connection, edit.id).await
    }

    /// Deletes a memory for good; whether there was one.
    #[tracing::instrument(name = "db.memory.delete", skip_all)]
    pub async fn delete_memory(&self, id: MemoryId) -> Result<bool, Error> {
        let deleted = sqlx::query("delete from memories where id = $1")
            .bind(id.uuid())
            .execute(&self.pool)
            .await?;
        Ok(deleted.rows_affected() > 0)
    }
}
