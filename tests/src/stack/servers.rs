//! PostgreSQL and NATS: one of each, or a primary with a replica and a cluster of three.

use std::path::Path;

use anyhow::Context as _;
use sqlx::{Connection as _, PgConnection};
use tarsy_embedded::{Nats, NatsMember, NatsOptions, Postgres, PostgresOptions, Programs};

use super::access::Access;
use super::options::{Backends, StackOptions};

/// What PostgreSQL has when it starts.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Content {
    Nothing,
    /// The schema, without rows.
    Schema,
}

/// Members of a cluster of NATS, of which one may fail.
const MEMBERS: usize = 3;
/// The user of a cluster, which all members know, where services have no users of their own.
const USER: &str = "tarsy";
const PASSWORD: &str = "the-password-of-all-members";

/// The servers behind the services.
#[derive(Debug)]
pub(super) struct Servers {
    pub(super) postgres: Postgres,
    /// Follows `postgres`, until it takes its place.
    standby: Option<Postgres>,
    pub(super) nats: Vec<Nats>,
}

impl Servers {
    pub(super) async fn start(
        folder: &Path,
        options: &StackOptions,
        access: Option<&Access>,
        content: Content,
    ) -> anyhow::Result<Self> {
        let programs = tarsy_testkit::programs()?;
        let seed = tarsy_testkit::postgres_seed().await?;
        let of_postgres = |name: &str| PostgresOptions {
            bin: programs.postgres_bin.clone(),
            folder: folder.join(name),
            port: None,
            durable: options.durable,
            temporary: false,
            seed: Some(seed.clone()),
        };
        let postgres = Postgres::start(of_postgres("postgres")).await?;
        if content == Content::Schema {
            tarsy_testkit::migrate_by_copy(&postgres).await?;
        }
        let mut standby = None;
        if options.backends == Backends::Replicated {
            standby = Some(postgres.replicate(of_postgres("standby")).await?);
            wait_for_standby(&postgres).await?;
        }
        let nats = nats(folder, options, access, &programs).await?;
        Ok(Self { postgres, standby, nats })
    }

    /// How many servers keep what NATS stores.
    pub(super) fn replicas(&self) -> usize {
        self.nats.len()
    }

    /// The URL of services: it names the standby, too.
    pub(super) fn with_standby(&self, url: &str) -> anyhow::Result<String> {
        let Some(standby) = &self.standby else { return Ok(url.to_owned()) };
        let (server, database) = url.rsplit_once('/').context("the URL has no path")?;
        let standby = standby.url("postgres");
        let (_, host) = standby.rsplit_once('@').context("the URL has no user")?;
        let (host, _) = host.split_once('/').context("the URL has no path")?;
        Ok(format!("{server},{host}/{database}"))
    }

    /// The URL of all members of NATS.
    pub(super) fn nats_url(&self, user: Option<(&str, &str)>) -> String {
        let url = |nats: &Nats| match user {
            Some((name, password)) => nats.url_of(name, password),
            None if self.nats.len() > 1 => nats.url_of(USER, PASSWORD),
            None => nats.url(),
        };
        self.nats.iter().map(url).collect::<Vec<_>>().join(",")
    }

    /// Kills the primary, and makes the standby the primary.
    pub(super) async fn fail_over(&mut self) -> anyhow::Result<()> {
        let standby = self.standby.take().context("the stack has no standby")?;
        self.postgres.kill().await;
        execute(&standby, "select pg_promote()").await?;
        self.postgres = standby;
        Ok(())
    }

    /// What the servers have logged.
    pub(super) fn logs(&self) -> impl Iterator<Item = String> {
        self.nats.iter().map(Nats::log).chain([self.postgres.log()])
    }

    /// The process ids of those that run, by name.
    pub(super) fn pids(&self) -> impl Iterator<Item = (String, i32)> {
        let standby = self.standby.as_ref().and_then(|standby| standby.pid());
        let postgres = [("postgres", self.postgres.pid()), ("standby", standby)];
        let postgres = postgres.into_iter().map(|(name, pid)| (name.to_owned(), pid));
        let nats = self.nats.iter().enumerate().map(|(number, nats)| {
            let name = if number == 0 { "nats".to_owned() } else { format!("nats-{}", number + 1) };
            (name, nats.pid())
        });
        postgres.chain(nats).filter_map(|(name, pid)| Some((name, pid?)))
    }
}

async fn nats(
    folder: &Path,
    options: &StackOptions,
    access: Option<&Access>,
    programs: &Programs,
) -> anyhow::Result<Vec<Nats>> {
    let one = |name: String, member, access| NatsOptions {
        program: programs.nats_server.clone(),
        folder: folder.join(name),
        port: None,
        durable: options.durable,
        access,
        member,
        temporary: false,
    };
    let access = access.map(Access::accounts);
    if options.backends == Backends::Single {
        return Ok(vec![Nats::start(one("nats".to_owned(), None, access)).await?]);
    }
    let common = || format!("authorization {{ user: {USER}, password: \"{PASSWORD}\" }}\n");
    let access = access.unwrap_or_else(common);
    let mut members = Vec::new();
    for member in NatsMember::cluster(MEMBERS)? {
        let name = format!("nats-{}", member.name);
        members.push(Nats::start(one(name, Some(member), Some(access.clone()))).await?);
    }
    Ok(members)
}

/// From now on a commit waits until the standby has it.
async fn wait_for_standby(postgres: &Postgres) -> anyhow::Result<()> {
    execute(postgres, "alter database postgres set synchronous_commit = on").await?;
    execute(postgres, "alter system set synchronous_standby_names = '*'").await?;
    execute(postgres, "select pg_reload_conf()").await
}

async fn execute(postgres: &Postgres, statement: &'static str) -> anyhow::Result<()> {
    let mut connection = PgConnection::connect(&postgres.url("postgres")).await?;
    sqlx::raw_sql(statement).execute(&mut connection).await.context(statement)?;
    Ok(connection.close().await?)
}
