//! The tools of the server.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use rmcp::ServerHandler;
use rmcp::model::{
    CallToolRequestParams, CallToolResponse, CallToolResult, ContentBlock, ErrorData, InputRequest,
    InputRequiredResult, JsonObject, ListToolsResult, PaginatedRequestParams, ProtocolVersion,
    ServerCapabilities, ServerConfig, SubscriptionFilter, Tool, ToolAnnotations,
};
use rmcp::service::{RequestContext, RoleServer, SubscriptionContext};
use serde_json::{Value, json};
use tokio::sync::watch;

/// Secrets that no result may show.
pub(crate) const SECRETS: [&str; 3] = [
    "ghp_0123456789abcdefghijABCDEFGHIJ012345",
    "hunter2secret",
    "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0NTY3ODkwIn0.dozjgNryP4J3jVmNHl0w5N_XgL0n3I9PlFUP0THsR8U",
];

/// How many tools there are at first.
pub(crate) const COUNT: usize = 19;

const NAMES: [&str; COUNT] = [
    "echo",
    "slow",
    "counter",
    "fail",
    "refuse",
    "secret",
    "secret_error",
    "big",
    "env",
    "image",
    "structured",
    "pid",
    "child",
    "die",
    "die_safe",
    "grow",
    "needs_input",
    "read_file",
    "write_file",
];

/// A server with one tool for each way that a tool can behave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Peer {
    pub(crate) grown: watch::Sender<bool>,
    /// It speaks the stateless dialect only.
    pub(crate) modern: bool,
}

impl ServerHandler for Peer {
    fn get_info(&self) -> ServerConfig {
        ServerConfig::new(
            ServerCapabilities::builder().enable_tools().enable_tool_list_changed().build(),
        )
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        if self.modern {
            return Cow::Borrowed(&[ProtocolVersion::V_2026_07_28]);
        }
        Cow::Borrowed(ProtocolVersion::KNOWN_VERSIONS)
    }

    fn accepted_subscription_filter(
        &self,
        requested: &SubscriptionFilter,
    ) -> Option<SubscriptionFilter> {
        Some(requested.supported_by(&self.get_info().capabilities))
    }

    async fn listen(&self, context: SubscriptionContext) -> Result<(), ErrorData> {
        let mut grown = self.grown.subscribe();
        while !*grown.borrow_and_update() {
            tokio::select! {
                changed = grown.changed() => if changed.is_err() { return Ok(()) },
                () = context.cancelled() => return Ok(()),
            }
        }
        // Who listens no more needs no telling.
        let _sent = context.sink().notify_tool_list_changed().await;
        context.cancelled().await;
        Ok(())
    }

    /// Five tools a page.
    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        let cursor = request.and_then(|request| request.cursor);
        let from: usize = cursor.and_then(|cursor| cursor.parse().ok()).unwrap_or(0);
        let grown = self.grown.borrow().then_some("grown");
        let names: Vec<&str> = NAMES.iter().copied().chain(grown).collect();
        let tools = names.iter().skip(from).take(5).map(|name| tool(name)).collect();
        let mut page = ListToolsResult::with_all_items(tools);
        page.next_cursor = (from + 5 < names.len()).then(|| (from + 5).to_string());
        Ok(page)
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let arguments = request.arguments.unwrap_or_default();
        let reply = match request.name.as_ref() {
            "echo" => Value::Object(arguments).to_string(),
            "slow" => {
                note(&arguments, "called");
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(number(&arguments, "ms"))) => {}
                    () = context.ct.cancelled() => {
                        note(&arguments, "cancelled");
                        return Err(ErrorData::internal_error("cancelled", None));
                    }
                }
                "awake".to_owned()
            }
            "counter" => {
                note(&arguments, "called");
                tokio::select! {
                    () = tokio::time::sleep(Duration::from_millis(number(&arguments, "ms"))) => {}
                    () = appears(&arguments, "until") => {}
                }
                "counted".to_owned()
            }
            "fail" => return Ok(error("it went wrong")),
            "refuse" => {
                return Err(ErrorData::invalid_params("password=hunter2secret is bad", None));
            }
            "secret" => secrets(),
            "secret_error" => return Ok(error(&secrets())),
            "big" => big(&arguments),
            "env" => {
                let lines = std::env::vars().map(|(name, value)| format!("{name} is {value}"));
                lines.collect::<Vec<_>>().join("\n")
            }
            "image" => {
                let image = ContentBlock::image("AAAAAAAA", "image/png");
                let blocks = vec![ContentBlock::text("see"), image];
                return Ok(CallToolResult::success(blocks).into());
            }
            "structured" => {
                let mut result = CallToolResult::success(Vec::new());
                result.structured_content = Some(json!({"pods": 3}));
                return Ok(result.into());
            }
            "pid" => std::process::id().to_string(),
            "child" => {
                child().map_err(|cause| ErrorData::internal_error(cause.to_string(), None))?
            }
            "die" => {
                note(&arguments, "called");
                std::process::abort();
            }
            "die_safe" => {
                note(&arguments, "called");
                if lines(&arguments) < 2 {
                    std::process::abort();
                }
                "alive".to_owned()
            }
            "grow" => {
                self.grown.send_replace(true);
                let reported = context.peer.notify_tool_list_changed().await;
                format!("reported: {}", reported.is_ok())
            }
            "grown" => "grown".to_owned(),
            "read_file" | "write_file" => return Ok(file(&request.name, &arguments)),
            "needs_input" => match request.input_responses {
                Some(responses) => {
                    let action = responses.get("which").and_then(|reply| reply.get("action"));
                    let state = request.request_state.unwrap_or_default();
                    format!("{} {state}", action.unwrap_or(&Value::Null))
                }
                None => return question(),
            },
            other => return Err(ErrorData::invalid_params(format!("no tool {other}"), None)),
        };
        Ok(CallToolResult::success(vec![ContentBlock::text(reply)]).into())
    }
}

/// So many bytes, by default in words: one long run of letters looks like an encoded secret.
fn big(arguments: &JsonObject) -> String {
    let unit = word(arguments, "unit").unwrap_or("x ");
    let begin = word(arguments, "begin").unwrap_or_default();
    let bytes = usize::try_from(number(arguments, "bytes")).unwrap_or(0);
    begin.chars().chain(unit.chars().cycle()).take(bytes).collect()
}

fn tool(name: &str) -> Tool {
    let read_only = !matches!(name, "counter" | "die" | "grow");
    let schema: JsonObject = [("type".to_owned(), json!("object"))].into_iter().collect();
    Tool::new(name.to_owned(), format!("Does {name}."), schema)
        .with_annotations(ToolAnnotations::new().read_only(read_only))
}

fn error(text: &str) -> CallToolResponse {
    CallToolResult::error(vec![ContentBlock::text(text)]).into()
}

fn secrets() -> String {
    let [token, password, jwt] = SECRETS;
    format!(
        "token: {token}\nurl: postgres://admin:{password}@db.example/x\nAuthorization: Bearer {jwt}\nreplicas: 3"
    )
}

/// Asks which one is meant.
fn question() -> Result<CallToolResponse, ErrorData> {
    let asked = json!({
        "method": "elicitation/create",
        "params": {"message": "Which?", "requestedSchema": {"type": "object", "properties": {}}},
    });
    let asked: InputRequest = serde_json::from_value(asked)
        .map_err(|cause| ErrorData::internal_error(cause.to_string(), None))?;
    let asked = BTreeMap::from([("which".to_owned(), asked)]);
    Ok(InputRequiredResult::new(Some(asked), Some("sealed".to_owned())).into())
}

fn number(arguments: &JsonObject, name: &str) -> u64 {
    arguments.get(name).and_then(Value::as_u64).unwrap_or(0)
}

fn word<'a>(arguments: &'a JsonObject, name: &str) -> Option<&'a str> {
    arguments.get(name).and_then(Value::as_str)
}

/// Reads or writes the file of the arguments.
fn file(tool: &str, arguments: &JsonObject) -> CallToolResponse {
    let path = path(arguments);
    let done = match tool {
        "read_file" => {
            std::fs::read(path).map(|bytes| String::from_utf8_lossy(&bytes).replace('\0', "\n"))
        }
        _ => std::fs::write(path, "written").map(|()| "written".to_owned()),
    };
    match done {
        Ok(text) => CallToolResult::success(vec![ContentBlock::text(text)]).into(),
        Err(cause) => error(&format!("{tool} failed: {cause}")),
    }
}

/// The path of the arguments; `{parent}` in it is the id of the process that started this one.
fn path(arguments: &JsonObject) -> String {
    let parent = std::os::unix::process::parent_id().to_string();
    word(arguments, "path").unwrap_or_default().replace("{parent}", &parent)
}

/// Adds a line to the file of the arguments.
fn note(arguments: &JsonObject, line: &str) {
    let Some(path) = arguments.get("file").and_then(Value::as_str) else { return };
    if let Ok(mut file) = std::fs::OpenOptions::new().create(true).append(true).open(path) {
        // The test misses the line if it cannot be written.
        let _written = writeln!(file, "{line}");
    }
}

/// Waits for the file that an argument names; without one, for ever.
async fn appears(arguments: &JsonObject, name: &str) {
    let Some(path) = arguments.get(name).and_then(Value::as_str) else {
        return std::future::pending().await;
    };
    while !std::path::Path::new(path).exists() {
        tokio::time::sleep(Duration::from_millis(20)).await;
    }
}

fn lines(arguments: &JsonObject) -> usize {
    let path = arguments.get("file").and_then(Value::as_str).unwrap_or_default();
    std::fs::read_to_string(path).map_or(0, |text| text.lines().count())
}

/// Starts a process that stays, and tells its id.
fn child() -> std::io::Result<String> {
    let mut command = Command::new("sleep");
    let quiet = command.arg("300").stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    Ok(quiet.spawn()?.id().to_string())
}
