//! Idempotency keys: the same request of the same principal has one session.

use tarsy_contracts::work::IdempotencyKey;
use tarsy_domain::id::SessionId;

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::error::Error;

/// What an idempotency key was used for before.
pub(crate) enum KeyUse {
    /// Nothing within 24 hours; it is taken now.
    New,
    /// The same request, which has this session.
    Same(SessionId),
    /// Another request.
    Other,
}

/// Takes an idempotency key for a session unless it is taken. The primary key decides, also
/// between two requests at once: the second waits for the first.
pub(crate) async fn take_key(
    connection: &mut Connection,
    key: &IdempotencyKey,
    session: SessionId,
) -> Result<KeyUse, Error> {
    let taken = sqlx::query(
        "insert into idempotency_keys as k (principal, key, request_hash, session_id)
         values ($1, $2, $3, $4)
         on conflict (principal, key) do update set session_id = excluded.session_id,
            request_hash = excluded.request_hash, created_at = now()
         where k.created_at < now() - interval '24 hours'",
    )
    .bind(&key.principal)
    .bind(&key.key)
    .bind(&key.request_hash)
    .bind(session.uuid())
    .execute(&mut *connection)
    .await?;
    if taken.rows_affected() == 1 {
        return Ok(KeyUse::New);
    }
    let row = sqlx::query(
        "select session_id, request_hash = $3 as same from idempotency_keys
         where principal = $1 and key = $2",
    )
    .bind(&key.principal)
    .bind(&key.key)
    .bind(&key.request_hash)
    .fetch_one(connection)
    .await?;
    let cells = Cells::new(&row, "idempotency_keys");
    Ok(if cells.get("same")? { KeyUse::Same(cells.id("session_id")?) } else { KeyUse::Other })
}
