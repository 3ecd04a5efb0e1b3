//! The statements that create the roles and grant them what they need.

use std::fmt::Write as _;

use sqlx::AssertSqlSafe;

use super::Grant::{Function, Tables};
use super::{DatabaseRole, ROLES};
use crate::database::store::Store;
use crate::error::Error;

/// What every service reads: whether the schema is its own.
const SCHEMA: &str = "_sqlx_migrations";
/// The key of the advisory lock of those who grant: two at once fail.
const LOCK: &str = "select pg_advisory_xact_lock(hashtext('tarsy roles'))";

/// Creates the roles that are missing; they cannot log in until an administrator lets them.
pub fn role_creation() -> String {
    let names: Vec<String> = ROLES.iter().map(|role| format!("'{}'", role.name)).collect();
    format!(
        "do $$\ndeclare wanted text;\nbegin\n    foreach wanted in array array[{}] loop\n        begin\n            \
         if not exists (select from pg_roles where rolname = wanted) then\n                \
         execute format('create role %I nologin', wanted);\n            end if;\n        \
         -- Another database of the server may be creating it, too.\n        \
         exception when duplicate_object or unique_violation then null;\n        end;\n    end loop;\nend\n$$;\n",
        names.join(", ")
    )
}

/// Takes everything from the roles, and grants them what they need.
pub fn role_grants() -> String {
    let closed = "do $$\nbegin\n    \
         execute format('revoke create on schema %I from public', current_schema());\nend\n$$;\n";
    ROLES.iter().fold(closed.to_owned(), |text, role| text + &grants(role))
}

fn grants(role: &DatabaseRole) -> String {
    let name = role.name;
    let mut text = format!(
        "-- {}\ndo $$\nbegin\n    \
         execute format('revoke all on all tables in schema %I from {name}', current_schema());\n    \
         execute format('revoke all on all functions in schema %I from {name}', current_schema());\n    \
         execute format('grant usage on schema %I to {name}', current_schema());\nend\n$$;\n\
         grant select on {SCHEMA} to {name};\n",
        role.service
    );
    for grant in role.grants {
        let _infallible = match grant {
            Tables(privileges, tables) => {
                writeln!(text, "grant {privileges} on {} to {name};", tables.join(", "))
            }
            Function(function) => {
                writeln!(text, "grant execute on function {function} to {name};")
            }
        };
    }
    text
}

pub(crate) fn names() -> Vec<&'static str> {
    ROLES.iter().map(|role| role.name).collect()
}

impl Store {
    /// Creates the roles that are missing, and grants each what its service needs. It takes an owner of the tables
    /// who may create roles.
    #[tracing::instrument(name = "db.roles.create", skip_all)]
    pub async fn create_roles(&self) -> Result<(), Error> {
        self.run(&format!("{}{}", role_creation(), role_grants())).await
    }

    /// Grants each role what its service needs, if the roles exist; whether they do.
    #[tracing::instrument(name = "db.roles.grant", skip_all)]
    pub async fn grant_roles(&self) -> Result<bool, Error> {
        let names = names();
        let known: i64 =
            sqlx::query_scalar("select count(*) from pg_roles where rolname = any($1)")
                .bind(&names)
                .fetch_one(&self.pool)
                .await?;
        if usize::try_from(known).unwrap_or_default() < names.len() {
            return Ok(false);
        }
        self.run(&role_grants()).await?;
        Ok(true)
    }

    async fn run(&self, statements: &str) -> Result<(), Error> {
        let mut transaction = self.pool.begin().await?;
        sqlx::query(LOCK).execute(&mut *transaction).await?;
        // The text is made of constants of this file.
        sqlx::raw_sql(AssertSqlSafe(statements.to_owned())).execute(&mut *transaction).await?;
        transaction.commit().await?;
        Ok(())
    }
}
