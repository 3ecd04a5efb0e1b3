//! Users of their own for every service.

use std::collections::BTreeMap;

use sqlx::{AssertSqlSafe, PgConnection};
use tarsy_contracts::permissions::{Credential, PROVISIONER, USERS, accounts};
use tarsy_store::ROLES;

/// The passwords of all users of NATS; the role of a service in PostgreSQL has the same.
#[derive(Debug)]
pub(super) struct Access(BTreeMap<&'static str, String>);

impl Access {
    pub(super) fn new() -> Self {
        let names = USERS.iter().map(|user| user.name).chain(["sys"]);
        Self(names.map(|name| (name, format!("{:032x}", rand::random::<u128>()))).collect())
    }

    pub(super) fn password(&self, user: &str) -> &str {
        self.0.get(user).map(String::as_str).unwrap_or_default()
    }

    /// Lets the roles of the services log in, as an administrator does.
    pub(super) async fn let_roles_log_in(&self, mut sql: PgConnection) -> anyhow::Result<()> {
        for role in ROLES {
            // The password is made of digits.
            let password = self.password(role.service);
            let statement = format!("alter role {} login password '{password}'", role.name);
            sqlx::raw_sql(AssertSqlSafe(statement)).execute(&mut sql).await?;
        }
        Ok(())
    }

    /// The configuration of nats-server, as operators have it, with these passwords.
    pub(super) fn accounts(&self) -> String {
        accounts(|user| Credential::Password(format!("\"{}\"", self.password(user))))
    }
}

/// The user of an instance, such as `orchestrator` of `orchestrator-2`.
pub(super) fn bus_user(instance: &str) -> &'static str {
    let found = USERS.iter().find(|user| instance.starts_with(user.name));
    found.map_or(PROVISIONER.name, |user| user.name)
}
