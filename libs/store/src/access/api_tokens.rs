//! API tokens, found by the hash of their text.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::postgres::PgRow;
use tarsy_domain::access::Grant;
use uuid::Uuid;

use crate::access::secret::Digest;
use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode;
use crate::error::{Conflict, Error};

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewApiToken {
    /// Unique among the tokens that are not revoked.
    pub name: String,
    /// The SHA-256 of the token.
    pub hash: Digest,
    pub grant: Grant,
    pub created_by: String,
    /// How long it is valid.
    pub lifetime: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ApiToken {
    pub id: Uuid,
    pub name: String,
    pub grant: Grant,
    pub created_by: String,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// To the minute.
    pub last_used_at: Option<Timestamp>,
}

macro_rules! token_columns {
    () => {
        "id, name, role, alert_types, created_by, created_at, expires_at, last_used_at"
    };
}

fn read(row: &PgRow) -> Result<ApiToken, Error> {
    let cells = Cells::new(row, "api_tokens");
    let grant = match (cells.maybe_word("role")?, cells.get("alert_types")?) {
        (Some(role), _) => Grant::Role(role),
        (None, Some(alert_types)) => Grant::Source { alert_types },
        (None, None) => return Err(Error::Inconsistent { table: "api_tokens" }),
    };
    Ok(ApiToken {
        id: cells.get("id")?,
        name: cells.text("name")?,
        grant,
        created_by: cells.text("created_by")?,
        created_at: cells.time("created_at")?,
        expires_at: cells.time("expires_at")?,
        last_used_at: cells.maybe_time("last_used_at")?,
    })
}

impl Store {
    /// Stores a token. [`Conflict::Exists`] if a token that is not revoked has its name.
    #[tracing::instrument(name = "db.api_token.insert", skip_all)]
    pub async fn insert_api_token(&self, mut new: NewApiToken) -> Result<ApiToken, Error> {
        encode::clean(&mut new.name);
        encode::clean(&mut new.created_by);
        let (role, alert_types) = match &new.grant {
            Grant::Role(role) => (Some(role.as_str()), None),
            Grant::Source { alert_types } => (None, Some(alert_types.as_slice())),
        };
        let row = sqlx::query(concat!(
            "insert into api_tokens (id, name, token_hash, role, alert_types, created_by, expires_at)
             values ($1, $2, $3, $4, $5, $6, now() + make_interval(secs => $7))
             on conflict (name) where revoked_at is null do nothing
             returning ",
            token_columns!()
        ))
        .bind(Uuid::now_v7())
        .bind(&new.name)
        .bind(new.hash.as_slice())
        .bind(role)
        .bind(alert_types)
        .bind(&new.created_by)
        .bind(new.lifetime.as_secs_f64())
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(read).transpose()?.ok_or_else(|| {
            Error::Conflict(Conflict::Exists { constraint: "api_tokens_name".to_owned() })
        })
    }

    /// The token with this hash, unless it is revoked or expired; notes that it was used.
    #[tracing::instrument(name = "db.api_token.find", skip_all)]
    pub async fn use_api_token(&self, hash: &Digest) -> Result<Option<ApiToken>, Error> {
        let row = sqlx::query(concat!(
            "select ",
            token_columns!(),
            " from api_tokens where token_hash = $1 and revoked_at is null and expires_at > now()"
        ))
        .bind(hash.as_slice())
        .fetch_optional(&self.pool)
        .await?;
        let token = row.as_ref().map(read).transpose()?;
        if let Some(token) = &token {
            // Once a minute: every request would write the row otherwise.
            sqlx::query(
                "update api_tokens set last_used_at = now()
                 where id = $1
                   and (last_used_at is null or last_used_at < now() - interval '1 minute')",
            )
            .bind(token.id)
            .execute(&self.pool)
            .await?;
        }
        Ok(token)
    }

    /// The tokens that are not revoked, by name.
    #[tracing::instrument(name = "db.api_token.list", skip_all)]
    pub async fn list_api_tokens(&self, limit: i64) -> Result<Vec<ApiToken>, Error> {
        sqlx::query(concat!(
            "select ",
            token_columns!(),
            " from api_tokens where revoked_at is null order by name limit $1"
        ))
        .bind(limit)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(read)
        .collect()
    }

    /// Revokes a token; none if no token that is valid has this id.
    #[tracing::instrument(name = "db.api_token.revoke", skip_all)]
    pub async fn revoke_api_token(&self, id: Uuid) -> Result<Option<ApiToken>, Error> {
        let row = sqlx::query(concat!(
            "update api_tokens set revoked_at = now() where id = $1 and revoked_at is null returning ",
            token_columns!()
        ))
        .bind(id)
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(read).transpose()
    }
}
