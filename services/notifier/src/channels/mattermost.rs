//! Mattermost: posts of a bot, the end in the thread of the start.

use async_trait::async_trait;
use jiff::Timestamp;
use reqwest::{Client, RequestBuilder, StatusCode};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use std::time::Duration;
use tarsy_catalog::{MattermostCommands, MattermostTarget};
use tarsy_store::Notification;
use url::Url;
use uuid::Uuid;

use crate::channel::{Channel, ChannelContext, Letter, SendError};
use crate::dialect::{Dialect, backslashed, defuse, render};
use crate::http;
use crate::markdown::Table;
use crate::report::Report;

/// The most bytes of a message; Mattermost accepts 16,383 characters.
const MAX_BYTES: usize = 16_000;
/// The most that our clock and Mattermost's differ.
const CLOCK_SKEW: Duration = Duration::from_mins(5);
/// The property of a post that holds the notification's id.
const ID_PROPERTY: &str = "tarsy_notification";

struct Mattermost {
    client: Client,
    url: Url,
    /// None of the threads of commands, which are in the channel of their command.
    channel: Option<String>,
    token: SecretString,
    dashboard_url: String,
}

pub(super) fn open(
    target: &MattermostTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    Ok(Mattermost {
        client: http::client()?,
        url: Url::parse(&target.url)?,
        channel: Some(target.channel.clone()),
        token: context.secret(&target.token_env)?,
        dashboard_url: context.dashboard_url.to_owned(),
    })
}

/// The threads in which people give commands.
pub(super) fn open_threads(
    commands: &MattermostCommands,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    Ok(Mattermost {
        client: http::client()?,
        url: Url::parse(&commands.url)?,
        channel: None,
        token: context.secret(&commands.token_env)?,
        dashboard_url: context.dashboard_url.to_owned(),
    })
}

#[async_trait]
impl Channel for Mattermost {
    /// The post with the notification's id.
    async fn find_sent(&self, note: &Notification) -> Result<Option<String>, SendError> {
        let since = note.attempted_at.unwrap_or(note.created_at);
        self.find(self.channel_of(note), note.mark(), since).await
    }

    async fn find_thread(&self, note: &Notification) -> Result<Option<String>, SendError> {
        let of_command = note.place.as_ref().filter(|_| self.channel.is_none());
        let thread = of_command.and_then(|place| place.thread.clone());
        Ok(thread.or_else(|| note.started_ref.clone()))
    }

    async fn send(
        &self,
        note: &Notification,
        thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        let report = Report::of(note, &self.dashboard_url);
        self.post((self.channel_of(note), thread), note.mark(), &report).await
    }

    async fn send_letter(&self, letter: &Letter) -> Result<Option<String>, SendError> {
        let channel = self.channel.as_deref().unwrap_or_default();
        if let Some(since) = letter.attempted_at
            && let Some(id) = self.find(channel, letter.id, since).await?
        {
            return Ok(Some(id));
        }
        self.post((channel, None), letter.id, &letter.report).await
    }
}

impl Mattermost {
    /// The post with this id among those that are new since then; at most 1,000 are answered.
    async fn find(
        &self,
        channel: &str,
        id: Uuid,
        since: Timestamp,
    ) -> Result<Option<String>, SendError> {
        let url = self.address(&["channels", channel, "posts"]);
        let since = (since - CLOCK_SKEW).as_millisecond();
        let request = self.client.get(url).query(&[("since", since)]);
        let listing = http::find_json(self.authorized(request)).await?.unwrap_or_default();
        let posts = listing.get("posts").and_then(Value::as_object);
        let id = id.to_string();
        let ours = posts.into_iter().flatten().find(|(_, post)| {
            post.pointer(&format!("/props/{ID_PROPERTY}")).is_some_and(|one| *one == id)
        });
        Ok(ours.map(|(post, _)| post.clone()))
    }

    async fn post(
        &self,
        (channel, thread): (&str, Option<&str>),
        id: Uuid,
        report: &Report,
    ) -> Result<Option<String>, SendError> {
        let post = json!({
            "channel_id": channel,
            "message": render(report, &Markdown, MAX_BYTES),
            "root_id": thread.unwrap_or_default(),
            "props": { ID_PROPERTY: id },
        });
        let request = self.authorized(self.client.post(self.address(&["posts"])).json(&post));
        let response = request.send().await.map_err(|error| http::no_response(&error))?;
        if thread.is_some() && response.status() == StatusCode::BAD_REQUEST {
            return Err(refusal_in_thread(&http::body(response).await?));
        }
        match http::final_status_error(&response) {
            Some(error) => Err(error),
            None => http::member(&http::json(&http::body(response).await?)?, "id").map(Some),
        }
    }

    fn channel_of<'a>(&'a self, note: &'a Notification) -> &'a str {
        let of_command = note.place.as_ref().map(|place| place.channel.as_str());
        self.channel.as_deref().or(of_command).unwrap_or_default()
    }

    fn address(&self, segments: &[&str]) -> Url {
        http::address(&http::address(&self.url, &["api", "v4"]), segments)
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        request.bearer_auth(self.token.expose_secret())
    }
}

/// A post whose root was deleted is refused with an id such as `api.post.create_post.root_id.app_error`.
fn refusal_in_thread(body: &[u8]) -> SendError {
    let id = http::json(body).ok().and_then(|body| http::member(&body, "id").ok());
    match id.filter(|id| id.contains("root_id") || id.contains("parent_id")) {
        Some(_) => SendError::ThreadClosed("the post of the start is gone".to_owned()),
        None => SendError::Permanent("it answered 400".to_owned()),
    }
}

/// Mattermost's Markdown.
struct Markdown;

impl Dialect for Markdown {
    fn escape(&self, text: &str) -> String {
        // A backslash does not keep the server from reading a mention.
        backslashed(&defuse(text, &['@']), "\\`*_~#>|[]()!<")
    }

    fn bold(&self, escaped: &str) -> String {
        format!("**{escaped}**")
    }

    fn italic(&self, escaped: &str) -> String {
        format!("_{escaped}_")
    }

    fn struck(&self, escaped: &str) -> String {
        format!("~~{escaped}~~")
    }

    fn table(&self, table: &Table) -> String {
        let row = |cells: &[String]| {
            let cells = cells.iter().map(|cell| self.escape(cell));
            format!("| {} |", cells.collect::<Vec<_>>().join(" | "))
        };
        let rule = format!("|{}", "---|".repeat(table.head.len()));
        let lines =
            [row(&table.head), rule].into_iter().chain(table.rows.iter().map(|one| row(one)));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn code(&self, text: &str) -> String {
        format!("`{}`", defuse(&text.replace(['`', '\n'], "'"), &['@']))
    }

    fn code_block(&self, text: &str) -> String {
        format!("```\n{}\n```", defuse(&text.replace('`', "'"), &['@']))
    }

    fn link(&self, label: &str, url: &str) -> String {
        format!("[{}]({url})", self.escape(label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::fit;

    #[test]
    fn text_from_outside_mentions_nobody_and_embeds_nothing() {
        let text =
            fit("@channel ![x](https://evil.example/p.png) **bold** `@here`", &Markdown, 900);
        let expected =
            "@\u{200b}channel x \\(https://evil.example/p.png\\) **bold** `@\u{200b}here`";
        assert_eq!(text, expected);
    }
}
