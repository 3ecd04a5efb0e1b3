//! The gateway as a client under the protocol's conformance suite.
//!
//! For each scenario the suite starts a server and then this client, which does what an agent and the
//! people around it would: a gateway with an entry for that server opens a lease, tools are listed and
//! called, and who is asked to log in does so, with a browser that follows where it is sent.

use std::fs::File;
use std::path::PathBuf;
use std::time::Duration;

use anyhow::Context as _;
use serde_json::{Map, Value, json};
use tarsy_contracts::mcp::{Ack, LoginFinish, LoginRequest, LoginStarted, Tool};
use tarsy_contracts::subject::{self, McpVerb};
use tokio::time::timeout;

use crate::gateway::{Gateway, call};

/// Where the runner keeps what the scenarios share.
pub const FOLDER: &str = "CONFORM_FOLDER";
/// The database for tokens, migrated.
pub const DATABASE: &str = "CONFORM_DATABASE_URL";
/// How many scenarios are played at the same time: each starts a gateway and a bus.
const AT_ONCE: u32 = 4;

/// How long a scenario may take.
const TIMEOUT: Duration = Duration::from_mins(2);
/// How long one step of a login may take.
const STEP: Duration = Duration::from_mins(1);
/// How often somebody logs in before giving up.
const LOGINS: usize = 3;
/// Where the browser comes back to; nobody listens, the address alone counts.
const CALLBACK: &str = "http://127.0.0.1:8979/callback";
/// Who clients are, for servers that know them by a document.
const METADATA_URL: &str = "https://conformance-test.local/client-metadata.json";
/// The first revision without sessions. The suite wants each revision spoken from the first request on.
const STATELESS: &str = "2026-07-28";
/// What tokens are sealed with.
const TOKEN_KEY: &str = "5c0ffee05c0ffee05c0ffee05c0ffee05c0ffee05c0ffee05c0ffee05c0ffee0";

/// What the suite wants to see.
#[derive(Debug)]
pub struct Scenario {
    name: String,
    url: String,
    version: String,
    context: Value,
    folder: PathBuf,
    database: String,
}

impl Scenario {
    /// Reads the suite's output.
    pub fn read(url: String, variable: impl Fn(&str) -> Option<String>) -> anyhow::Result<Self> {
        let needed = |name: &str| variable(name).with_context(|| format!("{name} is not set"));
        let context = variable("MCP_CONFORMANCE_CONTEXT");
        let context = context.map_or(Ok(Value::Null), |text| serde_json::from_str(&text))?;
        Ok(Self {
            name: needed("MCP_CONFORMANCE_SCENARIO")?,
            url,
            version: needed("MCP_CONFORMANCE_PROTOCOL_VERSION")?,
            context,
            folder: PathBuf::from(needed(FOLDER)?),
            database: needed(DATABASE)?,
        })
    }

    /// The server's name in the gateway's configuration; the database knows the others' logins, too.
    fn server(&self) -> String {
        self.name.replace('/', "-")
    }

    fn wants_oauth(&self) -> bool {
        self.name.starts_with("auth/")
    }

    /// The server as an operator writes it down.
    fn entry(&self) -> anyhow::Result<Value> {
        let dialect = if self.version.as_str() < STATELESS { "initialize" } else { "discover" };
        let mut transport = json!({"type": "http", "url": self.url, "lifecycle": dialect});
        if self.wants_oauth() {
            let mut oauth = json!({"client_metadata_url": METADATA_URL});
            for key in ["client_id", "client_secret"] {
                if let Some(known) = self.context.get(key) {
                    oauth[key] = known.clone();
                }
            }
            if self.name.starts_with("auth/client-credentials") {
                oauth["grant"] = json!("client_credentials");
            }
            if let Some(key) = self.context.get("private_key_pem").and_then(Value::as_str) {
                let path = self.folder.join("client.pem");
                std::fs::write(&path, key)?;
                oauth["private_key_file"] = json!(path);
                oauth["signing_algorithm"] = self.context["signing_algorithm"].clone();
            }
            transport["oauth"] = oauth;
        }
        Ok(json!({
            "transport": transport, "data_masking": {"enabled": false}, "policy": {"mode": "allow_all"},
        }))
    }

    /// The calls that are asked for; each tool once, if none are.
    fn calls(&self, tools: &[Tool]) -> Vec<(String, Value)> {
        let asked = self.context.get("toolCalls").and_then(Value::as_array);
        let named =
            |call: &Value| Some((call["name"].as_str()?.to_owned(), call["arguments"].clone()));
        match asked {
            Some(asked) => asked.iter().filter_map(named).collect(),
            None => {
                tools.iter().map(|tool| (tool.name.clone(), arguments_of(tool, tools))).collect()
            }
        }
    }
}

/// Plays a scenario; returns its result.
pub async fn play(scenario: &Scenario) -> anyhow::Result<String> {
    let _turn = turn(scenario).await?;
    let folder = tempfile::tempdir()?;
    let servers = format!("  {}: {}\n", scenario.server(), scenario.entry()?);
    let mut variables = Vec::new();
    if scenario.wants_oauth() {
        variables.push(("DATABASE_URL".to_owned(), scenario.database.clone()));
        variables.push(("TARSY_TOKEN_KEYS".to_owned(), TOKEN_KEY.to_owned()));
    }
    let gateway = Gateway::start_with(folder, &servers, variables).await?;
    let played = async {
        tokio::select! {
            played = investigate(&gateway, scenario) => played,
            ended = gateway.ended() => anyhow::bail!("the gateway ended: {ended}"),
        }
    };
    timeout(TIMEOUT, played).await.context("it took too long")?
}

/// Waits until few others play.
async fn turn(scenario: &Scenario) -> anyhow::Result<File> {
    let place = |number: u32| File::create(scenario.folder.join(format!("place-{number}")));
    for number in 0..AT_ONCE {
        let place = place(number)?;
        if place.try_lock().is_ok() {
            return Ok(place);
        }
    }
    let place = place(rand::random_range(0..AT_ONCE))?;
    let waiting = tokio::task::spawn_blocking(move || place.lock().map(|()| place));
    Ok(waiting.await??)
}

/// What an agent does, with a login when the gateway requires one.
async fn investigate(gateway: &Gateway, scenario: &Scenario) -> anyhow::Result<String> {
    let server = scenario.server();
    let mut logins = 0;
    let lease = loop {
        match gateway.lease(&server).await {
            Ok(lease) => break lease,
            Err(error) if wants_login(&error.to_string()) && logins < LOGINS => {
                logins += 1;
                log_in(gateway, &server).await.with_context(|| format!("after: {error:#}"))?;
            }
            Err(error) => return Err(error),
        }
    };
    let mut lines = vec![format!("{} tools", lease.tools().len())];
    for (name, arguments) in scenario.calls(lease.tools()) {
        let tool = format!("{server}.{name}");
        let mut answer = call(&*lease, &tool, &arguments).await?;
        while answer.is_error && wants_login(&answer.content) && logins < LOGINS {
            logins += 1;
            log_in(gateway, &server).await.with_context(|| format!("after: {}", answer.content))?;
            answer = call(&*lease, &tool, &arguments).await?;
        }
        lines.push(format!("{name}: {}", answer.content));
    }
    lease.close().await;
    Ok(format!("{} ({}): {}", scenario.name, scenario.version, lines.join("; ")))
}

fn wants_login(lines: &str) -> bool {
    lines.contains("tarsy mcp login")
}

/// Does what `tarsy mcp login` and a browser do.
async fn log_in(gateway: &Gateway, server: &str) -> anyhow::Result<()> {
    let asked = LoginRequest {
        server: server.to_owned(),
        redirect_uri: CALLBACK.to_owned(),
        timeout_ms: u64::try_from(STEP.as_millis())?,
    };
    let bus = gateway.bus();
    let began: LoginStarted =
        bus.request(subject::MCP_LOGIN.to_owned(), &asked, STEP).await.context("no login")?;
    let browser = reqwest::Client::builder()
        .redirect(reqwest::redirect::Policy::none())
        .timeout(STEP)
        .build()?;
    let back = browser.get(&began.authorization_url).send().await?;
    let to = back.headers().get("location").context("the browser is sent nowhere")?.to_str()?;
    let finish = LoginFinish { login_id: began.login_id, callback_url: to.to_owned() };
    let finished = subject::mcp_instance(&began.instance, McpVerb::Login);
    let Ack {} = bus.request(finished, &finish, STEP).await.context("the login failed")?;
    Ok(())
}

/// Arguments that a tool takes; one that asks for a schema is shown the one of its neighbour, as it was
/// listed.
fn arguments_of(tool: &Tool, tools: &[Tool]) -> Value {
    let mut arguments = arguments(&tool.input_schema);
    let neighbour = tools.iter().find(|other| other.name != tool.name);
    if let (Some(asked), Some(neighbour)) = (arguments.get_mut("schema"), neighbour) {
        *asked = neighbour.input_schema.clone();
    }
    arguments
}

/// Arguments that this schema takes.
fn arguments(schema: &Value) -> Value {
    let properties = schema["properties"].as_object();
    let of = |name: &Value| {
        let name = name.as_str()?;
        Some((name.to_owned(), value(&properties?[name])))
    };
    let required = schema["required"].as_array().into_iter().flatten();
    Value::Object(required.filter_map(of).collect::<Map<_, _>>())
}

fn value(schema: &Value) -> Value {
    if let Some(first) = schema["enum"].get(0) {
        return first.clone();
    }
    match schema["type"].as_str() {
        Some("integer" | "number") => json!(1),
        Some("boolean") => json!(true),
        Some("array") => json!([]),
        Some("object") => arguments(schema),
        _ => json!("text"),
    }
}
