//! Mails: encrypted, with a password, in one thread, and again with the same id.

use std::time::Duration;

use tarsy_domain::status::SessionStatus;
use tarsy_embedded::Child;
use tarsy_testkit::TestAuthority;
use tempfile::TempDir;

use crate::smtp::{MailServer, Mood};
use crate::stack::{Alert, Stack};

const LONG: Duration = Duration::from_mins(2);
const SENT: &str = "select count(*) from notifications where status = 'sent'";

struct Mail {
    stack: Stack,
    server: MailServer,
    roots: TempDir,
}

impl Mail {
    async fn start(moods: &[Mood], statuses: &str) -> Self {
        let authority = TestAuthority::new().unwrap();
        let certificate = authority.certify("localhost").unwrap();
        let server = MailServer::start(&certificate, moods).await;
        let roots = tempfile::tempdir().unwrap();
        std::fs::write(roots.path().join("roots.pem"), authority.pem()).unwrap();
        let stack = Stack::new(&format!(
            "system: {{dashboard_url: 'https://tarsy.example'}}\nnotifications: {{destinations: {{mail: {{type: email, \
             host: localhost, port: {}, user: tarsy, password_env: MAIL_PASSWORD, from: 'TARSy <tarsy@a.example>', \
             to: ['Ops <ops@a.example>', oncall@a.example], statuses: [{statuses}]}}}}}}\n",
            server.port
        ))
        .await;
        Self { stack, server, roots }
    }

    async fn notifier(&self) -> Child {
        let roots = self.roots.path().join("roots.pem").display().to_string();
        let variables = [("MAIL_PASSWORD", "pa55word".to_owned()), ("SSL_CERT_FILE", roots)];
        self.stack.notifier_with(&variables).await
    }
}

/// A header, whose value may be folded into several lines.
fn header(mail: &str, name: &str) -> String {
    let mail = mail.replace("\n ", " ");
    let line = mail.lines().find_map(|line| line.strip_prefix(name)?.strip_prefix(": "));
    line.unwrap_or_else(|| panic!("no {name} in {mail}")).to_owned()
}

#[tokio::test]
async fn start_and_end_are_mails_of_one_thread_with_text_and_html() {
    let mail = Mail::start(&[], "started, completed").await;
    let notifier = mail.notifier().await;
    let claim = mail.stack.running(Alert::default()).await;
    mail.stack.within(LONG, "the start is sent", async || mail.stack.count(SENT).await == 1).await;
    mail.stack.end(&claim, SessionStatus::Completed, "The **disk** <b>was</b> full").await;
    mail.stack.within(LONG, "the end is sent", async || mail.stack.count(SENT).await == 2).await;
    notifier.stop(Duration::from_secs(30)).await;

    let [start, end] = &mail.server.mails()[..] else { panic!("{:#?}", mail.server.mails()) };
    let session = format!("<session-{}@tarsy.example>", claim.session.id);
    assert_eq!(header(start, "References"), session);
    assert_eq!(header(end, "In-Reply-To"), header(start, "Message-ID"));
    assert_eq!(header(end, "References"), format!("{session} {}", header(start, "Message-ID")));
    assert_eq!(header(start, "Subject"), "[TARSy] host");
    assert_eq!(header(end, "Subject"), "Re: [TARSy] host");
    assert_eq!(header(end, "Auto-Submitted"), "auto-generated");
    assert!(end.contains("multipart/alternative") && end.contains("text/html"), "{end}");
    assert!(end.contains("<strong>disk</strong> &lt;b&gt;was"), "{end}");
    assert!(!mail.stack.log().contains("pa55word"), "{}", mail.stack.log());
}

#[tokio::test]
async fn a_server_whose_authority_is_not_known_is_named_with_what_to_do() {
    let mail = Mail::start(&[], "completed").await;
    let other = TestAuthority::new().unwrap();
    std::fs::write(mail.roots.path().join("roots.pem"), other.pem()).unwrap();
    let _notifier = mail.notifier().await;
    mail.stack.ended(Alert::default(), SessionStatus::Completed).await;
    let named = "select count(*) from notifications where error like '%its authority is not known here%SSL_CERT_FILE%'";
    mail.stack.within(LONG, "it is named", async || mail.stack.count(named).await == 1).await;
    assert!(mail.server.mails().is_empty());
}

#[tokio::test]
async fn a_mail_is_sent_again_after_a_failure_and_not_after_a_refusal() {
    let moods = [Mood::Answers("451 4.3.0 try later"), Mood::Answers("554 5.7.1 refused")];
    let mail = Mail::start(&moods, "completed").await;
    let _notifier = mail.notifier().await;
    mail.stack.ended(Alert::default(), SessionStatus::Completed).await;
    let failed =
        "select count(*) from notifications where status = 'failed' and error = 'it answered 554'";
    mail.stack.within(LONG, "it is refused", async || mail.stack.count(failed).await == 1).await;
    mail.stack.ended(Alert::default(), SessionStatus::Completed).await;
    mail.stack.within(LONG, "the next one is sent", async || !mail.server.mails().is_empty()).await;
    assert_eq!(mail.stack.count("select count(*) from dead_letters").await, 1);
}

#[tokio::test]
async fn a_mail_that_is_sent_again_after_a_kill_has_the_same_id() {
    let mail = Mail::start(&[Mood::HangsAfter], "started").await;
    let first = mail.notifier().await;
    mail.stack.running(Alert::default()).await;
    mail.stack.until("the server has it", async || mail.server.mails().len() == 1).await;
    first.kill().await;
    mail.stack.end_claims().await;
    let _second = mail.notifier().await;
    mail.stack.within(LONG, "it is sent", async || mail.stack.count(SENT).await == 1).await;
    let [one, other] = &mail.server.mails()[..] else { panic!("{:#?}", mail.server.mails()) };
    assert_eq!(header(one, "Message-ID"), header(other, "Message-ID"));
}
