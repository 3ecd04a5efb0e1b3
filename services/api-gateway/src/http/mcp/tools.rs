//! The tools: what each is called, what a model reads about it, and which route of the API it uses.

use std::future::Future;
use std::pin::Pin;
use std::sync::Arc;

use http::Method;
use rmcp::handler::server::common::schema_for_input;
use rmcp::model::{JsonObject, Tool, ToolAnnotations};
use serde_json::{Map, Value, json};
use tarsy_contracts::search::SearchPage;
use tarsy_contracts::session::SessionDetail;
use tarsy_contracts::timeline::TimelineEvent;
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::{SessionId, StageId};
use tarsy_domain::status::TimelineStatus;

use super::api::{Api, Refused};
use super::arguments::{
    self, Answer, Ask, Changes, DependenciesOf, Incident, Investigate, List, Nothing, OfSession,
    OfWeek, Search,
};
use super::views;
use crate::http::changes::ChangeList;
use crate::http::chat::AcceptedQuestion;
use crate::http::sessions::Page;

/// How many investigations a list has unless the caller says so, and at most.
const LISTED: u32 = 10;
const MOST_LISTED: u32 = 50;
/// Events of a timeline that are read at once.
const EVENTS: usize = 1_000;

type Running<'a> = Pin<Box<dyn Future<Output = Result<Value, Refused>> + Send + 'a>>;

pub(super) struct Spec {
    pub(super) name: &'static str,
    title: &'static str,
    description: &'static str,
    /// The route that it uses: whoever may use this is offered the tool.
    pub(super) method: Method,
    pub(super) route: &'static str,
    schema: fn() -> Result<Arc<JsonObject>, String>,
    pub(super) run: for<'a> fn(&'a Api, JsonObject) -> Running<'a>,
}

impl Spec {
    /// The tool as the protocol describes it.
    pub(super) fn tool(&self) -> anyhow::Result<Tool> {
        let reads = self.method == Method::GET;
        let annotations = ToolAnnotations::with_title(self.title)
            .read_only(reads)
            .destructive(false)
            .idempotent(reads)
            .open_world(false);
        let schema = (self.schema)().map_err(|error| anyhow::anyhow!("{}: {error}", self.name))?;
        let mut schema = schema.as_ref().clone();
        schema.remove("$schema");
        // Some clients want the key of a tool without arguments, too.
        schema.entry("properties").or_insert_with(|| Value::Object(Map::new()));
        Ok(Tool::new(self.name, self.description, Arc::new(schema))
            .with_title(self.title)
            .with_annotations(annotations))
    }
}

pub(super) fn find(name: &str) -> Option<&'static Spec> {
    SPECS.iter().find(|spec| spec.name == name)
}

pub(super) fn unknown(name: &str) -> String {
    let known: Vec<_> = SPECS.iter().map(|spec| spec.name).collect();
    format!("there is no tool {name:?}; the tools are: {}", known.join(", "))
}

pub(super) const SPECS: &[Spec] = &[
    Spec {
        name: "investigate",
        title: "Start an investigation",
        description: "Starts an investigation of an alert, an error or a symptom, and returns its session_id at once. The \
            investigation goes on by itself: ask get_status, then read get_findings.",
        method: Method::POST,
        route: "/api/v1/alerts",
        schema: schema_for_input::<Investigate>,
        run: |api, given| Box::pin(investigate(api, given)),
    },
    Spec {
        name: "get_status",
        title: "Status of an investigation",
        description: "How far an investigation is: its status, its stages, and whether it waits for a person to approve a \
            tool call.",
        method: Method::GET,
        route: "/api/v1/sessions/{id}",
        schema: schema_for_input::<OfSession>,
        run: |api, given| Box::pin(status(api, given)),
    },
    Spec {
        name: "get_findings",
        title: "Findings of an investigation",
        description: "What an investigation found: what became of the alert's own statement, the cause with its \
            confidence and evidence, what could not be examined, next steps, and the whole analysis.",
        method: Method::GET,
        route: "/api/v1/sessions/{id}",
        schema: schema_for_input::<OfSession>,
        run: |api, given| Box::pin(findings(api, given)),
    },
    Spec {
        name: "list_investigations",
        title: "Investigations",
        description: "Investigations, the newest first, each with its alert, status and finding in a line; by status, \
            alert type, severity, service and time.",
        method: Method::GET,
        route: "/api/v1/sessions",
        schema: schema_for_input::<List>,
        run: |api, given| Box::pin(list(api, given)),
    },
    Spec {
        name: "search_investigations",
        title: "Search investigations",
        description: "Finds investigations by words of their alerts, findings, tool calls and answers, the newest first, \
            with the places where the words occur. Use it to see whether a problem is known.",
        method: Method::GET,
        route: "/api/v1/search",
        schema: schema_for_input::<Search>,
        run: |api, given| Box::pin(search(api, given)),
    },
    Spec {
        name: "ask",
        title: "Ask about an investigation",
        description: "Asks a question about an investigation that is over. The answer is written by an agent that knows \
            the investigation and may look again: read it with get_answer.",
        method: Method::POST,
        route: "/api/v1/sessions/{id}/chat/messages",
        schema: schema_for_input::<Ask>,
        run: |api, given| Box::pin(ask(api, given)),
    },
    Spec {
        name: "get_answer",
        title: "Answer to a question",
        description: "The answer to a question that ask sent, once it is written.",
        method: Method::GET,
        route: "/api/v1/sessions/{id}/timeline",
        schema: schema_for_input::<Answer>,
        run: |api, given| Box::pin(answer(api, given)),
    },
    Spec {
        name: "changes",
        title: "What changed",
        description: "Lists what changed, the newest first: deployments, configuration, secrets, scaling, nodes, releases, \
            feature flags, commits, packages; between two times, near an object, service or host.",
        method: Method::GET,
        route: "/api/v1/changes",
        schema: schema_for_input::<Changes>,
        run: |api, given| Box::pin(changes(api, given)),
    },
    Spec {
        name: "dependencies",
        title: "What depends on what",
        description: "Lists what a service or an object depends on and what depends on it: calls between services, routes, \
            config maps, secrets and volumes.",
        method: Method::GET,
        route: "/api/v1/dependencies",
        schema: schema_for_input::<DependenciesOf>,
        run: |api, given| Box::pin(dependencies(api, given)),
    },
    Spec {
        name: "postmortem",
        title: "Postmortem of an incident",
        description: "What happened and when, the cause with its evidence, what helped, what was missing and what is left \
            to do, made of the records of one or several investigations; with what a person has to write.",
        method: Method::GET,
        route: "/api/v1/sessions/{id}/postmortem",
        schema: schema_for_input::<Incident>,
        run: |api, given| Box::pin(postmortem(api, given)),
    },
    Spec {
        name: "prevention",
        title: "What came again and again",
        description: "Causes that recur, alerts without a fault, tools that fail and sources that are not understood, in a \
            week and the week before.",
        method: Method::GET,
        route: "/api/v1/prevention",
        schema: schema_for_input::<OfWeek>,
        run: |api, given| Box::pin(prevention(api, given)),
    },
    Spec {
        name: "list_alert_types",
        title: "Alert types",
        description: "The types of alerts that can be investigated; each has agents and tools of its own.",
        method: Method::GET,
        route: "/api/v1/alert-types",
        schema: schema_for_input::<Nothing>,
        run: |api, given| Box::pin(alert_types(api, given)),
    },
];

/// The path of a session, or of what belongs to it.
fn path_of(session: SessionId, rest: &str) -> String {
    format!("/api/v1/sessions/{session}{rest}")
}

/// An alert that was accepted, as the API answers.
#[derive(serde::Deserialize, serde::Serialize)]
struct Accepted {
    session_id: SessionId,
    status: String,
    message: String,
    #[serde(default)]
    warnings: Vec<String>,
}

async fn investigate(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let mut alert: Investigate = arguments::read(given)?;
    let key = alert.idempotency_key.take();
    let accepted: Accepted = api.post("/api/v1/alerts", &json!(alert), key.as_deref()).await?;
    let Accepted { session_id, status, message, warnings } = accepted;
    Ok(json!({
        "session_id": session_id,
        "status": status,
        "message": message,
        "warnings": warnings,
        "page": api.page(session_id),
    }))
}

async fn detail(api: &Api, given: JsonObject) -> Result<SessionDetail, Refused> {
    let OfSession { session_id } = arguments::read(given)?;
    api.get(&path_of(session_id, ""), &[]).await
}

async fn status(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let session = detail(api, given).await?;
    Ok(views::status(&session, &api.page(session.item.id)))
}

async fn findings(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let session = detail(api, given).await?;
    Ok(json!(views::findings(&session, api.page(session.item.id))))
}

async fn list(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let given: List = arguments::read(given)?;
    let query = [
        ("status", given.status),
        ("alert_type", given.alert_type),
        ("severity", given.severity),
        ("service", given.service),
        ("start_date", given.since),
        ("end_date", given.until),
        ("page_size", number(given.limit)?),
    ];
    let page: Page = api.get("/api/v1/sessions", &query).await?;
    let sessions: Vec<_> =
        page.sessions.iter().map(|one| views::item(one, api.page(one.id))).collect();
    Ok(json!({ "investigations": sessions, "total": page.pagination.total_items }))
}

async fn search(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let given: Search = arguments::read(given)?;
    let query = [("q", given.query), ("limit", number(given.limit)?)];
    let page: SearchPage = api.get("/api/v1/search", &query).await?;
    let found: Vec<_> =
        page.hits.iter().map(|hit| views::hit(hit, api.page(hit.session.id))).collect();
    Ok(json!({ "investigations": found, "more": page.next_cursor.is_some() }))
}

async fn changes(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let given: Changes = arguments::read(given)?;
    let query = [
        ("since", given.since),
        ("until", given.until),
        ("near", given.near),
        ("namespace", given.namespace),
        ("environment", given.environment),
        ("limit", number(given.limit)?),
    ];
    let page: ChangeList = api.get("/api/v1/changes", &query).await?;
    Ok(json!({ "changes": page.changes, "more": page.next_before.is_some() }))
}

async fn dependencies(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let given: DependenciesOf = arguments::read(given)?;
    let depth = given.depth.map(|depth| depth.to_string()).unwrap_or_default();
    let query = [("of", given.of), ("namespace", given.namespace), ("depth", depth)];
    api.get("/api/v1/dependencies", &query).await
}

async fn postmortem(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let Incident { session_id, with } = arguments::read(given)?;
    api.get(&path_of(session_id, "/postmortem"), &[("with", with)]).await
}

async fn prevention(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let OfWeek { week } = arguments::read(given)?;
    api.get("/api/v1/prevention", &[("week", week)]).await
}

fn number(limit: Option<u32>) -> Result<String, Refused> {
    let limit = limit.unwrap_or(LISTED);
    if !(1..=MOST_LISTED).contains(&limit) {
        return Err(Refused::new(format!("limit: write a number from 1 to {MOST_LISTED}")));
    }
    Ok(limit.to_string())
}

async fn ask(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let Ask { session_id, question } = arguments::read(given)?;
    let body = json!({ "content": question });
    let accepted: AcceptedQuestion =
        api.post(&path_of(session_id, "/chat/messages"), &body, None).await?;
    Ok(json!({ "session_id": session_id, "stage_id": accepted.stage_id }))
}

async fn answer(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let Answer { session_id, stage_id } = arguments::read(given)?;
    let session: SessionDetail = api.get(&path_of(session_id, ""), &[]).await?;
    let stage = session.stages.iter().find(|stage| stage.id == stage_id);
    let stage = stage.filter(|stage| stage.chat_id.is_some()).ok_or_else(|| {
        Refused::new(format!("stage_id: {stage_id} answers no question about this investigation"))
    })?;
    let text =
        if stage.status.is_terminal() { written(api, session_id, stage_id).await? } else { None };
    let failure = stage.executions.iter().find_map(|one| one.error_message.as_deref());
    Ok(json!({ "status": stage.status, "answer": text, "error": failure }))
}

/// What the agent of a stage concluded.
async fn written(api: &Api, session: SessionId, stage: StageId) -> Result<Option<String>, Refused> {
    let path = path_of(session, "/timeline");
    let mut after = 0;
    loop {
        let query = [("after", after.to_string()), ("limit", EVENTS.to_string())];
        let events: Vec<TimelineEvent> = api.get(&path, &query).await?;
        let Some(last) = events.last().map(|event| event.sequence_number) else { return Ok(None) };
        let is_whole = events.len() < EVENTS;
        let concluded = events.into_iter().rev().find(|event| {
            event.stage_id == Some(stage)
                && event.kind == TimelineKind::FinalAnalysis
                && event.status == TimelineStatus::Completed
        });
        if concluded.is_some() || is_whole {
            return Ok(concluded.map(|event| event.content));
        }
        after = last;
    }
}

async fn alert_types(api: &Api, given: JsonObject) -> Result<Value, Refused> {
    let Nothing {} = arguments::read(given)?;
    api.get("/api/v1/alert-types", &[]).await
}
