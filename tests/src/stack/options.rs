//! What a stack is made of.

use crate::model::Script;
use crate::posts::Failures;

/// What the services identify themselves by to llm-service.
/// The token of the start, where people do not sign in.
pub(super) const LOCAL_TOKEN: &str = "the-token-of-the-start-of-a-stack";
pub(super) const LLM_TOKEN: &str = "a-token-of-at-least-thirty-two-bytes";
/// What the senders of [`StackOptions::intake`] prove themselves with.
pub const INTAKE_SECRET: &str = "a-secret-of-every-alert-source";

/// Which model investigates.
#[derive(Clone, Debug)]
pub enum Llm {
    /// The offline analyst, at so many tokens a second.
    Offline(u32),
    /// A vendor of our own, asked for each answer.
    Scripted(Script),
}

/// The servers behind the services.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backends {
    /// One PostgreSQL and one NATS.
    Single,
    /// PostgreSQL has a replica that every commit waits for, and NATS is a cluster of three servers.
    Replicated,
}

/// How services reach PostgreSQL and NATS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Links {
    Direct,
    /// Each by links of its own, whose packets can be lost.
    Lossy,
    /// The same, and those to PostgreSQL lead through a network namespace, where the machine allows one.
    Namespace,
}

/// Which programs the services are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Programs {
    /// One for each service.
    Own,
    /// The program `tarsy`, whose processes share its pages, for every service that it has.
    Tarsy,
}

/// What a stack is made of.
#[derive(Clone, Debug)]
pub struct StackOptions {
    /// Which model investigates.
    pub llm: Llm,
    /// How many replicas of llm-service.
    pub llm_services: u8,
    /// How many workers each of them has; none leaves it to llm-service.
    pub llm_workers: Option<u8>,
    /// How many tool gateways.
    pub gateways: u8,
    /// How many orchestrators.
    pub orchestrators: u8,
    /// How many sessions one orchestrator works on; twice as many may be in progress in all.
    pub workers: u8,
    /// A dead owner's session is taken over after this many seconds.
    pub lease_seconds: u64,
    /// PostgreSQL and NATS put everything on disk at once.
    pub durable: bool,
    /// How many sessions are stored before the services start.
    pub stored: u32,
    /// How many servers are behind the services.
    pub backends: Backends,
    /// How services reach PostgreSQL and NATS.
    pub links: Links,
    /// Sessions are reported to local receivers with these failures, which the seed decides.
    pub posts: Option<(u64, Failures)>,
    /// Services whose clocks are wrong, with their offsets as libfaketime writes them, such as `+3600s`.
    pub clocks: &'static [(&'static str, &'static str)],
    /// More chains: YAML below `agent_chains`.
    pub chains: &'static str,
    /// More agents: YAML below `agents`.
    pub agents: &'static str,
    /// More defaults: YAML below `defaults`.
    pub defaults: &'static str,
    /// More settings of the system: YAML below `system`.
    pub system: &'static str,
    /// More tool servers: YAML below `mcp_servers`, where `*ledger` is the transport of the ledger.
    pub servers: &'static str,
    /// Alert sources and their policy: YAML below `intake`. Their secret is [`INTAKE_SECRET`], in the variable of the same
    /// name.
    pub intake: &'static str,
    /// What depends on what: YAML below `topology`.
    pub topology: &'static str,
    /// Schedules: YAML below `schedules`.
    pub schedules: &'static str,
    /// A kubeconfig of the cluster whose events the source `kubernetes` of [`Self::intake`] gets.
    pub kubernetes: Option<String>,
    /// How many API gateways. The client asks the first one; [`super::Stack::entrances`] has all.
    pub api_gateways: u8,
    /// Runbooks of a folder: names and texts.
    pub runbooks: &'static [(&'static str, &'static str)],
    /// How many sessions may be in progress in all, if not twice the workers of one orchestrator.
    pub cap: Option<u32>,
    /// People sign in at this issuer of [`tarsy_testkit`].
    pub issuer: Option<String>,
    /// The address of a vendor of the caller, which llm-service reaches as the provider [`super::VENDOR`].
    pub vendor: Option<String>,
    /// Every service has a user of its own on NATS, and a role of its own in PostgreSQL, with the permissions that it
    /// needs.
    pub least_privilege: bool,
    /// The timeout of a session, as it is written in the configuration.
    pub session_timeout: &'static str,
    /// More variables of every service.
    pub variables: Vec<(&'static str, String)>,
    /// Every service has an admin port, which [`super::Stack::admin_ports`] lists.
    pub admin_ports: bool,
    pub programs: Programs,
}

impl Default for StackOptions {
    fn default() -> Self {
        Self {
            llm: Llm::Offline(0),
            llm_services: 1,
            llm_workers: Some(1),
            gateways: 1,
            orchestrators: 1,
            workers: 4,
            // Only a test that kills an owner wants to see a lease run out; on a busy machine a short
            // one would run out by itself.
            lease_seconds: 60,
            durable: false,
            stored: 0,
            backends: Backends::Single,
            links: Links::Direct,
            posts: None,
            clocks: &[],
            chains: "",
            agents: "",
            schedules: "",
            defaults: "",
            system: "",
            servers: "",
            intake: "",
            topology: "",
            kubernetes: None,
            api_gateways: 1,
            runbooks: &[],
            cap: None,
            issuer: None,
            vendor: None,
            least_privilege: false,
            session_timeout: "15m",
            variables: Vec::new(),
            admin_ports: false,
            programs: Programs::Own,
        }
    }
}

impl StackOptions {
    /// Tokens per second of the offline analyst; 0 if a vendor answers.
    pub(super) fn offline_pace(&self) -> u32 {
        match self.llm {
            Llm::Offline(pace) => pace,
            Llm::Scripted(_) => 0,
        }
    }
}
