//! Errors of the database, with texts that are safe to show.

use sqlx::migrate::MigrateError;
use tarsy_domain::code::{Code, Coded};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::IllegalTransition;
use tarsy_outbound::{Obstacle, obstacle};
use thiserror::Error;

/// How often a transaction that lost against another one is tried again.
pub(crate) const RETRIES: u8 = 5;

/// Runs an attempt again while it only lost against a concurrent transaction; bounded.
macro_rules! retrying {
    ($attempt:expr) => {{
        let mut left = $crate::error::RETRIES;
        loop {
            match $attempt.await {
                Err(error) if left > 0 && error.lost_a_race() => left -= 1,
                done => break done,
            }
        }
    }};
}

/// Why the store could not do what it was asked. The text never holds SQL or data.
#[derive(Debug, Error)]
pub enum Error {
    /// The lease has passed to another owner; nothing was written and the caller must stop.
    #[error("session {session} has another owner now")]
    Fenced { session: SessionId },
    /// What was named does not exist.
    #[error("there is no such {what}")]
    NotFound { what: &'static str },
    /// The request conflicts with the stored state; nothing was written.
    #[error(transparent)]
    Conflict(#[from] Conflict),
    /// The database cannot be reached or has no free connection; the same request may succeed later.
    #[error("the database cannot be reached{}", encryption(.0))]
    Unavailable(#[source] sqlx::Error),
    /// The answer to a commit was lost: the transaction may have been committed.
    #[error("the database did not confirm a commit")]
    Uncertain(#[source] sqlx::Error),
    /// The database has another schema than this program.
    #[error(
        "the database has schema {found} and this program needs {expected}; run `tarsy migrate`"
    )]
    Schema {
        /// The newest migration that the database has; 0 for none.
        found: i64,
        /// The newest migration that this program knows.
        expected: i64,
    },
    /// A version before 0.1.0 made the database, by migrations that no program has any more; nothing was changed.
    #[error(
        "a version of TARSy before 0.1.0 made this database, and it was left as it is; write its rows into a file with \
         that version (`tarsy backup FILE`), and restore them into an empty database with this one (`tarsy restore FILE`): \
         docs/install/upkeep.md#from-before-010"
    )]
    BeforeBaseline,
    /// A migration was applied in another form than this program knows, or not to its end.
    #[error(
        "migration {version} of the database is not the one that this program knows; run the \
         version of TARSy that made it, or restore the database"
    )]
    Foreign {
        /// The number of the first such migration.
        version: i64,
    },
    /// The database cannot hold every text: it was created in another encoding than UTF8.
    #[error(
        "the database has the encoding {found} and TARSY needs UTF8; create another one, for example with \
         `create database tarsy template template0 encoding 'UTF8'`"
    )]
    Encoding {
        /// The name of the encoding.
        found: String,
    },
    /// Between this program and the server stands a pooler that does not keep connections as they are.
    #[error(
        "PostgreSQL is behind a pooler that {fault}; connect to PostgreSQL itself, or set the pooler up as \
         docs/operating.md#poolers says"
    )]
    Pooler { fault: &'static str },
    /// The migrations could not be applied.
    #[error("the migrations could not be applied")]
    Migrate(#[source] MigrateError),
    /// A row holds a value that this program does not know.
    #[error("table {table} holds a value that this program does not know")]
    Inconsistent { table: &'static str },
    /// An event could not be written as JSON.
    #[error("an event could not be encoded")]
    Encode(#[source] serde_json::Error),
    /// The database refused a statement.
    #[error("the database refused the statement")]
    Database(#[source] sqlx::Error),
}

/// What is wrong with the certificate of the server, and what to do.
fn encryption(error: &sqlx::Error) -> String {
    let found = obstacle(error)
        .filter(|found| found.is_of_certificate() || *found == Obstacle::ClientCertificate);
    let explained = found.map(|found| found.explain("sslrootcert of its URL"));
    explained.map_or_else(String::new, |text| format!(": {text}"))
}

/// How a request conflicts with the stored state.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Conflict {
    /// The state machine does not allow the transition.
    #[error(transparent)]
    Transition(#[from] IllegalTransition),
    /// It is not open any more, or never was.
    #[error("the {what} is not open")]
    NotOpen {
        /// What should have been open.
        what: &'static str,
    },
    /// As many sessions wait for a worker as may wait.
    #[error("too many sessions wait for a worker")]
    QueueFull,
    /// It is written already. A retry after a lost connection sees this when its first attempt had
    /// been committed.
    #[error("it is written already")]
    Exists {
        /// The constraint that says so.
        constraint: String,
    },
}

impl Error {
    /// Whether the lease has passed to another owner.
    pub const fn is_fenced(&self) -> bool {
        matches!(self, Self::Fenced { .. })
    }

    /// Whether waiting and asking again can help.
    pub const fn is_unavailable(&self) -> bool {
        matches!(self, Self::Unavailable(_) | Self::Uncertain(_))
    }

    /// Whether what was asked for may have been done in spite of this error.
    pub const fn may_be_committed(&self) -> bool {
        matches!(self, Self::Uncertain(_))
    }

    /// The error of a statement that is a transaction of its own: once it was sent, a lost answer leaves unknown whether it
    /// was committed.
    pub(crate) fn unconfirmed(self) -> Self {
        match self {
            Self::Unavailable(lost @ (sqlx::Error::Io(_) | sqlx::Error::Tls(_))) => {
                Self::Uncertain(lost)
            }
            other => other,
        }
    }

    /// Whether the database refused a statement, of which nothing is written then.
    pub(crate) fn is_refusal(&self) -> bool {
        matches!(self, Self::Conflict(_) | Self::Database(sqlx::Error::Database(_)))
    }

    /// Whether a concurrent transaction won and the same attempt can be made at once.
    pub(crate) fn lost_a_race(&self) -> bool {
        match self {
            Self::Database(sqlx::Error::Database(error)) => {
                matches!(error.code().as_deref(), Some("40001" | "40P01"))
            }
            _ => false,
        }
    }
}

impl Coded for Error {
    fn code(&self) -> Code {
        match self {
            Self::Fenced { .. } | Self::Conflict(_) => Code::Conflict,
            Self::NotFound { .. } => Code::NotFound,
            Self::Unavailable(_)
            | Self::Uncertain(_)
            | Self::Schema { .. }
            | Self::Encoding { .. }
            | Self::Pooler { .. }
            | Self::BeforeBaseline
            | Self::Foreign { .. } => Code::Unavailable,
            Self::Migrate(_) | Self::Inconsistent { .. } | Self::Encode(_) | Self::Database(_) => {
                Code::Internal
            }
        }
    }
}

impl From<sqlx::Error> for Error {
    fn from(error: sqlx::Error) -> Self {
        match &error {
            sqlx::Error::Io(_)
            | sqlx::Error::Tls(_)
            | sqlx::Error::PoolTimedOut
            | sqlx::Error::PoolClosed
            | sqlx::Error::WorkerCrashed
            | sqlx::Error::BeginFailed => Self::Unavailable(error),
            sqlx::Error::Database(database) => {
                if database.code().is_some_and(|code| is_outage(&code)) {
                    return Self::Unavailable(error);
                }
                if database.code().is_some_and(|code| SHARED_STATEMENTS.contains(&&*code)) {
                    let fault = "gives one connection to several clients, whose prepared statements get mixed up";
                    return Self::Pooler { fault };
                }
                if database.is_unique_violation() {
                    let constraint = database.constraint().unwrap_or_default().to_owned();
                    return Conflict::Exists { constraint }.into();
                }
                Self::Database(error)
            }
            _ => Self::Database(error),
        }
    }
}

/// The SQLSTATEs of a prepared statement that another client made, or that was made on another connection. A connection of
/// one client never has them.
const SHARED_STATEMENTS: [&str; 2] = ["42P05", "26000"];

/// Whether an SQLSTATE means that the server, not the statement, failed: connection failures,
/// no free resources, a time limit, shutting down or starting, a standby.
fn is_outage(state: &str) -> bool {
    state.starts_with("08")
        || matches!(
            state,
            "25006" | "53100" | "53200" | "53300" | "55P03" | "57014" | "57P01" | "57P02" | "57P03"
        )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_lost_connection_may_pass_by_itself() {
        let error = Error::from(sqlx::Error::PoolTimedOut);
        assert!(error.is_unavailable());
        assert!(error.code().is_transient());
        assert_eq!(error.to_string(), "the database cannot be reached");
    }

    #[test]
    fn a_server_that_restarts_is_an_outage_and_a_bad_statement_is_not() {
        assert!(is_outage("57P03"));
        assert!(is_outage("08006"));
        assert!(!is_outage("42601"));
        assert!(!is_outage("23505"));
    }
}
