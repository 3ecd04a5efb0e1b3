//! Commands in Slack, Mattermost and Teams: who may, once each, and where they are answered. The messengers are played over their
//! protocols.

mod played;

use std::time::Duration;

use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use reqwest::Method;
use serde_json::{Value, json};
use tarsy_domain::clock::{Clock as _, SystemClock};
use tarsy_domain::id::SessionId;
use tarsy_domain::status::SessionStatus;
use tarsy_store::SessionEnd;
use tarsy_testkit::{TestStack, eventually, hmac_digest, slack_signature};
use tempfile::TempDir;

use self::played::{Messengers, POST, ROOT};
use crate::stack::{Answer, Stack, send};

const EVENTS: &str = "/api/v1/slack/events";
const MATTERMOST: &str = "/api/v1/mattermost/commands";
const TEAMS: &str = "/api/v1/teams/messages";
const SECRET: &str = "the signing secret of the app";
const COMMAND_TOKEN: &str = "x7rz4psxq3gqdxbntm9bckn5ih";
const TEAMS_TOKEN: &str = "vqF0En+Z0ucuRTM/01o2GuhMH3hKKk/N2bOmlM31zaA=";
const TEAMS_USER: &str = "7faf8cee-1a8e-4c87-9a3b-1c9c9d2f0a11";
const TEAMS_VIEWER: &str = "3e2d1c0b-1a8e-4c87-9a3b-1c9c9d2f0a12";
const MATTERMOST_USER: &str = "rosarosarosarosarosarosaro";
const MATTERMOST_VIEWER: &str = "veraveraveraveraveraverave";
const SESSIONS: &str = "select count(*) from alert_sessions";
const COMMANDS: &str = "select count(*) from commands";
const QUESTIONS: &str = "select count(*) from chat_user_messages";

/// A gateway whose messengers are played.
struct Fixture {
    stack: Stack,
    played: Messengers,
    settings: Vec<(&'static str, String)>,
    _folder: TempDir,
}

impl Fixture {
    /// `more` is what `system.slack` has beside its users.
    async fn start(more: &str) -> Self {
        let played = Messengers::start().await;
        let folder = tempfile::tempdir().unwrap();
        let url = &played.url;
        let text = format!(
            "system:\n  dashboard_url: https://tarsy.example\n  access: {{allowed_hosts: [127.0.0.1]}}\n  slack:\n    \
             api_url: '{url}/api'\n    commands: true\n    {more}\n    workspaces: [T123ABC456]\n    users:\n      \
             U0ROSA: {{name: rosa, role: responder}}\n      U0VERA: {{name: vera, role: viewer}}\n  mattermost:\n    \
             url: '{url}'\n    token_env: MATTERMOST_TOKEN\n    command_token_envs: [MATTERMOST_COMMAND]\n    users:\n      \
             {MATTERMOST_USER}: {{name: rosa, role: responder}}\n      {MATTERMOST_VIEWER}: {{name: vera, role: viewer}}\n  \
             teams:\n    token_envs: [TEAMS_SECRET]\n    destination: team\n    users:\n      \
             {TEAMS_USER}: {{name: rosa, role: responder}}\n      {TEAMS_VIEWER}: {{name: vera, role: viewer}}\nnotifications:\n  \
             destinations: {{team: {{type: teams, url_env: TEAMS_URL}}}}\n"
        );
        std::fs::write(folder.path().join("tarsy.yaml"), text).unwrap();
        let settings = vec![
            ("TARSY_CONFIG_DIR", folder.path().display().to_string()),
            ("SLACK_SIGNING_SECRET", SECRET.to_owned()),
            ("SLACK_BOT_TOKEN", played::BOT_TOKEN.to_owned()),
            ("SLACK_APP_TOKEN", played::APP_TOKEN.to_owned()),
            ("MATTERMOST_TOKEN", played::BOT_TOKEN.to_owned()),
            ("MATTERMOST_COMMAND", COMMAND_TOKEN.to_owned()),
            ("TEAMS_SECRET", TEAMS_TOKEN.to_owned()),
        ];
        let given: Vec<_> = settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
        let stack = Stack::with_settings(TestStack::start().await.unwrap(), &given).await;
        Self { stack, played, settings, _folder: folder }
    }

    async fn over_http() -> Self {
        Self::start("signing_secret_env: SLACK_SIGNING_SECRET").await
    }

    fn signed(&self, at: std::net::SocketAddr, event: &Value) -> reqwest::RequestBuilder {
        let (body, now) = (event.to_string(), SystemClock.now().as_second());
        let signature = slack_signature(SECRET, now, &body);
        let request = self.stack.client.request(Method::POST, format!("http://{at}{EVENTS}"));
        request
            .header("content-type", "application/json")
            .header("x-slack-request-timestamp", now.to_string())
            .header("x-slack-signature", signature)
            .body(body)
    }

    /// Sends it as Slack does.
    async fn event(&self, event: &Value) -> Answer {
        send(self.signed(self.stack.address, event)).await
    }

    async fn command(&mut self, user: &str, text: &str, thread: Option<&str>) -> Value {
        let answer = self.event(&mention(user, text, thread)).await;
        assert_eq!(answer.status, 200, "{answer:?}");
        self.played.next_message().await
    }

    async fn count(&self, sql: &'static str) -> i64 {
        self.stack.count(sql).await.unwrap()
    }

    async fn newest(&self) -> (SessionId, Value) {
        let row: (uuid::Uuid, Value) = sqlx::query_as(
            "select id, jsonb_build_object('author', author, 'type', alert_type, 'namespace', namespace, 'labels', labels,
                'data', alert_data, 'principal', principal)
             from alert_sessions order by created_at desc limit 1",
        )
        .fetch_one(&self.stack.raw)
        .await
        .unwrap();
        (row.0.into(), row.1)
    }

    /// Ends the newest session, as an orchestrator does.
    async fn end_newest(&self) -> SessionId {
        let lease = Duration::from_mins(1);
        let claim = self.stack.store.claim_session("owner", lease, 5).await.unwrap().unwrap();
        let end = SessionEnd {
            status: SessionStatus::Completed,
            final_analysis: Some("the disk is full".to_owned()),
            executive_summary: Some("The disk is full.".to_owned()),
            executive_summary_error: None,
            verdict_failure: None,
            error_message: None,
            failure: None,
        };
        self.stack.store.finish_session(claim.fence, end).await.unwrap();
        claim.session.id
    }

    /// Waits for entries of the audit log about an action: principal, credential, outcome.
    async fn audited(&self, action: &str, expected: &[(&str, &str, &str)]) {
        let path = format!("/api/v1/audit-log?action={action}");
        eventually("the audit log has the commands", async || {
            let log = self.stack.get(&path).await.body;
            let entries = log["entries"].as_array().unwrap().clone();
            expected.iter().all(|(principal, credential, outcome)| {
                entries.iter().any(|one| {
                    let found = (&one["principal"], &one["credential"], &one["outcome"]);
                    found == (&json!(principal), &json!(credential), &json!(outcome))
                })
            })
        })
        .await;
    }
}

/// A mention of the app, as Slack's documentation has it; each is another message.
fn mention(user: &str, text: &str, thread: Option<&str>) -> Value {
    let number = uuid::Uuid::now_v7().as_u128() % 1_000_000;
    let ts = format!("1515449522.{number:06}");
    let mut event = json!({
        "type": "app_mention", "user": user, "text": format!("<@U0LAN0Z89> {text}"), "ts": ts, "team": "T123ABC456",
        "channel": "C123ABC456", "event_ts": ts,
    });
    if let Some(thread) = thread {
        event["thread_ts"] = json!(thread);
    }
    json!({
        "token": "z26uFbvR1xHJEdHE1OQiO6t8", "team_id": "T123ABC456", "api_app_id": "A123ABC456", "event": event,
        "type": "event_callback", "event_id": format!("Ev{number}"), "event_time": 1_515_449_522,
        "authorizations": [{"team_id": "T123ABC456", "user_id": "U0LAN0Z89", "is_bot": true}],
    })
}

fn text_of(message: &Value) -> &str {
    message["text"].as_str().unwrap()
}

#[tokio::test]
async fn a_command_begins_one_session_however_often_it_is_delivered() {
    let mut fixture = Fixture::over_http().await;
    let challenge = json!({"token": "x", "challenge": "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd", "type": "url_verification"});
    let answered = fixture.signed(fixture.stack.address, &challenge).send().await.unwrap();
    assert_eq!(answered.text().await.unwrap(), "3eZbrw1aBm2rZgRNFdxV2595E9CY3gmd");

    let text = "investigate host: namespace=shop team=\u{201c}web shop\u{201d} load &gt; 5 on <http://db.example.com|db.example.com>, \
                password=hunter2hunter2";
    let event = mention("U0ROSA", text, None);
    let thread = event["event"]["ts"].clone();
    assert_eq!(fixture.event(&event).await.status, 200);
    let (id, session) = fixture.newest().await;
    let message = fixture.played.next_message().await;
    assert_eq!(
        (&message["method"], &message["channel"], &message["thread_ts"]),
        (&json!("chat.postMessage"), &json!("C123ABC456"), &thread)
    );
    assert!(
        text_of(&message).contains(&format!("<https://tarsy.example/sessions/{id}|")),
        "{message}"
    );
    let stated =
        (&session["author"], &session["type"], &session["namespace"], &session["principal"]);
    assert_eq!(stated, (&json!("rosa"), &json!("host"), &json!("shop"), &json!("user:rosa")));
    assert_eq!(session["labels"], json!({"team": "web shop"}));
    let data = session["data"].as_str().unwrap();
    assert!(
        data.starts_with("load > 5 on db.example.com, ") && !data.contains("hunter2"),
        "{data}"
    );

    // Slack sends it again; the person has the answer.
    let again = fixture.signed(fixture.stack.address, &event);
    let again =
        again.header("x-slack-retry-num", "1").header("x-slack-retry-reason", "http_timeout");
    assert_eq!(send(again).await.status, 200);
    // A gateway was killed after the command was kept and before it was answered: another one answers.
    let killed = "with changed as (update commands set confirmed_at = null returning 1) select count(*) from changed";
    assert_eq!(fixture.count(killed).await, 1);
    let given: Vec<_> =
        fixture.settings.iter().map(|(name, value)| (*name, value.as_str())).collect();
    let other = fixture.stack.another_gateway(&given).await;
    assert_eq!(send(fixture.signed(other, &event)).await.status, 200);
    let message = fixture.played.next_message().await;
    assert!(text_of(&message).contains(&id.to_string()), "{message}");
    assert_eq!((fixture.count(SESSIONS).await, fixture.count(COMMANDS).await), (1, 1));

    // At two gateways at once.
    let event = mention("U0ROSA", "investigate the disk is full", None);
    let (here, there) = tokio::join!(
        send(fixture.signed(fixture.stack.address, &event)),
        send(fixture.signed(other, &event)),
    );
    assert_eq!((here.status.as_u16(), there.status.as_u16()), (200, 200));
    assert_eq!((fixture.count(SESSIONS).await, fixture.count(COMMANDS).await), (2, 2));
    fixture.audited("submit_alert", &[("rosa", "slack", "allowed")]).await;
}

#[tokio::test]
async fn who_may_not_reads_what_to_do_and_nothing_begins() {
    let mut fixture = Fixture::over_http().await;
    for (user, text, expected) in [
        ("U0NOBODY", "investigate x", "your id U0NOBODY to system.slack.users"),
        ("U0VERA", "investigate x", "it takes the role responder"),
        ("U0VERA", "ask why?", "it takes the role responder"),
        ("U0ROSA", "investigate", "Nothing was begun: data"),
        ("U0ROSA", "ask why?", "no investigation belongs to this thread"),
        ("U0ROSA", "reboot the cluster", "This is no command of TARSy"),
    ] {
        let message = fixture.command(user, text, None).await;
        assert!(text_of(&message).contains(expected), "{text}: {message}");
        let to = (&message["method"], &message["user"]);
        assert_eq!(to, (&json!("chat.postEphemeral"), &json!(user)), "{message}");
    }
    let mut foreign = mention("U0ROSA", "investigate x", None);
    foreign["team_id"] = json!("T0FOREIGN");
    assert_eq!(fixture.event(&foreign).await.status, 200);
    let message = fixture.played.next_message().await;
    assert!(text_of(&message).contains("add T0FOREIGN to system.slack.workspaces"), "{message}");
    // The app's own messages, those of other bots, and changes are no commands.
    for (key, value) in
        [("bot_id", json!("B1")), ("edited", json!({})), ("user", json!("U0LAN0Z89"))]
    {
        let mut event = mention("U0ROSA", "investigate x", None);
        event["event"][key] = value;
        assert_eq!(fixture.event(&event).await.status, 200);
    }
    // Nothing was answered to those.
    let message = fixture.command("U0VERA", "status", None).await;
    assert!(text_of(&message).contains("No investigation runs"), "{message}");
    let message = fixture.command("U0VERA", "help", None).await;
    assert!(text_of(&message).contains("investigate TEXT"), "{message}");
    assert_eq!(fixture.count(SESSIONS).await, 0);
    let denied = [("slack:U0NOBODY", "none", "denied"), ("vera", "slack", "denied")];
    fixture.audited("submit_alert", &denied).await;

    let (body, now) =
        (mention("U0ROSA", "investigate x", None).to_string(), SystemClock.now().as_second());
    for (what, signature, timestamp) in [
        ("another secret", slack_signature("another", now, &body), now),
        ("another body", slack_signature(SECRET, now, "{}"), now),
        ("recorded", slack_signature(SECRET, now - 301, &body), now - 301),
        ("no signature", "v0=".to_owned(), now),
    ] {
        let request = fixture.stack.request(Method::POST, EVENTS).body(body.clone());
        let request = request.header("x-slack-request-timestamp", timestamp.to_string());
        let answer = send(request.header("x-slack-signature", signature)).await;
        assert_eq!(answer.status, 401, "{what}: {answer:?}");
    }
    assert_eq!(fixture.count(SESSIONS).await, 0);
}

#[tokio::test]
async fn a_question_in_the_thread_of_a_session_is_about_it_and_asked_once() {
    let mut fixture = Fixture::over_http().await;
    let begun =
        mention("U0ROSA", "investigate title=\"&lt;!channel&gt; disk\" the disk is full", None);
    let thread = begun["event"]["ts"].as_str().unwrap().to_owned();
    assert_eq!(fixture.event(&begun).await.status, 200);
    fixture.played.next_message().await;
    let message = fixture.command("U0ROSA", "ask why?", Some(&thread)).await;
    assert!(text_of(&message).contains("the session is pending"), "{message}");
    let id = fixture.end_newest().await;
    let message = fixture.command("U0VERA", "status", Some(&thread)).await;
    let text = text_of(&message);
    assert!(
        text.contains("&lt;!channel&gt; disk – completed") && text.contains("The disk is full."),
        "{text}"
    );

    let event = mention("U0ROSA", "ask why is it full?", Some(&thread));
    for _ in ["the question", "the same again"] {
        assert_eq!(fixture.event(&event).await.status, 200);
    }
    let message = fixture.played.next_message().await;
    assert!(text_of(&message).contains("Your question was received"), "{message}");
    assert_eq!(message["thread_ts"], json!(thread));
    assert_eq!((fixture.count(QUESTIONS).await, fixture.count(COMMANDS).await), (1, 2));
    let message = fixture.command("U0ROSA", &format!("ask {id} and now?"), None).await;
    assert!(text_of(&message).contains("another question is being answered"), "{message}");
    fixture.audited("ask", &[("rosa", "slack", "allowed"), ("rosa", "slack", "failed")]).await;

    // A thread below a message of the notifier.
    let notified = "with made as (insert into notifications (id, session_id, kind, destination, status, external_ref)
        select gen_random_uuid(), id, 'ended', 'oncall', 'sent', '1600000000.000001' from alert_sessions returning 1)
        select count(*) from made";
    assert_eq!(fixture.count(notified).await, 1);
    let of = tarsy_store::CommandThread {
        channel: "C0ALERTS".to_owned(),
        thread: "1600000000.000001".to_owned(),
        destinations: vec!["oncall".to_owned()],
    };
    assert_eq!(fixture.stack.store.find_session_of_thread(&of).await.unwrap(), Some(id));
    let elsewhere = tarsy_store::CommandThread { destinations: Vec::new(), ..of };
    assert_eq!(fixture.stack.store.find_session_of_thread(&elsewhere).await.unwrap(), None);
}

fn form(fields: &[(&str, &str)]) -> String {
    let url = reqwest::Url::parse_with_params("http://x/", fields).unwrap();
    url.query().unwrap().to_owned()
}

async fn mattermost_is_answered(fixture: &Fixture) {
    let mattermost = async |fields: &[(&str, &str)]| {
        let request = fixture.stack.anonymous(Method::POST, MATTERMOST).body(form(fields));
        send(request.header("content-type", "application/x-www-form-urlencoded")).await
    };
    // As an outgoing webhook sends it, of a post in a thread.
    let hook = |token: &'static str, user: &'static str, text: &'static str| {
        [
            ("token", token),
            ("team_id", "teamteamteamteamteamteamte"),
            ("team_domain", "ops"),
            ("channel_id", "channelchannelchannelchann"),
            ("channel_name", "town-square"),
            ("timestamp", "1430183190"),
            ("user_id", user),
            ("user_name", "rosa"),
            ("post_id", POST),
            ("text", text),
            ("trigger_word", "@tarsy"),
            ("file_ids", ""),
        ]
    };
    for token in ["", "wrong"] {
        let answer = mattermost(&hook(token, MATTERMOST_USER, "@tarsy investigate x")).await;
        assert_eq!((answer.status.as_u16(), answer.fields().len()), (401, 0), "{answer:?}");
    }
    let answer =
        mattermost(&hook(COMMAND_TOKEN, "nobodynobodynobodynobodyno", "@tarsy investigate x"))
            .await;
    assert!(text_of(&answer.body).contains("system.mattermost.users"), "{answer:?}");
    let answer = mattermost(&hook(COMMAND_TOKEN, MATTERMOST_VIEWER, "@tarsy investigate x")).await;
    assert!(text_of(&answer.body).contains("it takes the role responder"), "{answer:?}");
    assert_eq!(fixture.count(SESSIONS).await, 0);
    for _ in ["the post", "the same again"] {
        let answer = mattermost(&hook(
            COMMAND_TOKEN,
            MATTERMOST_USER,
            "@tarsy investigate host: the disk is full",
        ))
        .await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body["response_type"]),
            (200, &json!("comment")),
            "{answer:?}"
        );
        assert!(text_of(&answer.body).contains("](https://tarsy.example/sessions/"), "{answer:?}");
    }
    let in_thread: Option<String> = sqlx::query_scalar("select thread from commands")
        .fetch_one(&fixture.stack.raw)
        .await
        .unwrap();
    assert_eq!((in_thread.as_deref(), fixture.count(SESSIONS).await), (Some(ROOT), 1));
    // As a slash command sends it; the token is in the header, too.
    let slash = [
        ("channel_id", "channelchannelchannelchann"),
        ("command", "/tarsy"),
        ("team_id", "teamteamteamteamteamteamte"),
        ("text", "status"),
        ("token", COMMAND_TOKEN),
        ("trigger_id", "ZWZmbWRrcm1mcGZ1Nzo6MTUwOTk4"),
        ("root_id", ROOT),
        ("user_id", MATTERMOST_USER),
        ("user_name", "rosa"),
        ("response_url", "not reachable"),
    ];
    let answer = mattermost(&slash).await;
    assert_eq!(answer.body["response_type"], "in_channel", "{answer:?}");
    assert!(text_of(&answer.body).contains("waits for a worker"), "{answer:?}");
}

async fn teams_is_answered(fixture: &Fixture) {
    let now = SystemClock.now();
    let sent_by = |user: &str, text: &str, at: jiff::Timestamp| {
        json!({
            "type": "message", "id": "1485983408511", "timestamp": at, "channelId": "msteams",
            "from": {"id": "29:1XJKJMvc5GBtc2JwZq0oj8tHZmzrQgFmB39ATiQ", "name": "Rosa", "aadObjectId": user},
            "conversation": {"isGroup": true, "id": "19:253b1f341670408fb6fe51050b6e5ceb@thread.skype;messageid=1485983194839"},
            "textFormat": "plain", "text": format!("<at>tarsy</at>&nbsp;{text}\n"),
            "channelData": {"tenant": {"id": "72f988bf-86f1-41af-91ab-2d7cd011db47"}},
        })
        .to_string()
    };
    let activity = |text: &str, at: jiff::Timestamp| sent_by(TEAMS_USER, text, at);
    let teams = async |body: String, signature: String| {
        let request = fixture.stack.anonymous(Method::POST, TEAMS).body(body);
        send(request.header("authorization", signature).header("content-type", "application/json"))
            .await
    };
    let key = STANDARD.decode(TEAMS_TOKEN).unwrap();
    let signed = |body: &str| format!("HMAC {}", STANDARD.encode(hmac_digest(&key, body)));
    let old = activity("investigate x", now - Duration::from_secs(301));
    for (body, signature) in [
        (activity("investigate x", now), signed("{}")),
        (activity("investigate x", now), "HMAC".to_owned()),
        (old.clone(), signed(&old)),
    ] {
        let answer = teams(body, signature).await;
        assert_eq!((answer.status.as_u16(), answer.fields().len()), (401, 0), "{answer:?}");
    }
    for (user, expected) in [
        ("00000000-1a8e-4c87-9a3b-1c9c9d2f0a13", "system.teams.users"),
        (TEAMS_VIEWER, "it takes the role responder"),
    ] {
        let body = sent_by(user, "investigate x", now);
        let answer = teams(body.clone(), signed(&body)).await;
        assert!(text_of(&answer.body).contains(expected), "{answer:?}");
    }
    assert_eq!(fixture.count(SESSIONS).await, 1, "that of Mattermost");
    let body = activity("investigate host: load &gt; 5", now);
    for _ in ["the message", "the same again"] {
        let answer = teams(body.clone(), signed(&body)).await;
        assert_eq!(
            (answer.status.as_u16(), &answer.body["type"]),
            (200, &json!("message")),
            "{answer:?}"
        );
    }
    let (_, session) = fixture.newest().await;
    assert_eq!((&session["data"], fixture.count(SESSIONS).await), (&json!("load > 5"), 2));
}

#[tokio::test]
async fn mattermost_and_teams_are_answered_where_the_command_is() {
    let fixture = Fixture::over_http().await;
    mattermost_is_answered(&fixture).await;
    teams_is_answered(&fixture).await;
    fixture
        .audited("submit_alert", &[("rosa", "teams", "allowed"), ("rosa", "mattermost", "allowed")])
        .await;
    // The first of those that nobody was identified for.
    fixture.audited("mattermost_command", &[("anonymous", "none", "denied")]).await;
}

/// An event, as Socket Mode carries it.
fn envelope(id: &str, event: &Value) -> Value {
    json!({
        "envelope_id": id, "payload": event, "type": "events_api", "accepts_response_payload": false,
        "retry_attempt": 0, "retry_reason": "",
    })
}

#[tokio::test]
async fn over_socket_mode_who_may_not_reads_what_to_do_and_nothing_begins() {
    let mut fixture = Fixture::start("app_token_env: SLACK_APP_TOKEN").await;
    let mut socket = fixture.played.next_socket().await;
    for (user, text, expected) in [
        ("U0NOBODY", "investigate x", "your id U0NOBODY to system.slack.users"),
        ("U0VERA", "investigate x", "it takes the role responder"),
        ("U0VERA", "ask why?", "it takes the role responder"),
    ] {
        socket.send(&envelope(text, &mention(user, text, None))).await;
        assert_eq!(socket.next().await, json!({"envelope_id": text}));
        let message = fixture.played.next_message().await;
        assert!(text_of(&message).contains(expected), "{user}: {message}");
        assert_eq!(message["method"], "chat.postEphemeral", "{message}");
    }
    assert_eq!(fixture.count(SESSIONS).await, 0);
    let denied = [("slack:U0NOBODY", "none", "denied"), ("vera", "slack", "denied")];
    fixture.audited("submit_alert", &denied).await;
}

#[tokio::test]
async fn over_socket_mode_what_is_kept_is_acknowledged_also_after_a_new_connection() {
    let mut fixture = Fixture::start("app_token_env: SLACK_APP_TOKEN").await;
    // Without a signing secret nobody sends requests.
    assert_eq!(fixture.event(&mention("U0ROSA", "help", None)).await.status, 404);
    let event = mention("U0ROSA", "investigate the disk is full", None);
    let mut socket = fixture.played.next_socket().await;
    socket.send(&envelope("cda4159a-72a5-4744-aba3-4d66eb52682b", &event)).await;
    let acknowledged = json!({"envelope_id": "cda4159a-72a5-4744-aba3-4d66eb52682b"});
    assert_eq!(socket.next().await, acknowledged);
    assert_eq!(fixture.count(SESSIONS).await, 1, "it was kept before");
    let message = fixture.played.next_message().await;
    assert!(text_of(&message).contains("The investigation has begun"), "{message}");

    // Clicks come the same way.
    let click = json!({
        "envelope_id": "57d6a792", "type": "interactive", "accepts_response_payload": false,
        "payload": {
            "type": "block_actions", "user": {"id": "U0VERA", "username": "vera", "team_id": "T123ABC456"},
            "actions": [{"action_id": "tarsy_take", "value": fixture.newest().await.0.to_string(), "type": "button"}],
            "response_url": format!("{}/reply", fixture.played.url),
        },
    });
    socket.send(&click).await;
    assert_eq!(socket.next().await, json!({"envelope_id": "57d6a792"}));
    fixture.audited("triage_session", &[("vera", "slack", "denied")]).await;

    // Slack asks for another connection, and sends what it thinks was not acknowledged again.
    socket.send(&json!({"type": "disconnect", "reason": "refresh_requested", "debug_info": {"host": "x"}})).await;
    let mut socket = fixture.played.next_socket().await;
    socket.send(&envelope("again", &event)).await;
    assert_eq!(socket.next().await, json!({"envelope_id": "again"}));
    // A connection that is lost is opened again.
    drop(socket);
    let mut socket = fixture.played.next_socket().await;
    socket.send(&envelope("status", &mention("U0ROSA", "status", None))).await;
    assert_eq!(socket.next().await, json!({"envelope_id": "status"}));
    let message = fixture.played.next_message().await;
    assert!(text_of(&message).contains("the disk is full – waits for a worker"), "{message}");
    assert_eq!(fixture.count(SESSIONS).await, 1);
}
