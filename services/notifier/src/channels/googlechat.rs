//! Google Chat: messages of an incoming webhook, those of a session in one thread.

use async_trait::async_trait;
use reqwest::Client;
use secrecy::ExposeSecret as _;
use serde_json::json;
use tarsy_catalog::GoogleChatTarget;
use tarsy_store::Notification;
use url::Url;
use uuid::Uuid;

use crate::channel::{Channel, ChannelContext, Letter, SendError};
use crate::dialect::{Dialect, defuse, render};
use crate::http;
use crate::report::Report;

/// The most bytes of a text; Google Chat accepts 4,096 characters.
const MAX_BYTES: usize = 4_000;

struct GoogleChat {
    client: Client,
    url: Url,
    dashboard_url: String,
}

pub(super) fn open(
    target: &GoogleChatTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    let secret = context.secret(&target.url_env)?;
    Ok(GoogleChat {
        client: http::client()?,
        url: http::secret_address(secret.expose_secret(), &target.url_env)?,
        dashboard_url: context.dashboard_url.to_owned(),
    })
}

#[async_trait]
impl Channel for GoogleChat {
    /// A second request with the same `requestId` is answered with the message of the first.
    async fn send(
        &self,
        note: &Notification,
        _thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        let report = Report::of(note, &self.dashboard_url);
        self.post(&report, note.id, note.session_id.uuid()).await
    }

    async fn send_letter(&self, letter: &Letter) -> Result<Option<String>, SendError> {
        self.post(&letter.report, letter.id, letter.id).await
    }
}

impl GoogleChat {
    async fn post(
        &self,
        report: &Report,
        request_id: Uuid,
        thread: Uuid,
    ) -> Result<Option<String>, SendError> {
        let message = json!({
            "text": render(report, &ChatText, MAX_BYTES),
            "thread": { "threadKey": thread },
        });
        let request = self.client.post(self.url.clone()).query(&[
            ("requestId", request_id.to_string()),
            ("messageReplyOption", "REPLY_MESSAGE_FALLBACK_TO_NEW_THREAD".to_owned()),
        ]);
        let answer = http::exchange_json(request.json(&message)).await?;
        http::member(&answer, "name").map(Some)
    }
}

/// The markup of texts in Google Chat, which has no escapes.
struct ChatText;

impl Dialect for ChatText {
    fn escape(&self, text: &str) -> String {
        // `<users/all>` mentions everybody, and `<address|text>` is a link.
        defuse(text, &['<'])
    }

    fn bold(&self, escaped: &str) -> String {
        format!("*{}*", escaped.replace('*', ""))
    }

    fn struck(&self, escaped: &str) -> String {
        format!("~{}~", escaped.replace('~', ""))
    }

    fn quote(&self, escaped: &str, depth: usize) -> String {
        let mark = "│ ".repeat(depth);
        let lines = escaped.split('\n').map(|line| format!("{mark}{line}"));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn code(&self, text: &str) -> String {
        format!("`{}`", self.escape(&text.replace(['`', '\n'], "'")))
    }

    fn code_block(&self, text: &str) -> String {
        format!("```\n{}\n```", self.escape(&text.replace('`', "'")))
    }

    fn link(&self, label: &str, url: &str) -> String {
        format!("<{url}|{}>", self.escape(label))
    }
}
