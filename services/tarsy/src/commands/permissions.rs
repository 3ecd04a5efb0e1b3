//! `tarsy permissions`: what the users of the servers may do, for those who set the servers up.

use std::process::ExitCode;

use clap::Subcommand;
use tarsy_contracts::permissions::{Credential, accounts};
use tarsy_store::{role_creation, role_grants};

use crate::output;

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Prints the accounts of nats-server: one user for each service, with what it needs. Credentials come from the
    /// environment of nats-server.
    Nats {
        /// Identifies users by the public keys in `NATS_…_NKEY` instead of the passwords in `NATS_…_PASSWORD`.
        #[arg(long)]
        nkeys: bool,
    },
    /// Prints the statements that create the roles of PostgreSQL and grant each service what it needs. `tarsy migrate
    /// --roles` runs them.
    Postgres,
}

pub(crate) fn run(command: &Command) -> ExitCode {
    match command {
        Command::Nats { nkeys } => output::line(nats(*nkeys).trim_end()),
        Command::Postgres => output::line(postgres().trim_end()),
    }
    ExitCode::SUCCESS
}

fn nats(nkeys: bool) -> String {
    let credential = if nkeys { Credential::nkey_variable } else { Credential::password_variable };
    format!("# Written by `tarsy permissions nats`; do not edit.\n\n{}", accounts(credential))
}

fn postgres() -> String {
    format!(
        "-- Written by `tarsy permissions postgres`; do not edit. Run it as the owner of the tables, after `tarsy migrate`,\n\
         -- then let the roles log in: alter role tarsy_orchestrator login password '...';\n\n{}\n{}",
        role_creation(),
        role_grants()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_accounts_of_the_deployment_are_those_of_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/nats/accounts.conf");
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(
            committed,
            nats(false),
            "run `tarsy permissions nats > deploy/nats/accounts.conf`"
        );
    }

    #[test]
    fn the_roles_of_the_deployment_are_those_of_the_table() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../deploy/postgres/roles.sql");
        let committed = std::fs::read_to_string(path).unwrap_or_default();
        assert_eq!(
            committed,
            postgres(),
            "run `tarsy permissions postgres > deploy/postgres/roles.sql`"
        );
    }
}
