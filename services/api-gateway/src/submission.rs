//! Validates submitted alerts. All errors of one are reported together, each with its field and the fix.

pub(crate) mod check;
pub(crate) mod fields;
#[cfg(test)]
mod tests;

use std::time::Duration;

use serde::Serialize;
use serde_json::{Map, Value};
use tarsy_catalog::{
    Catalog, McpSelection, NativeToolsChoice, Requested, ResolveError, ResolvedChain,
    SelectedServer, Sender,
};
use tarsy_contracts::alert::AlertFields;
use tarsy_intake::{MAX_FINGERPRINT, MAX_URL};
use tarsy_runbooks::Rules;
use tarsy_store::SessionSettings;
use tarsy_web::FieldError;
use utoipa::ToSchema;

use self::check::{Checker, kind};

const MAX_TYPE: usize = 200;
const MAX_PROVIDER: usize = 128;
const MAX_SERVERS: usize = 50;
const MAX_TOOLS: usize = 500;

/// An alert to be investigated.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct Submission {
    /// The alert, as any text; at most 1 MiB.
    #[schema(example = "Pod payments-7d9 in namespace shop is in CrashLoopBackOff")]
    pub(crate) data: String,
    /// Its type, one of `GET /api/v1/alert-types`; without it the default type.
    pub(crate) alert_type: Option<String>,
    /// The URL of a runbook, on one of the allowed hosts.
    pub(crate) runbook: Option<String>,
    /// The tools that this one investigation may use.
    pub(crate) mcp: Option<RequestedTools>,
    /// The provider for every model call, by its name in `GET /api/v1/system/info`; without it those of the chain. A token for
    /// alerts of some types may not choose one.
    pub(crate) provider: Option<String>,
    /// Finds the Slack message that this alert came from.
    pub(crate) slack_message_fingerprint: Option<String>,
    #[serde(flatten)]
    pub(crate) fields: AlertFields,
}

/// The tools that one investigation may use.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RequestedTools {
    /// The servers, in place of the chain's own; of those that the chain allows.
    pub(crate) servers: Vec<RequestedServer>,
    /// No servers at all, but the model provider's own tools.
    pub(crate) without_servers: bool,
    /// The model provider's own tools.
    pub(crate) native_tools: Option<RequestedNativeTools>,
}

/// A server that an investigation may use.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RequestedServer {
    /// Its id, one of `GET /api/v1/system/mcp-servers`.
    pub(crate) name: String,
    /// The only tools allowed; without any, all of them.
    pub(crate) tools: Option<Vec<String>>,
}

/// The model provider's own tools; what is left out stays as configured.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, ToSchema)]
pub(crate) struct RequestedNativeTools {
    pub(crate) google_search: Option<bool>,
    pub(crate) code_execution: Option<bool>,
    /// Read pages by their address.
    pub(crate) url_context: Option<bool>,
}

impl RequestedTools {
    pub(crate) fn selection(&self) -> McpSelection {
        McpSelection {
            servers: self.servers.iter().map(RequestedServer::selected).collect(),
            without_servers: self.without_servers,
            native_tools: self.native_tools.map(|tools| NativeToolsChoice {
                google_search: tools.google_search,
                code_execution: tools.code_execution,
                url_context: tools.url_context,
            }),
        }
    }
}

impl RequestedServer {
    fn selected(&self) -> SelectedServer {
        SelectedServer { name: self.name.clone(), tools: self.tools.clone() }
    }
}

/// An alert that can be investigated, and the chain that will do it.
#[derive(Clone, Debug)]
pub(crate) struct Accepted {
    pub(crate) submission: Submission,
    pub(crate) idempotency_key: Option<String>,
    pub(crate) chain: ResolvedChain,
}

/// What there is, and who requests some of it.
#[derive(Clone, Copy)]
struct Rights<'a> {
    catalog: &'a Catalog,
    sender: Sender,
}

impl Accepted {
    /// What the alert requests without an effect, each as a sentence with its field.
    pub(crate) fn warnings(&self) -> Vec<String> {
        let selection = self.submission.mcp.as_ref().map(RequestedTools::selection);
        let suppressed = selection.map(|selection| selection.suppressed(&self.chain));
        suppressed.into_iter().flatten().map(|tool| tool.to_string()).collect()
    }
}

/// Reads a submission; the error lists everything that is wrong with it.
pub(crate) fn read(
    body: &Value,
    idempotency_key: Option<&[u8]>,
    catalog: &Catalog,
    sender: Sender,
) -> Result<Accepted, Vec<FieldError>> {
    let mut check = Checker::default();
    let idempotency_key = idempotency_key.and_then(|key| check.idempotency_key(key));
    let Some(object) = body.as_object() else {
        let message = format!("is {}; send a JSON object such as {{\"data\": \"…\"}}", kind(body));
        check.wrong("body", message);
        return Err(check.errors);
    };
    let others = ["data", "alert_type", "runbook", "mcp", "provider", "slack_message_fingerprint"];
    check.known("", object, &[&others[..], &fields::NAMES].concat());
    let submission = Submission {
        data: check.data(object.get("data")),
        alert_type: check.text(object, "alert_type", MAX_TYPE),
        runbook: runbook(&mut check, object, catalog),
        mcp: mcp(&mut check, object, Rights { catalog, sender }),
        provider: check.text(object, "provider", MAX_PROVIDER),
        slack_message_fingerprint: check.text(object, "slack_message_fingerprint", MAX_FINGERPRINT),
        fields: fields::read(&mut check, object),
    };
    let chain = resolve(&mut check, &submission, Rights { catalog, sender });
    match (chain, check.errors.is_empty()) {
        (Some(chain), true) => Ok(Accepted { submission, idempotency_key, chain }),
        _ => Err(check.errors),
    }
}

fn runbook(check: &mut Checker, object: &Map<String, Value>, catalog: &Catalog) -> Option<String> {
    let text = check.text(object, "runbook", MAX_URL)?;
    match Rules::new(&catalog.system, None).check(&text) {
        Ok(url) => Some(url),
        Err(error) => {
            check.wrong("runbook", error.to_string());
            None
        }
    }
}

fn mcp(
    check: &mut Checker,
    alert: &Map<String, Value>,
    rights: Rights<'_>,
) -> Option<RequestedTools> {
    let object = check.object("mcp", alert.get("mcp"), "{\"servers\": [{\"name\": \"…\"}]}")?;
    check.known("mcp.", object, &["servers", "without_servers", "native_tools"]);
    let mut servers = Vec::new();
    for (index, value) in
        check.list("mcp.servers", object.get("servers"), MAX_SERVERS).into_iter().enumerate()
    {
        let server = server(check, index, value);
        if let Some(server) = &server {
            check_server(check, index, server, alert, rights);
        }
        servers.extend(server);
    }
    let without_servers = check.flag("mcp.without_servers", object.get("without_servers"));
    let native_tools = native_tools(check, object.get("native_tools"));
    Some(RequestedTools {
        servers,
        without_servers: without_servers.unwrap_or_default(),
        native_tools,
    })
}

fn server(check: &mut Checker, index: usize, value: &Value) -> Option<RequestedServer> {
    let place = format!("mcp.servers[{index}]");
    let Some(object) = value.as_object() else {
        check.wrong(&place, format!("is {}; write {{\"name\": \"…\"}}", kind(value)));
        return None;
    };
    check.known(&format!("{place}."), object, &["name", "tools"]);
    let name = check.name(&format!("{place}.name"), object.get("name"), "the id of an MCP server");
    let field = format!("{place}.tools");
    let given = object.get("tools").filter(|value| !value.is_null());
    let tools = given.map(|value| {
        let list = check.list(&field, Some(value), MAX_TOOLS);
        let names = list.into_iter().enumerate().filter_map(|(at, value)| {
            check.name(&format!("{field}[{at}]"), Some(value), "the name of a tool")
        });
        names.collect::<Vec<_>>()
    });
    let tools = tools.filter(|names| !names.is_empty());
    Some(RequestedServer { name: name?, tools })
}

/// Checks a server by itself, so that each of several is reported. An alert of an unknown type has no chain that could
/// refuse it.
fn check_server(
    check: &mut Checker,
    index: usize,
    server: &RequestedServer,
    alert: &Map<String, Value>,
    Rights { catalog, sender }: Rights<'_>,
) {
    let alert_type = alert.get("alert_type").and_then(Value::as_str).map(str::trim);
    let alert_type = alert_type.filter(|text| !text.is_empty());
    let is_known = catalog.resolve_chain(alert_type, None).is_ok();
    let alone = McpSelection { servers: vec![server.selected()], ..McpSelection::default() };
    let requested = Requested { mcp: Some(&alone), sender, ..Requested::default() };
    match catalog.resolve_requested(alert_type.filter(|_| is_known), requested) {
        Ok(_) => {}
        Err(ResolveError::ServerNotAllowed { .. }) if !is_known => {}
        Err(error) => {
            let field = error.field().replacen("[0]", &format!("[{index}]"), 1);
            check.refused(&field, &error.field(), &error.to_string());
        }
    }
}

fn native_tools(check: &mut Checker, value: Option<&Value>) -> Option<RequestedNativeTools> {
    let field = "mcp.native_tools";
    let object = check.object(field, value, "{\"google_search\": true}")?;
    let names = ["google_search", "code_execution", "url_context"];
    check.known("mcp.native_tools.", object, &names);
    let mut flag = |name: &str| check.flag(&format!("{field}.{name}"), object.get(name));
    Some(RequestedNativeTools {
        google_search: flag("google_search"),
        code_execution: flag("code_execution"),
        url_context: flag("url_context"),
    })
}

/// Resolves the chain; an unknown alert type is reported whatever else is wrong.
fn resolve(
    check: &mut Checker,
    submission: &Submission,
    Rights { catalog, sender }: Rights<'_>,
) -> Option<ResolvedChain> {
    let of_type = catalog.resolve_chain(submission.alert_type.as_deref(), None);
    if let Err(error) = &of_type {
        check.refused(&error.field(), &error.field(), &error.to_string());
    }
    if !check.errors.is_empty() {
        return None;
    }
    let selection = submission.mcp.as_ref().map(RequestedTools::selection);
    let provider = submission.provider.as_deref();
    let requested = Requested { mcp: selection.as_ref(), provider, sender };
    match catalog.resolve_requested(submission.alert_type.as_deref(), requested) {
        Ok(chain) => Some(chain),
        Err(error) => {
            check.refused(&error.field(), &error.field(), &error.to_string());
            None
        }
    }
}

/// What the services read of a chain as columns of its session.
pub(crate) fn settings(chain: &ResolvedChain) -> SessionSettings {
    let syntheses = chain.stages.iter().filter(|stage| stage.synthesis.is_some()).count();
    SessionSettings {
        timeout: Some(Duration::from_millis(chain.session_timeout_ms)),
        chat_enabled: chain.chat.is_some(),
        budget: chain.budget,
        planned_stages: i32::try_from(chain.stages.len() + syntheses).ok(),
    }
}
