//! The app of Slack whose messages people act on: who sent a request, and the answer to a person.

mod replies;
mod signature;

use std::collections::BTreeMap;
use std::sync::Arc;

use anyhow::Context as _;
use http::HeaderMap;
use secrecy::SecretString;
use tarsy_catalog::SlackUser;
use tarsy_domain::access::Grant;
use tarsy_domain::clock::Clock;
use tarsy_domain::code::Code;
use tarsy_domain::id::SessionId;
use tarsy_service::{ServiceContext, Settings};
use tarsy_web::Problem;

use self::replies::Replies;
use self::signature::Signed;
use crate::access::{Credential, Principal};

/// The app, if the configuration names its signing secret.
pub(crate) struct SlackApp {
    secret: SecretString,
    users: BTreeMap<String, SlackUser>,
    replies: Replies,
    dashboard_url: String,
    clock: Arc<dyn Clock>,
}

impl SlackApp {
    /// Reads the secret and starts the task that answers people; none without `signing_secret_env`.
    pub(crate) fn start(
        system: &tarsy_catalog::System,
        settings: &Settings,
        service: &ServiceContext,
    ) -> anyhow::Result<Option<Arc<Self>>> {
        let slack = &system.slack;
        let Some(variable) = &slack.signing_secret_env else { return Ok(None) };
        let secret = settings.environment().get(variable).map(|text| text.trim().to_owned());
        let secret = secret.filter(|text| !text.is_empty()).with_context(|| {
            format!(
                "the variable {variable} is not set; set it to the signing secret of the app in Slack, or remove \
                 system.slack.signing_secret_env"
            )
        })?;
        Ok(Some(Arc::new(Self {
            secret: secret.into(),
            users: slack.users.clone(),
            replies: Replies::start(&slack.api_url, service)?,
            dashboard_url: system.dashboard_url.clone(),
            clock: service.clock(),
        })))
    }

    /// The claim of a request's headers that Slack sent it, before its body is read; a problem if there is none, or if
    /// it is not of now.
    pub(crate) fn signed(&self, headers: &HeaderMap) -> Result<Signed, Problem> {
        Signed::read(headers, self.clock.now()).map_err(unidentified)
    }

    /// Whether the claim fits the body.
    pub(crate) fn verify(&self, signed: &Signed, body: &[u8]) -> Result<(), Problem> {
        signed.verify(&self.secret, body).map_err(unidentified)
    }

    /// The person with this member id; none if the configuration does not list it.
    pub(crate) fn principal(&self, member_id: &str) -> Option<Principal> {
        let user = self.users.get(member_id)?;
        let grant = Grant::Role(user.role);
        Some(Principal { name: user.name.clone(), credential: Credential::Slack, grant })
    }

    /// The page of a session in the dashboard.
    pub(crate) fn session_page(&self, session: SessionId) -> String {
        format!("{}/sessions/{session}", self.dashboard_url)
    }

    /// Tells the person who used a button something that nobody else sees; never waits.
    pub(crate) fn reply(&self, response_url: Option<&str>, text: String) {
        self.replies.send(response_url, text);
    }
}

fn unidentified(detail: &str) -> Problem {
    Problem::new(Code::Unauthenticated, detail)
}
