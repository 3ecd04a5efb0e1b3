//! Microsoft Teams: an Adaptive Card for the webhook of a workflow. It answers before it posts, so that nothing can be
//! looked up.

mod card;

use async_trait::async_trait;
use reqwest::Client;
use secrecy::ExposeSecret as _;
use serde_json::{Value, json};
use tarsy_catalog::TeamsTarget;
use tarsy_domain::messenger::Messenger;
use tarsy_store::{Notification, Place};
use url::Url;

use self::card::{Card, elements, text_block};
use crate::channel::{Channel, ChannelContext, Letter, SendError};
use crate::dialect::{Dialect, next_step};
use crate::http;
use crate::report::{Report, Weight};

/// The most bytes of the findings, as JSON; a message has at most 28 KiB.
const MAX_FINDINGS: usize = 16_000;

struct Teams {
    client: Client,
    url: Url,
    dashboard_url: String,
}

pub(super) fn open(
    target: &TeamsTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    let secret = context.secret(&target.url_env)?;
    Ok(Teams {
        client: http::client()?,
        url: http::secret_address(secret.expose_secret(), &target.url_env)?,
        dashboard_url: context.dashboard_url.to_owned(),
    })
}

#[async_trait]
impl Channel for Teams {
    /// The request may be received twice when its answer is lost.
    async fn send(
        &self,
        note: &Notification,
        _thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        self.post(&Report::of(note, &self.dashboard_url), note.place.as_ref()).await
    }

    async fn send_letter(&self, letter: &Letter) -> Result<Option<String>, SendError> {
        self.post(&letter.report, None).await
    }
}

impl Teams {
    async fn post(
        &self,
        report: &Report,
        asked_at: Option<&Place>,
    ) -> Result<Option<String>, SendError> {
        let request = self.client.post(self.url.clone()).json(&message(report, asked_at));
        http::exchange(request).await.map(|_| None)
    }
}

/// `replyTo` is the command that the report answers, for a workflow that posts into its thread; others do not look at it.
fn message(report: &Report, asked_at: Option<&Place>) -> Value {
    let thread = asked_at.filter(|place| place.messenger == Messenger::Teams);
    let thread = thread.and_then(|place| Some((&place.channel, place.thread.as_ref()?)));
    let reply_to = thread
        .map(|(channel, message)| json!({ "channelId": channel, "messageId": message }))
        .unwrap_or_default();
    json!({
        "type": "message",
        "replyTo": reply_to,
        "attachments": [{
            "contentType": "application/vnd.microsoft.card.adaptive",
            "contentUrl": null,
            "content": {
                "$schema": "http://adaptivecards.io/schemas/adaptive-card.json",
                "type": "AdaptiveCard",
                "version": "1.5",
                "msteams": { "width": "Full" },
                "body": body(report),
                "actions": actions(report),
            },
        }],
    })
}

/// Teams shows six at most.
fn actions(report: &Report) -> Vec<Value> {
    let pages = report.pages.iter().map(|page| (page.title.as_str(), &page.url));
    let all = std::iter::once((report.link_label, &report.link)).chain(pages);
    all.map(|(title, url)| json!({ "type": "Action.OpenUrl", "title": title, "url": url }))
        .collect()
}

fn body(report: &Report) -> Vec<Value> {
    let (bold, between, rest) = report.first_line();
    let head = format!("{} {}{between}{}", report.symbol(), Card.escape(bold), Card.escape(rest));
    let mut body = vec![json!({
        "type": "TextBlock", "text": head, "wrap": true, "weight": "Bolder", "size": "Medium",
    })];
    body.extend(next_step(report, &Card).map(|step| text_block(&step)));
    let facts: Vec<Value> = report
        .facts
        .iter()
        .map(|fact| json!({ "title": fact.name, "value": Card.escape(&fact.value) }))
        .collect();
    if !facts.is_empty() {
        body.push(json!({ "type": "FactSet", "facts": facts }));
    }
    if let Some(error) = &report.error {
        body.push(text_block(&format!("**Error:** {}", Card.escape(error))));
    }
    if let Some(findings) = &report.findings {
        body.extend(elements(findings, MAX_FINDINGS));
    }
    for note in &report.notes {
        let color = if note.weight == Weight::Warning { "Warning" } else { "Default" };
        body.push(json!({
            "type": "TextBlock", "text": Card.escape(&note.text), "wrap": true, "color": color, "size": "Small",
        }));
    }
    if let Some(caution) = report.caution {
        body.push(json!({
            "type": "TextBlock", "text": caution, "wrap": true, "isSubtle": true, "size": "Small",
        }));
    }
    body
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Mark, OPEN_SESSION};
    use tarsy_catalog::NotificationStatus;

    #[test]
    fn what_a_command_asked_for_names_the_thread_of_the_command() {
        let report = Report {
            status: NotificationStatus::Completed,
            mark: Mark::Found,
            headline: "Cause found",
            title: "disk full".to_owned(),
            facts: Vec::new(),
            error: None,
            findings: None,
            finding: None,
            next_step: None,
            notes: Vec::new(),
            link: "https://tarsy.example/sessions/1".to_owned(),
            link_label: OPEN_SESSION,
            pages: Vec::new(),
            caution: None,
        };
        let place = |messenger| Place {
            messenger,
            channel: "19:253b@thread.tacv2".to_owned(),
            thread: Some("1485983194839".to_owned()),
        };
        let asked = message(&report, Some(&place(Messenger::Teams)));
        let thread = json!({ "channelId": "19:253b@thread.tacv2", "messageId": "1485983194839" });
        assert_eq!(asked["replyTo"], thread);
        for elsewhere in [None, Some(place(Messenger::Slack))] {
            assert_eq!(message(&report, elsewhere.as_ref())["replyTo"], Value::Null);
        }
    }
}
