//! `tarsy token`: API tokens of alert sources and scripts, written to the database directly so that the first one can be
//! created where nobody may sign in yet.

use std::path::Path;
use std::process::ExitCode;
use std::time::Duration;

use anyhow::Context as _;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use serde_json::{Value, json};
use tarsy_domain::access::{Grant, Role};
use tarsy_store::{ApiToken, Conflict, Error, NewApiToken, NewAuditEntry, Store, secret};
use uuid::Uuid;

use crate::connections;
use crate::output::{self, Format, Table, Wide, field};

/// The most tokens that are listed.
const MAX_LISTED: i64 = 1_000;
const DAY: Duration = Duration::from_hours(24);

#[derive(Debug, Subcommand)]
pub(crate) enum Command {
    /// Creates a token and prints its text, which cannot be shown again.
    Create(Create),
    /// Lists the tokens that are not revoked.
    List,
    /// Revokes a token; it is refused within seconds.
    Revoke {
        /// The name or the id of a token.
        token: String,
    },
}

#[derive(Debug, Args)]
pub(crate) struct Create {
    /// A name, unique among the tokens that are not revoked.
    name: String,
    /// viewer, responder, operator or admin.
    #[arg(long, conflicts_with = "alert_types", required_unless_present = "alert_types")]
    role: Option<Role>,
    /// For an alert source: an alert type that it may submit; repeat it for more.
    #[arg(long = "alert-type")]
    alert_types: Vec<String>,
    /// Days after which it expires.
    #[arg(long, default_value_t = 90, value_parser = clap::value_parser!(u32).range(1..=3650))]
    expires_in_days: u32,
}

pub(crate) async fn run(
    home: &Path,
    command: &Command,
    format: Format,
) -> anyhow::Result<ExitCode> {
    let store = connections::store(home).await?;
    match command {
        Command::Create(options) => create(&store, options, format).await?,
        Command::List => list(&store, format).await?,
        Command::Revoke { token } => revoke(&store, token, format).await?,
    }
    Ok(ExitCode::SUCCESS)
}

async fn create(store: &Store, options: &Create, format: Format) -> anyhow::Result<()> {
    let grant = match options.role {
        Some(role) => Grant::Role(role),
        None => Grant::Source { alert_types: options.alert_types.clone() },
    };
    let text = secret::new_token().context("the system has no randomness")?;
    let new = NewApiToken {
        name: options.name.clone(),
        hash: secret::hash(&text),
        grant,
        created_by: user(),
        lifetime: DAY * options.expires_in_days,
    };
    let token = match store.insert_api_token(new).await {
        Err(Error::Conflict(Conflict::Exists { .. })) => anyhow::bail!(
            "a token has the name {}; `tarsy token revoke {}` revokes it",
            options.name,
            options.name
        ),
        token => token.context("could not store the token")?,
    };
    audit(store, "create_token", token.id).await?;
    if format.is_json() {
        return output::document(&json!({ "token": text, "created": described(&token) }));
    }
    output::line(&text);
    output::remark(&format!(
        "expires {}; send it as `Authorization: Bearer`, or set TARSY_TOKEN for this command line",
        token.expires_at.strftime("%F")
    ));
    Ok(())
}

async fn list(store: &Store, format: Format) -> anyhow::Result<()> {
    let tokens = store.list_api_tokens(MAX_LISTED).await.context("could not read the tokens")?;
    if format.is_json() {
        let tokens: Vec<Value> = tokens.iter().map(described).collect();
        return output::document(&tokens);
    }
    if tokens.is_empty() {
        output::line("there are no tokens");
        return Ok(());
    }
    let mut table = Table::new(["ID", "NAME", "MAY", "EXPIRES", "LAST USED"]);
    for token in &tokens {
        let day = |time: Timestamp| time.strftime("%F").to_string();
        table.add([
            token.id.to_string(),
            token.name.clone(),
            permitted(&token.grant),
            day(token.expires_at),
            token.last_used_at.map_or_else(|| "never".to_owned(), day),
        ]);
    }
    table.print(Wide::Wrapped);
    Ok(())
}

async fn revoke(store: &Store, wanted: &str, format: Format) -> anyhow::Result<()> {
    let tokens = store.list_api_tokens(MAX_LISTED).await.context("could not read the tokens")?;
    let found = tokens.iter().find(|one| one.name == wanted || one.id.to_string() == wanted);
    let found = found
        .with_context(|| format!("there is no token {wanted}; `tarsy token list` lists all"))?;
    store.revoke_api_token(found.id).await.context("could not revoke the token")?;
    audit(store, "revoke_token", found.id).await?;
    if format.is_json() {
        return output::document(&described(found));
    }
    output::line(&field(&format!("{} is revoked", found.name)));
    Ok(())
}

fn permitted(grant: &Grant) -> String {
    match grant {
        Grant::Role(role) => role.to_string(),
        Grant::Source { alert_types } => format!("submit {}", alert_types.join(", ")),
    }
}

fn described(token: &ApiToken) -> Value {
    let (role, alert_types) = match &token.grant {
        Grant::Role(role) => (Some(role.as_str()), None),
        Grant::Source { alert_types } => (None, Some(alert_types)),
    };
    json!({
        "id": token.id.to_string(),
        "name": token.name,
        "role": role,
        "alert_types": alert_types,
        "created_by": token.created_by,
        "created_at": token.created_at.to_string(),
        "expires_at": token.expires_at.to_string(),
        "last_used_at": token.last_used_at.map(|time| time.to_string()),
    })
}

/// Who runs this command, for the audit log.
fn user() -> String {
    let id = nix::unistd::getuid();
    let user = nix::unistd::User::from_uid(id).ok().flatten();
    format!("cli:{}", user.map_or_else(|| id.to_string(), |user| user.name))
}

async fn audit(store: &Store, action: &str, token: Uuid) -> anyhow::Result<()> {
    let entry = NewAuditEntry {
        id: Uuid::now_v7(),
        principal: user(),
        credential: "database".to_owned(),
        client_address: None,
        action: action.to_owned(),
        object: Some(format!("/api/v1/tokens/{token}")),
        outcome: "allowed",
        status: 200,
        request_id: None,
        count: 1,
        session_id: None,
        decided: None,
    };
    store.insert_audit_entries(&[entry]).await.context("could not write the audit log")
}
