//! A request of a source: its sender is verified, as far as its headers tell before its body is read. Refusals are counted.

use axum::body::Body;
use tarsy_catalog::Intake;
use tarsy_domain::code::Code;
use tarsy_intake::{Envelope, Received, Refusal, Secrets, Sender, Source};
use tarsy_store::RefusalReason;
use tarsy_web::{BodyError, Problem};

use crate::state::AppState;

/// Bodies of more bytes are parsed beside the tasks that serve others.
const LARGE: usize = 1024 * 1024;

/// A request whose body is not read yet.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Request<'a> {
    /// The name of its source, as the request has it.
    pub(crate) name: &'a str,
    /// The client's address.
    pub(crate) address: &'a str,
    pub(crate) envelope: Envelope<'a>,
}

/// Counts a request that is refused because too many are read at a time.
pub(crate) fn count_busy(app: &AppState, name: &str, address: &str) {
    app.refused.add(name, address, RefusalReason::Busy, app.clock.now());
}

impl Request<'_> {
    /// The source, if there is one of this name.
    pub(super) fn source(&self, app: &AppState) -> Result<Source, Problem> {
        let catalog = app.configuration.for_alerts()?;
        catalog.intake.source(self.name).ok_or_else(|| {
            self.count(app, RefusalReason::UnknownSource);
            let name = tarsy_web::extract::truncated(self.name);
            tracing::debug!(
                source = name,
                "there is no such source in intake.sources of tarsy.yaml"
            );
            unverified()
        })
    }

    /// Reads the body of a sender that is verified, or may be by its body.
    pub(super) async fn read(
        &self,
        app: &AppState,
        source: Source,
        body: Body,
    ) -> Result<Received, Problem> {
        let catalog = app.configuration.for_alerts()?;
        let secrets = secret(app, &catalog.intake, &source);
        let sender = source.verify_headers(self.envelope, &secrets);
        let sender = sender.map_err(|error| self.refused(app, &error))?;
        let headers = self.envelope.headers;
        let held = app.capacity.read(sender, headers, body, source.max_body()).await;
        let held = held.map_err(|error| self.not_read(app, &source, sender, error))?;
        let secrets = match source.certificate_url(&held.body) {
            Ok(None) => secrets,
            Ok(Some(url)) => Secrets::certificate(app.certificates.get(&url).await?),
            Err(error) => return Err(self.refused(app, &error)),
        };
        let now = app.clock.now();
        let received = if held.body.len() > LARGE {
            let (headers, body) = (self.envelope.headers.clone(), held.body.clone());
            let query = self.envelope.query.map(str::to_owned);
            let parsed = tokio::task::spawn_blocking(move || {
                let envelope = Envelope { headers: &headers, query: query.as_deref() };
                source.receive(envelope, &body, &secrets, now)
            });
            parsed.await.map_err(|error| {
                tracing::error!(%error, "a request of a source could not be parsed");
                Problem::new(Code::Internal, "the request could not be parsed")
            })?
        } else {
            source.receive(self.envelope, &held.body, &secrets, now)
        };
        received.map_err(|error| self.refused(app, &error))
    }

    fn count(&self, app: &AppState, reason: RefusalReason) {
        app.refused.add(self.name, self.address, reason, app.clock.now());
    }

    fn refused(&self, app: &AppState, refusal: &Refusal) -> Problem {
        let text = refusal.to_string();
        match refusal {
            // What cannot be read before it is verified is of nobody.
            Refusal::Unverified(_) | Refusal::Malformed(_) => {
                self.count(app, RefusalReason::Unverified);
                tracing::warn!(source = self.name, reason = text, "a request is refused");
                unverified()
            }
            Refusal::TooLarge { .. } => {
                self.count(app, RefusalReason::TooLarge);
                Problem::too_large(text)
            }
        }
    }

    fn not_read(
        &self,
        app: &AppState,
        source: &Source,
        sender: Sender,
        error: BodyError,
    ) -> Problem {
        match error {
            BodyError::TooLarge => {
                self.count(app, RefusalReason::TooLarge);
                let most = source.max_body();
                let text =
                    format!("the body has more than {most} bytes; send fewer alerts at once");
                if sender == Sender::Verified {
                    return Problem::too_large(text);
                }
                tracing::warn!(source = self.name, reason = text, "a request is refused");
                unverified()
            }
            BodyError::NoCapacity => {
                self.count(app, RefusalReason::Busy);
                Problem::new(
                    Code::Unavailable,
                    "too many large requests at once; send it again soon",
                )
            }
            BodyError::Broken(problem) => {
                self.count(app, RefusalReason::Broken);
                problem
            }
        }
    }
}

/// The answer to a sender that is not verified, and to one that names a source which is not there: nobody learns by it
/// which sources there are, and how they are verified.
fn unverified() -> Problem {
    Problem::new(
        Code::Unauthenticated,
        "no alert source verifies this sender; the log of api-gateway has the reason, and intake.sources of tarsy.yaml \
         the sources",
    )
}

/// The secret that the request is verified with.
fn secret(app: &AppState, intake: &Intake, source: &Source) -> Secrets {
    let variable = intake.sources.get(source.name()).and_then(|one| one.secret_env.as_ref());
    let secret =
        variable.and_then(|name| app.settings.environment().get(name)).map(|text| text.trim());
    Secrets::of(secret)
}
