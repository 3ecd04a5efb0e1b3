//! Jira: a comment on the issue of the alert; without an issue one is created, if a project is configured.

mod jql;

use async_trait::async_trait;
use reqwest::{Client, RequestBuilder};
use secrecy::{ExposeSecret as _, SecretString};
use serde_json::{Value, json};
use tarsy_catalog::JiraTarget;
use tarsy_contracts::alert::AlertFields;
use tarsy_store::Notification;
use url::Url;

use crate::channel::{Approvals, Channel, ChannelContext, SendError, marker};
use crate::dialect::{Dialect, backslashed, render};
use crate::http;
use crate::markdown::Table;
use crate::report::{Report, cut};
use crate::template::{Place, Value as Filling, fill};

/// The most bytes of a comment or description; Jira accepts 32,767 characters.
const MAX_BYTES: usize = 30_000;
/// The most characters of a summary; Jira accepts 255.
const MAX_SUMMARY: usize = 250;
/// The newest comments of an issue that are searched for one of ours.
const COMMENTS: &str = "100";
/// The label of all issues that are created.
const LABEL: &str = "tarsy";

struct Jira {
    client: Client,
    url: Url,
    token: SecretString,
    target: JiraTarget,
    dashboard_url: String,
}

pub(super) fn open(
    target: &JiraTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    Ok(Jira {
        client: http::client()?,
        url: Url::parse(&target.url)?,
        token: context.secret(&target.token_env)?,
        target: target.clone(),
        dashboard_url: context.dashboard_url.to_owned(),
    })
}

#[async_trait]
impl Channel for Jira {
    fn approvals(&self) -> Approvals {
        Approvals::Ignored
    }

    /// An issue whose description, or a comment whose text has the notification's id.
    async fn find_sent(&self, note: &Notification) -> Result<Option<String>, SendError> {
        let marker = marker(note);
        let has_marker = |value: Option<&Value>| {
            value.and_then(Value::as_str).is_some_and(|text| text.contains(&marker))
        };
        let Some(key) = note.thread_ref.as_deref() else {
            let issue = self.search(&created_for(note)).await?;
            let issue = issue.filter(|issue| has_marker(issue.pointer("/fields/description")));
            return issue.map(|issue| http::member(&issue, "key")).transpose();
        };
        let request = self.client.get(self.comments(key));
        let request = request.query(&[("orderBy", "-created"), ("maxResults", COMMENTS)]);
        let listing = http::find_json(self.authorized(request)).await?;
        let comments = listing.as_ref().and_then(|listing| listing.get("comments")?.as_array());
        let ours = comments.into_iter().flatten().find(|one| has_marker(one.get("body")));
        ours.map(|one| comment_ref(key, one)).transpose()
    }

    /// The key of the issue; none if one is to be created.
    async fn find_thread(&self, note: &Notification) -> Result<Option<String>, SendError> {
        if let Some(key) = self.labelled_issue(note).or_else(|| started_issue(note)) {
            return Ok(Some(key));
        }
        let jql = self.target.jql.as_deref().and_then(|jql| filled(jql, &note.alert));
        if let Some(jql) = jql
            && let Some(issue) = self.search(&jql).await?
        {
            return http::member(&issue, "key").map(Some);
        }
        match self.target.project {
            Some(_) => Ok(None),
            None => Err(SendError::Inapplicable("the alert has no issue")),
        }
    }

    async fn send(
        &self,
        note: &Notification,
        thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        let report = Report::of(note, &self.dashboard_url);
        let text = format!("{}\n\n{}", render(&report, &Wiki, MAX_BYTES), marker(note));
        if let Some(key) = thread {
            let request = self.client.post(self.comments(key)).json(&json!({ "body": text }));
            let answer = http::exchange_json(self.authorized(request)).await?;
            return comment_ref(key, &answer).map(Some);
        }
        let project = self.target.project.as_deref();
        let project = project.ok_or(SendError::Inapplicable("the alert has no issue"))?;
        let issue = json!({ "fields": {
            "project": { "key": project },
            "issuetype": { "name": self.target.issue_type },
            "summary": cut(&report.title, MAX_SUMMARY),
            "description": text,
            "labels": [LABEL, session_label(note)],
        }});
        let request = self.client.post(self.api(&["issue"])).json(&issue);
        let answer = http::exchange_json(self.authorized(request)).await?;
        http::member(&answer, "key").map(Some)
    }
}

impl Jira {
    /// Version 2 takes texts in wiki markup, in Jira Cloud and in Jira Data Center.
    fn api(&self, segments: &[&str]) -> Url {
        http::address(&http::address(&self.url, &["rest", "api", "2"]), segments)
    }

    fn comments(&self, key: &str) -> Url {
        self.api(&["issue", key, "comment"])
    }

    fn authorized(&self, request: RequestBuilder) -> RequestBuilder {
        let token = self.token.expose_secret();
        match &self.target.user {
            Some(user) => request.basic_auth(user, Some(token)),
            None => request.bearer_auth(token),
        }
    }

    /// The first issue of a search. Jira Cloud, which has users, no longer has the search of Jira Data Center.
    async fn search(&self, jql: &str) -> Result<Option<Value>, SendError> {
        let url = match self.target.user {
            Some(_) => self.api(&["search", "jql"]),
            None => self.api(&["search"]),
        };
        let query = [("jql", jql), ("fields", "description"), ("maxResults", "1")];
        let answer = http::find_json(self.authorized(self.client.get(url).query(&query))).await?;
        let issue = answer.as_ref().and_then(|answer| answer.get("issues")?.get(0));
        Ok(issue.cloned())
    }

    fn labelled_issue(&self, note: &Notification) -> Option<String> {
        let key = note.alert.labels.get(self.target.issue_label.as_ref()?)?;
        is_issue_key(key).then(|| key.clone())
    }
}

/// The issue that the start was written into: the reference is `KEY`, or `KEY/COMMENT`.
fn started_issue(note: &Notification) -> Option<String> {
    let reference = note.started_ref.as_deref()?;
    reference.split('/').next().map(str::to_owned)
}

fn comment_ref(key: &str, comment: &Value) -> Result<String, SendError> {
    http::member(comment, "id").map(|id| format!("{key}/{id}"))
}

fn session_label(note: &Notification) -> String {
    format!("{LABEL}-session-{}", note.session_id)
}

fn created_for(note: &Notification) -> String {
    format!("labels = \"{}\" order by created", session_label(note))
}

/// The search with what it has of the alert; none if the alert lacks something of it.
fn filled(jql: &str, alert: &AlertFields) -> Option<String> {
    let quoted = |place: Place<'_>, text: &Option<String>| {
        text.as_ref().map_or(Filling::Missing, |text| Filling::Text(jql::quoted(place, text)))
    };
    fill(jql, |place| match place.name {
        "fingerprint" => quoted(place, &alert.fingerprint),
        "title" => quoted(place, &alert.title),
        _ => Filling::Unknown,
    })
}

/// Whether a text is an issue's key, such as `OPS-12`; it becomes a part of an address.
fn is_issue_key(text: &str) -> bool {
    text.split_once('-').is_some_and(|(project, number)| {
        project.starts_with(|first: char| first.is_ascii_uppercase())
            && project
                .bytes()
                .all(|byte| byte.is_ascii_uppercase() || byte.is_ascii_digit() || byte == b'_')
            && (1..=10).contains(&number.len())
            && number.bytes().all(|byte| byte.is_ascii_digit())
    })
}

/// Jira's wiki markup.
struct Wiki;

impl Dialect for Wiki {
    fn escape(&self, text: &str) -> String {
        // `[~name]` mentions somebody, `!address!` is an image, `{name}` a macro.
        backslashed(text, "\\{}[]*_+^~!|#")
    }

    fn bold(&self, escaped: &str) -> String {
        format!("*{escaped}*")
    }

    fn struck(&self, escaped: &str) -> String {
        format!("-{escaped}-")
    }

    fn quote(&self, escaped: &str, _depth: usize) -> String {
        format!("{{quote}}\n{escaped}\n{{quote}}")
    }

    fn table(&self, table: &Table) -> String {
        let row = |cells: &[String], mark: &str| {
            let cells = cells.iter().map(|cell| match cell.as_str() {
                // An empty cell would be the mark of a head.
                "" => " ".to_owned(),
                cell => self.escape(cell),
            });
            format!("{mark}{}{mark}", cells.collect::<Vec<_>>().join(mark))
        };
        let head = std::iter::once(row(&table.head, "||"));
        let lines = head.chain(table.rows.iter().map(|one| row(one, "|")));
        lines.collect::<Vec<_>>().join("\n")
    }

    fn code(&self, text: &str) -> String {
        format!("{{{{{}}}}}", self.escape(text))
    }

    fn code_block(&self, text: &str) -> String {
        format!("{{noformat}}\n{}\n{{noformat}}", text.replace("{noformat", "{ noformat"))
    }

    fn link(&self, label: &str, url: &str) -> String {
        format!("[{}|{url}]", self.escape(label))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::dialect::fit;

    #[test]
    fn only_a_key_names_an_issue() {
        for key in ["OPS-1", "A2_B-1234567890"] {
            assert!(is_issue_key(key), "{key}");
        }
        for text in ["", "OPS", "ops-1", "OPS-", "OPS-1/comment", "OPS-1a", "../OPS-1", "1A-1"] {
            assert!(!is_issue_key(text), "{text}");
        }
    }

    #[test]
    fn a_fingerprint_that_names_the_title_does_not_choose_the_issue() {
        let filled = |jql: &str, fingerprint: &str, title: &str| {
            let (fingerprint, title) = (Some(fingerprint.to_owned()), Some(title.to_owned()));
            filled(jql, &AlertFields { fingerprint, title, ..AlertFields::default() }).unwrap()
        };
        let chosen = " or key = OPS-7 or summary ~ ";
        let jql = "project = OPS and \"Fingerprint\" = {fingerprint} order by created";
        assert_eq!(
            filled(jql, "{title}", chosen),
            "project = OPS and \"Fingerprint\" = \"{title}\" order by created"
        );
        for (jql, expected) in [
            ("a = {fingerprint} and b = {title}", r#"a = "{title}" and b = "{fingerprint}""#),
            ("b = {title} and a = {fingerprint}", r#"b = "{fingerprint}" and a = "{title}""#),
            ("a = \"{fingerprint}\"", r#"a = "{title}""#),
            ("a ~ {fingerprint}", r#"a ~ "\"{title}\"""#),
            ("a = {other}", "a = {other}"),
        ] {
            assert_eq!(filled(jql, "{title}", "{fingerprint}"), expected);
        }
        assert_eq!(filled("a = \"{title}\"", "", "x\" or b = \"y"), r#"a = "x\" or b = \"y""#);
    }

    #[test]
    fn text_from_outside_mentions_nobody_and_embeds_nothing() {
        let text = fit("[~admin] !http://a/p.png! {code} **now** `x`", &Wiki, 900);
        assert_eq!(text, "\\[\\~admin\\] \\!http://a/p.png\\! \\{code\\} *now* {{x}}");
    }
}
