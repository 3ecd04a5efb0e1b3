//! PostgreSQL, NATS and llm-service as child processes, unless the environment gives the addresses of others.

use std::collections::{BTreeMap, BTreeSet};

use tarsy_catalog::Catalog;
use tarsy_embedded::{Nats, NatsOptions, Postgres, PostgresOptions, Programs};
use tarsy_service::Settings;

use super::llm::{self, LlmService};
use super::programs::places;
use super::progress::Progress;
use crate::home::{Home, Running};

/// The offline analyst's default speed in tokens per second: quick, and still readable while it streams.
const OFFLINE_TOKENS_PER_SECOND_DEFAULT: &str = "250";

pub(crate) const DATABASE: &str = "postgres";

/// Starts the PostgreSQL of an all-in-one.
pub(crate) async fn start_postgres(
    home: &Home,
    given: &BTreeMap<String, String>,
) -> anyhow::Result<Postgres> {
    let options = PostgresOptions {
        bin: programs(given)?.postgres_bin,
        folder: home.at("postgres"),
        port: None,
        durable: true,
        temporary: false,
        seed: None,
    };
    Ok(Postgres::start(options).await?)
}

/// The servers below the services.
#[derive(Debug, Default)]
pub(crate) struct Parts {
    postgres: Option<Postgres>,
    nats: Option<Nats>,
    models: Models,
    database_url: String,
    nats_url: String,
}

/// llm-service, as far as the configuration needs it.
#[derive(Debug, Default)]
pub(crate) struct Models {
    llm: Option<LlmService>,
    /// Empty if no model is configured.
    address: String,
    /// With the keys of providers; most services must not see them.
    private_variables: BTreeSet<String>,
    /// How often it was started in this process before.
    number: u32,
}

impl Models {
    /// Starts llm-service with the providers of the configuration, unless another one is given or none could be called.
    async fn start(
        home: &Home,
        settings: &Settings,
        catalog: &Catalog,
        number: u32,
    ) -> anyhow::Result<Self> {
        let private_variables = catalog.private_variables();
        let none = Self { private_variables, number, ..Self::default() };
        if settings.environment().contains_key("LLM_SERVICE_ADDR") {
            return Ok(Self { address: settings.llm_service.addresses.join(","), ..none });
        }
        if !catalog.has_usable_model() {
            return Ok(none);
        }
        let llm = llm::start(home, settings, catalog, number).await?;
        Ok(Self { address: llm.addresses(), llm: Some(llm), ..none })
    }

    /// Ends llm-service, if it runs.
    pub(crate) async fn stop(self) {
        if let Some(llm) = self.llm {
            llm.stop().await;
        }
    }
}

impl Parts {
    /// Starts those whose address the environment does not give.
    pub(crate) async fn start(
        home: &Home,
        settings: &Settings,
        catalog: &Catalog,
        progress: &Progress,
    ) -> anyhow::Result<Self> {
        let mut parts = Self::default();
        match parts.start_all(home, settings, catalog, progress).await {
            Ok(()) => Ok(parts),
            Err(error) => {
                progress.abandon();
                parts.stop().await;
                Err(error)
            }
        }
    }

    async fn start_all(
        &mut self,
        home: &Home,
        settings: &Settings,
        catalog: &Catalog,
        progress: &Progress,
    ) -> anyhow::Result<()> {
        std::fs::create_dir_all(home.at("logs"))?;
        let given = settings.environment();
        progress.step("starting PostgreSQL");
        if given.contains_key("DATABASE_URL") {
            self.database_url.clone_from(&settings.database_url);
        } else {
            self.start_postgres(home, given).await?;
        }
        progress.step("starting NATS");
        if given.contains_key("NATS_URL") {
            self.nats_url.clone_from(&settings.nats_url);
        } else {
            self.start_nats(home, given).await?;
        }
        progress.step("starting llm-service, if a model is configured");
        self.models = Models::start(home, settings, catalog, 0).await?;
        Ok(())
    }

    /// Starts what reads the configuration once more, beside what ran before, which is returned; the servers of data run on.
    pub(crate) async fn reload(
        &mut self,
        home: &Home,
        settings: &Settings,
        catalog: &Catalog,
    ) -> anyhow::Result<Models> {
        let next = Models::start(home, settings, catalog, self.models.number + 1).await?;
        Ok(std::mem::replace(&mut self.models, next))
    }

    /// As [`Self::reload`], but at the address of before: callers that are processes of their own know no other.
    pub(crate) async fn reload_in_place(
        &mut self,
        home: &Home,
        settings: &Settings,
        catalog: &Catalog,
    ) -> anyhow::Result<()> {
        let is_new = self.models.address.is_empty() && catalog.has_usable_model();
        anyhow::ensure!(
            !is_new,
            "llm-service does not run yet, and services that are processes of their own cannot learn its address: stop \
             `tarsy up --split` and start it again"
        );
        let number = self.models.number;
        std::mem::take(&mut self.models).stop().await;
        self.models = Models::start(home, settings, catalog, number).await?;
        Ok(())
    }

    /// Takes back what [`Self::reload`] returned.
    pub(crate) async fn restore(&mut self, models: Models) {
        std::mem::replace(&mut self.models, models).stop().await;
    }

    async fn start_postgres(
        &mut self,
        home: &Home,
        given: &BTreeMap<String, String>,
    ) -> anyhow::Result<()> {
        let postgres = start_postgres(home, given).await?;
        self.database_url = postgres.url(DATABASE);
        self.postgres = Some(postgres);
        Ok(())
    }

    async fn start_nats(
        &mut self,
        home: &Home,
        given: &BTreeMap<String, String>,
    ) -> anyhow::Result<()> {
        let nats = Nats::start(NatsOptions {
            program: programs(given)?.nats_server,
            folder: home.at("nats"),
            port: None,
            durable: true,
            access: None,
            member: None,
            temporary: false,
        })
        .await?;
        self.nats_url = nats.url();
        self.nats = Some(nats);
        Ok(())
    }

    /// What runs where, as far as the parts know.
    pub(crate) fn running(&self) -> Running {
        Running {
            database_url: self.database_url.clone(),
            nats_url: self.nats_url.clone(),
            llm_service_addr: self.models.address.clone(),
            ..Running::default()
        }
    }

    /// The processes that were started, by name.
    pub(crate) fn processes(&self) -> Vec<(String, u32)> {
        let named = [
            ("PostgreSQL", self.postgres.as_ref().and_then(|server| server.pid())),
            ("NATS", self.nats.as_ref().and_then(|server| server.pid())),
            ("llm-service", self.models.llm.as_ref().map(LlmService::pid)),
        ];
        named
            .into_iter()
            .filter_map(|(name, pid)| Some((name.to_owned(), u32::try_from(pid?).ok()?)))
            .collect()
    }

    /// The environment of the services: the given one, with the parts in it.
    pub(crate) fn environment(
        &self,
        home: &Home,
        settings: &Settings,
    ) -> anyhow::Result<BTreeMap<String, String>> {
        let mut environment = settings.environment().clone();
        if !environment.contains_key("TARSY_TOKEN_KEYS") {
            environment.insert("TARSY_TOKEN_KEYS".to_owned(), home.token_key()?);
        }
        environment.insert("TARSY_HIDDEN_PATHS".to_owned(), self.hidden_paths(home, settings));
        if let Some(llm) = &self.models.llm {
            environment.remove("LLM_SERVICE_TOKEN_FILE");
            environment.insert("LLM_SERVICE_TOKEN".to_owned(), llm.token().to_owned());
        }
        let parts = [
            ("DATABASE_URL", &self.database_url),
            ("NATS_URL", &self.nats_url),
            ("LLM_SERVICE_ADDR", &self.models.address),
        ];
        environment
            .entry("OFFLINE_TOKENS_PER_SECOND".to_owned())
            .or_insert_with(|| OFFLINE_TOKENS_PER_SECOND_DEFAULT.to_owned());
        // Without a model no llm-service was started.
        for (name, value) in parts.into_iter().filter(|(_, value)| !value.is_empty()) {
            environment.insert(name.to_owned(), value.clone());
        }
        Ok(environment)
    }

    /// What tool servers do not reach: everything of this all-in-one, wherever it lies.
    fn hidden_paths(&self, home: &Home, settings: &Settings) -> String {
        let servers = self.postgres.as_ref().map(|server| server.folder().to_owned());
        let socket = self.models.llm.as_ref().and_then(LlmService::temporary);
        let ours = [home.at("")].into_iter().chain(servers).chain(socket);
        let all = settings.hidden_paths.iter().cloned().chain(ours);
        all.map(|path| path.display().to_string()).collect::<Vec<_>>().join(":")
    }

    /// The variables with the keys of providers.
    pub(crate) fn private_variables(&self) -> &BTreeSet<String> {
        &self.models.private_variables
    }

    /// Resolves with the name of a part that ended by itself.
    pub(crate) async fn failed(&mut self) -> &'static str {
        let postgres = async {
            match &mut self.postgres {
                Some(server) => server.exited().await,
                None => std::future::pending().await,
            }
        };
        let nats = async {
            match &mut self.nats {
                Some(server) => server.exited().await,
                None => std::future::pending().await,
            }
        };
        let llm = async {
            match &mut self.models.llm {
                Some(llm) => llm.exited().await,
                None => std::future::pending().await,
            }
        };
        tokio::select! {
            _ = postgres => "PostgreSQL",
            _ = nats => "NATS",
            () = llm => "llm-service",
        }
    }

    /// Stops them, the last started first.
    pub(crate) async fn stop(&mut self) {
        std::mem::take(&mut self.models).stop().await;
        if let Some(nats) = &mut self.nats {
            nats.stop().await;
        }
        if let Some(postgres) = &mut self.postgres {
            postgres.stop().await;
        }
    }
}

fn programs(given: &BTreeMap<String, String>) -> anyhow::Result<Programs> {
    Ok(Programs::find(&places(given))?)
}
