//! Backups: every row out of one snapshot, and back into an empty database in one transaction.
//!
//! Rows travel in PostgreSQL's text format of `COPY`, which does not depend on the server's version. The schema does not
//! travel: the program has every migration, and a backup names those that its database had.

mod restore;
mod schema;
mod snapshot;

use std::future::Future;
use std::io;
use std::time::Duration;

use serde::{Deserialize, Serialize};
use tokio::time::timeout;

use crate::error::Error;

pub use restore::{Restore, RestoreError, RestoreTarget, TableWriter};
pub use snapshot::Snapshot;

/// The most time that one statement may take, such as the rows of the largest table, or the check of its foreign keys: a little
/// longer than the server gives it.
const STATEMENT_DEADLINE: Duration = Duration::from_mins(6 * 60 + 1);
/// The most time between two parts of a table's rows. A server that reads deleted rows sends nothing for a while.
const PART_DEADLINE: Duration = Duration::from_mins(10);
/// The most time to connect.
const DIAL_DEADLINE: Duration = Duration::from_secs(10);

/// What every connection asks of the server. A slow disk on our side may hold up the rows for minutes.
const SERVER_SETTINGS: [(&str, &str); 7] = [
    ("statement_timeout", "6h"),
    ("lock_timeout", "30s"),
    ("idle_in_transaction_session_timeout", "15min"),
    ("tcp_keepalives_idle", "10"),
    ("tcp_keepalives_interval", "5"),
    ("tcp_keepalives_count", "12"),
    ("tcp_user_timeout", "10min"),
];

/// Not in a backup: people sign in again, and no session of a browser that was ended since comes back.
const LEFT_OUT: [&str; 1] = ["sign_ins"];

/// A table of a backup, and its columns that are not computed.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct TableColumns {
    pub name: String,
    pub columns: Vec<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct AppliedMigration {
    pub version: i64,
    /// Of its statements, in hexadecimal digits.
    pub checksum: String,
}

/// The last number that an identity column gave.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct IdentityValue {
    pub table: String,
    pub column: String,
    pub value: i64,
}

impl TableColumns {
    /// The start of a `COPY` of these columns.
    fn copy(&self) -> String {
        let columns: Vec<String> = self.columns.iter().map(|one| quoted(one)).collect();
        format!("copy {} ({})", quoted(&self.name), columns.join(", "))
    }
}

/// A name as an identifier of SQL.
fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}

/// Waits for an answer of the server.
async fn within<T>(
    limit: Duration,
    answer: impl Future<Output = Result<T, sqlx::Error>>,
) -> Result<T, Error> {
    match timeout(limit, answer).await {
        Ok(answered) => answered.map_err(Error::from),
        Err(_) => Err(no_answer()),
    }
}

fn no_answer() -> Error {
    sqlx::Error::Io(io::Error::new(io::ErrorKind::TimedOut, "no answer in time")).into()
}
