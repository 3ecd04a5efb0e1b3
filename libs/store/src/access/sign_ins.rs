//! Who is signed in, found by the hash of the browser's cookie.

use std::time::Duration;

use jiff::Timestamp;
use sqlx::postgres::PgRow;
use uuid::Uuid;

use crate::access::secret::Digest;
use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;

/// How many rows one statement ends or deletes.
const AT_ONCE: i64 = 1_000;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewSignIn {
    /// The SHA-256 of the cookie.
    pub cookie_hash: Digest,
    pub user_name: String,
    /// The user's groups at the issuer.
    pub groups: Vec<String>,
    pub client_address: Option<String>,
    /// How long it is valid.
    pub lifetime: Duration,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SignIn {
    pub id: Uuid,
    pub user_name: String,
    pub groups: Vec<String>,
    pub client_address: Option<String>,
    pub created_at: Timestamp,
    pub expires_at: Timestamp,
    /// To the minute.
    pub last_used_at: Timestamp,
}

/// Why a sign-in ended before it expired.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SignInEnd {
    SignOut,
    /// An administrator ended it.
    Revoked,
}

impl SignInEnd {
    const fn as_str(self) -> &'static str {
        match self {
            Self::SignOut => "sign_out",
            Self::Revoked => "revoked",
        }
    }
}

macro_rules! sign_in_columns {
    () => {
        "id, user_name, groups, client_address, created_at, expires_at, last_used_at"
    };
}

fn read(row: &PgRow) -> Result<SignIn, Error> {
    let cells = Cells::new(row, "sign_ins");
    Ok(SignIn {
        id: cells.get("id")?,
        user_name: cells.text("user_name")?,
        groups: cells.get("groups")?,
        client_address: cells.maybe_text("client_address")?,
        created_at: cells.time("created_at")?,
        expires_at: cells.time("expires_at")?,
        last_used_at: cells.time("last_used_at")?,
    })
}

impl Store {
    #[tracing::instrument(name = "db.sign_in.insert", skip_all)]
    pub async fn insert_sign_in(&self, mut new: NewSignIn) -> Result<SignIn, Error> {
        encode::clean(&mut new.user_name);
        new.groups.iter_mut().for_each(encode::clean);
        let row = sqlx::query(concat!(
            "insert into sign_ins (id, cookie_hash, user_name, groups, client_address, expires_at)
             values ($1, $2, $3, $4, $5, now() + make_interval(secs => $6))
             returning ",
            sign_in_columns!()
        ))
        .bind(Uuid::now_v7())
        .bind(new.cookie_hash.as_slice())
        .bind(&new.user_name)
        .bind(&new.groups)
        .bind(&new.client_address)
        .bind(new.lifetime.as_secs_f64())
        .fetch_one(&self.pool)
        .await?;
        read(&row)
    }

    /// The sign-in with this hash, unless it ended or expired; notes that it was used.
    #[tracing::instrument(name = "db.sign_in.find", skip_all)]
    pub async fn use_sign_in(&self, hash: &Digest) -> Result<Option<SignIn>, Error> {
        let row = sqlx::query(concat!(
            "select ",
            sign_in_columns!(),
            " from sign_ins where cookie_hash = $1 and ended_at is null and expires_at > now()"
        ))
        .bind(hash.as_slice())
        .fetch_optional(&self.pool)
        .await?;
        let sign_in = row.as_ref().map(read).transpose()?;
        if let Some(sign_in) = &sign_in {
            // Once a minute: every request would write the row otherwise.
            sqlx::query(
                "update sign_ins set last_used_at = now()
                 where id = $1 and last_used_at < now() - interval '1 minute'",
            )
            .bind(sign_in.id)
            .execute(&self.pool)
            .await?;
        }
        Ok(sign_in)
    }

    /// The sign-ins that are valid, the newest first.
    #[tracing::instrument(name = "db.sign_in.list", skip_all)]
    pub async fn list_sign_ins(&self, limit: i64) -> Result<Vec<SignIn>, Error> {
        sqlx::query(concat!(
            "select ",
            sign_in_columns!(),
            " from sign_ins where ended_at is null and expires_at > now() order by id desc limit $1"
        ))
        .bind(limit)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(read)
        .collect()
    }

    /// Ends a sign-in; none if no sign-in that is valid has this id.
    #[tracing::instrument(name = "db.sign_in.end", skip_all)]
    pub async fn end_sign_in(&self, id: Uuid, end: SignInEnd) -> Result<Option<SignIn>, Error> {
        let row = sqlx::query(concat!(
            "update sign_ins set ended_at = now(), end_reason = $2
             where id = $1 and ended_at is null and expires_at > now() returning ",
            sign_in_columns!()
        ))
        .bind(id)
        .bind(end.as_str())
        .fetch_optional(&self.pool)
        .await?;
        row.as_ref().map(read).transpose()
    }

    /// Marks a bounded number of expired sign-ins as ended and returns them; each is returned once.
    #[tracing::instrument(name = "db.sign_in.end_expired", skip_all)]
    pub async fn end_expired_sign_ins(&self) -> Result<Vec<SignIn>, Error> {
        sqlx::query(concat!(
            "update sign_ins set ended_at = now(), end_reason = 'expired'
             where id in (
                select id from sign_ins where ended_at is null and expires_at <= now()
                order by expires_at limit $1 for update skip locked)
             returning ",
            sign_in_columns!()
        ))
        .bind(AT_ONCE)
        .fetch_all(&self.pool)
        .await?
        .iter()
        .map(read)
        .collect()
    }
}
