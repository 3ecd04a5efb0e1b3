//! E-mail over SMTP, as plain text and HTML. A mail that is sent again has the same `Message-ID`.

use std::time::Duration;

use anyhow::Context as _;
use async_trait::async_trait;
use lettre::message::header::{HeaderName, HeaderValue};
use lettre::message::{Mailbox, MultiPart};
use lettre::transport::smtp::authentication::Credentials;
use lettre::transport::smtp::client::{Tls, TlsParameters};
use lettre::transport::smtp::{AsyncSmtpTransportBuilder, Error};
use lettre::{AsyncSmtpTransport, AsyncTransport as _, Message, Tokio1Executor};
use secrecy::ExposeSecret as _;
use tarsy_catalog::{EmailTarget, MailTls};
use tarsy_outbound::{AUTHORITIES, Obstacle, obstacle};
use tarsy_store::Notification;
use url::Url;

use crate::channel::{Channel, ChannelContext, Letter, SendError};
use crate::dialect::{Html, Plain, render};
use crate::http;
use crate::report::{Report, cut};

/// The most characters of a subject behind its mark.
const MAX_SUBJECT: usize = 250;
/// The most bytes of each form of a mail.
const MAX_BYTES: usize = 100_000;
/// For each command; all of them fit into an attempt.
const COMMAND_TIMEOUT: Duration = Duration::from_secs(5);
/// The host of message ids if the address of the dashboard has none.
const NO_HOST: &str = "tarsy.invalid";

struct Email {
    transport: AsyncSmtpTransport<Tokio1Executor>,
    from: Mailbox,
    to: Vec<Mailbox>,
    /// The part of message ids after the `@`.
    host: String,
    dashboard_url: String,
}

pub(super) fn open(
    target: &EmailTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<impl Channel + use<>> {
    let mailbox = |text: &String| {
        text.parse::<Mailbox>().with_context(|| format!("\"{text}\" is not an e-mail address"))
    };
    let url = Url::parse(context.dashboard_url).ok();
    let host = url.as_ref().and_then(Url::host_str).unwrap_or(NO_HOST);
    Ok(Email {
        transport: transport(target, context)?.build(),
        from: mailbox(&target.from)?,
        to: target.to.iter().map(mailbox).collect::<anyhow::Result<_>>()?,
        host: host.to_owned(),
        dashboard_url: context.dashboard_url.to_owned(),
    })
}

fn transport(
    target: &EmailTarget,
    context: &ChannelContext<'_>,
) -> anyhow::Result<AsyncSmtpTransportBuilder> {
    let parameters = || TlsParameters::new(target.host.clone());
    let (port, tls) = match target.tls {
        MailTls::Implicit => (465, Tls::Wrapper(parameters()?)),
        MailTls::StartTls => (587, Tls::Required(parameters()?)),
        MailTls::None => (25, Tls::None),
    };
    let port = target.port.and_then(|port| u16::try_from(port).ok()).unwrap_or(port);
    let builder = AsyncSmtpTransport::<Tokio1Executor>::builder_dangerous(&target.host);
    let builder = builder.port(port).tls(tls).timeout(Some(COMMAND_TIMEOUT));
    let (Some(user), Some(variable)) = (&target.user, &target.password_env) else {
        return Ok(builder);
    };
    let password = context.secret(variable)?;
    Ok(builder.credentials(Credentials::new(user.clone(), password.expose_secret().to_owned())))
}

#[async_trait]
impl Channel for Email {
    async fn find_thread(&self, note: &Notification) -> Result<Option<String>, SendError> {
        Ok(note.started_ref.clone())
    }

    /// The mail may be delivered twice when the server's last answer is lost; its `Message-ID` is the same.
    async fn send(
        &self,
        note: &Notification,
        thread: Option<&str>,
    ) -> Result<Option<String>, SendError> {
        let id = format!("<{}@{}>", note.id, self.host);
        // All mails of a session refer to it, so that they are one thread also if the first one was not sent.
        let session = format!("<session-{}@{}>", note.session_id, self.host);
        let report = Report::of(note, &self.dashboard_url);
        self.deliver(&report, &id, (Some(&session), thread)).await?;
        Ok(Some(id))
    }

    async fn send_letter(&self, letter: &Letter) -> Result<Option<String>, SendError> {
        let id = format!("<{}@{}>", letter.id, self.host);
        self.deliver(&letter.report, &id, (None, None)).await?;
        Ok(Some(id))
    }
}

impl Email {
    /// A mail in the thread of a session, as a reply to the one that announced its start.
    async fn deliver(
        &self,
        report: &Report,
        id: &str,
        thread: (Option<&str>, Option<&str>),
    ) -> Result<(), SendError> {
        let mail = self.mail(report, id, thread).map_err(|error| {
            tracing::warn!(%error, "could not write a mail");
            SendError::Permanent("it could not be written as a mail".to_owned())
        })?;
        self.transport.send(mail).await.map_err(|error| send_error(&error))?;
        Ok(())
    }

    fn mail(
        &self,
        report: &Report,
        id: &str,
        (session, start): (Option<&str>, Option<&str>),
    ) -> Result<Message, lettre::error::Error> {
        // With another subject a reply would begin a thread of its own.
        let finding = report.finding.as_deref().filter(|_| start.is_none());
        let subject = subject(&report.title, finding);
        let mut builder =
            Message::builder().from(self.from.clone()).message_id(Some(id.to_owned()));
        for to in &self.to {
            builder = builder.to(to.clone());
        }
        builder = match (session, start) {
            (Some(session), Some(start)) => builder
                .subject(format!("Re: {subject}"))
                .in_reply_to(start.to_owned())
                .references(format!("{session} {start}")),
            (Some(session), None) => builder.subject(subject).references(session.to_owned()),
            (None, _) => builder.subject(subject),
        };
        // So that programs do not answer it.
        let automatic = HeaderName::new_from_ascii_str("Auto-Submitted");
        builder.raw_header(HeaderValue::new(automatic, "auto-generated".to_owned())).multipart(
            MultiPart::alternative_plain_html(
                render(report, &Plain, MAX_BYTES),
                render(report, &Html, MAX_BYTES),
            ),
        )
    }
}

/// The title of the alert, with the finding.
fn subject(title: &str, finding: Option<&str>) -> String {
    let text = finding.map(|finding| cut(&format!("{title}: {finding}"), MAX_SUBJECT));
    format!("[TARSy] {}", text.as_deref().unwrap_or(title))
}

/// The texts of mail servers are left out: they may repeat addresses.
fn send_error(error: &Error) -> SendError {
    let Some(status) = error.status() else {
        let found = obstacle(error);
        let is_of_certificate = found.as_ref().is_some_and(Obstacle::is_of_certificate);
        let found = found.map(|found| found.explain(AUTHORITIES));
        return if error.is_client() {
            SendError::Transient("it does not offer what is needed".to_owned())
        } else if error.is_tls() || is_of_certificate {
            let what = found.unwrap_or_else(|| "no encrypted connection".to_owned());
            SendError::Transient(what)
        } else {
            let other =
                if error.is_timeout() { "no answer in time" } else { "the connection broke" };
            SendError::Unanswered(found.unwrap_or_else(|| other.to_owned()))
        };
    };
    let code = u16::from(status);
    let text = format!("it answered {code}");
    match code {
        // It closes the connection, as servers do that get too much.
        421 => SendError::RateLimited { retry_after: http::pause(None) },
        // A wrong password can be corrected.
        530 | 534 | 535 | 538 => SendError::Transient(text),
        500..600 => SendError::Permanent(text),
        _ => SendError::Transient(text),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_subject_has_the_cause() {
        assert_eq!(subject("disk", None), "[TARSy] disk");
        assert_eq!(
            subject("disk", Some("logs grew (high confidence)")),
            "[TARSy] disk: logs grew (high confidence)"
        );
        let long = subject("disk", Some(&"x".repeat(900)));
        assert_eq!(long.chars().count(), "[TARSy] ".len() + MAX_SUBJECT);
    }
}
