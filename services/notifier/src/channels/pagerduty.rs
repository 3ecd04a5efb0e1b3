//! PagerDuty: a note on the incident that the alert came with.

use std::collections::BTreeSet;

use async_trait::async_trait;
use reqwest::header::{ACCEPT, AUTHORIZATION, HeaderValue};
use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tarsy_catalog::{PagerDutyTarget, SourceKind};
use tarsy_store::Notification;
use url::Url;

use crate::channel::{Approvals, Channel, ChannelContext, SendError, marker};
use crate::dialect::{Plain, render};
use crate::http;
use crate::report::Report;

/// The most bytes of a note; PagerDuty accepts 25,000 characters.
const MAX_BYTES: usize = 20_000;
const VERSION: &str = "application/vnd.pagerduty+json;version=2";

struct PagerDuty {
    client: Client,
    url: Url,
    authorization: HeaderValue,
    from: String,
    /// The alert sources whose ids are those of incidents.
    sources: BTreeSet<String>,
    dashboard_url: String,
}

pub(super) fn open(
    target: &PagerDutyTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    let sources = context.intake.sources.iter();
    let sources = sources.filter(|(_, source)| source.kind == SourceKind::PagerDuty);
    Ok(PagerDuty {
        client: http::client()?,
        url: Url::parse(&target.api_url)?,
        authorization: authorization(&context.secret(&target.token_env)?)?,
        from: target.from.clone(),
        sources: sources.map(|(name, _)| name.clone()).collect(),
        dashboard_url: context.dashboard_url.to_owned(),
    })
}

fn authorization(token: &SecretString) -> anyhow::Result<HeaderValue> {
    let mut value = HeaderValue::from_str(&format!("Token token={}", token.expose_secret()))?;
    value.set_sensitive(true);
    Ok(value)
}

#[async_trait]
impl Channel for PagerDuty {
    fn approvals(&self) -> Approvals {
        Approvals::Ignored
    }

    async fn find_sent(&self, note: &Notification) -> Result<Option<String>, SendError> {
        let Some(incident) = note.thread_ref.as_deref() else { return Ok(None) };
        let listing = http::find_json(self.headed(self.client.get(self.notes(incident)))).await?;
        let notes = listing.as_ref().and_then(|listing| listing.get("notes")?.as_array());
        let marker = marker(note);
        let ours = notes.into_iter().flatten().find(|one| {
            let content = one.get("content").and_then(Value::as_str);
            content.is_some_and(|content| content.contains(&marker))
        });
        ours.map(|one| http::member(one, "id")).transpose()
    }

    /// The incident. Without one there is nothing to write on, and a note opens none.
    async fn find_thread(&self, note: &Notification) -> Result<Option<String>, SendError> {
        let source = note.alert_source.as_ref();
        let source = source.filter(|source| self.sources.contains(&source.name));
        let incident = source.and_then(|source| source.source_id.clone());
        let missing = SendError::Inapplicable("the alert is no incident of PagerDuty");
        incident.ok_or(missing).map(Some)
    }

    async fn send(
        &self,
        note: &Notification,
        thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        let incident = thread.ok_or(SendError::Inapplicable("the incident is not known"))?;
        let report = Report::of(note, &self.dashboard_url);
        let content = format!("{}\n\n{}", render(&report, &Plain, MAX_BYTES), marker(note));
        let request = self.client.post(self.notes(incident));
        let request = request.json(&json!({ "note": { "content": content } }));
        let answer = http::exchange_json(self.headed(request)).await?;
        http::member(answer.get("note").unwrap_or(&Value::Null), "id").map(Some)
    }
}

impl PagerDuty {
    fn notes(&self, incident: &str) -> Url {
        http::address(&self.url, &["incidents", incident, "notes"])
    }

    fn headed(&self, request: RequestBuilder) -> RequestBuilder {
        request
            .header(AUTHORIZATION, self.authorization.clone())
            .header(ACCEPT, VERSION)
            .header("From", &self.from)
    }
}
