//! A configured source.

use http::HeaderMap;
use jiff::Timestamp;
use serde_json::Value;
use tarsy_lenient::decode;
use url::Url;

use crate::alert::{Content, Draft};
use crate::body::{self, Body};
use crate::changes::ChangeSource;
use crate::json::ParseError;
use crate::limits::MAX_BODY_BYTES;
use crate::received::{Group, Ignored, Received};
use crate::refusal::{Refusal, VerifyError};
use crate::secrets::Secrets;
use crate::sources::mapping::Mapping;
use crate::sources::{
    alertmanager, azuremonitor, checkmk, cloudevents, datadog, eventbridge, generic, googlecloud,
    grafana, icinga, kubernetes, newrelic, opsgenie, pagerduty, sentry, sns, splunk, uptimekuma,
    zabbix,
};
use crate::verification::{Envelope, Sender, Verification};
use crate::{text_alert, usual};

/// What sends the requests, and how they are read.
#[derive(Clone, Debug)]
pub enum Kind {
    Alertmanager,
    Grafana,
    PagerDuty,
    Datadog,
    Opsgenie,
    Sns,
    EventBridge,
    AzureMonitor,
    GoogleCloud,
    Sentry,
    Zabbix,
    NewRelic,
    UptimeKuma,
    Splunk,
    Checkmk,
    Icinga,
    Kubernetes,
    CloudEvents(Option<Mapping>),
    /// Without a mapping, members are read by their usual names.
    Generic(Option<Mapping>),
    /// A source of changes instead of alerts.
    Changes(ChangeSource),
}

impl Kind {
    /// The name in the configuration.
    pub const fn as_str(&self) -> &'static str {
        match self {
            Self::Alertmanager => "alertmanager",
            Self::Grafana => "grafana",
            Self::PagerDuty => "pagerduty",
            Self::Datadog => "datadog",
            Self::Opsgenie => "opsgenie",
            Self::Sns => "sns",
            Self::EventBridge => "eventbridge",
            Self::AzureMonitor => "azuremonitor",
            Self::GoogleCloud => "googlecloud",
            Self::Sentry => "sentry",
            Self::Zabbix => "zabbix",
            Self::NewRelic => "newrelic",
            Self::UptimeKuma => "uptimekuma",
            Self::Splunk => "splunk",
            Self::Checkmk => "checkmk",
            Self::Icinga => "icinga",
            Self::Kubernetes => "kubernetes",
            Self::CloudEvents(_) => "cloudevents",
            Self::Generic(_) => "generic",
            Self::Changes(source) => source.as_str(),
        }
    }

    /// The names of the verifications that this source offers, the best first.
    pub const fn verifications(&self) -> &'static [&'static str] {
        match self {
            Self::Alertmanager
            | Self::Datadog
            | Self::Opsgenie
            | Self::EventBridge
            | Self::Zabbix
            | Self::NewRelic
            | Self::UptimeKuma
            | Self::Checkmk
            | Self::Icinga => &["bearer", "basic"],
            Self::GoogleCloud => &["basic", "query"],
            // Without headers of their own; a proxy between may add one.
            Self::AzureMonitor | Self::Splunk => &["query", "bearer", "basic"],
            Self::Grafana | Self::CloudEvents(_) | Self::Generic(_) => &["hmac", "bearer", "basic"],
            Self::PagerDuty => &["hmac", "bearer"],
            Self::Sentry => &["hmac"],
            Self::Kubernetes => &["bearer"],
            Self::Sns => &["sns"],
            Self::Changes(source) => source.verifications(),
        }
    }
}

/// Why there cannot be such a source.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SourceError {
    /// The source does not offer it.
    #[error("{kind} does not offer {verification}; use {}", offered.join(" or "))]
    Verification {
        kind: &'static str,
        verification: &'static str,
        offered: &'static [&'static str],
    },
}

/// A source that requests are received from.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    kind: Kind,
    verification: Verification,
}

impl Source {
    /// A source of this name. Each source verifies its sender; there is none that does not.
    pub fn new(
        name: impl Into<String>,
        kind: Kind,
        verification: Verification,
    ) -> Result<Self, SourceError> {
        let offered = kind.verifications();
        if !offered.contains(&verification.as_str()) {
            let (kind, verification) = (kind.as_str(), verification.as_str());
            return Err(SourceError::Verification { kind, verification, offered });
        }
        Ok(Self { name: name.into(), kind, verification })
    }

    pub fn name(&self) -> &str {
        &self.name
    }

    pub const fn kind(&self) -> &Kind {
        &self.kind
    }

    /// The address of the certificate that this request must be verified with, on a host of the source. The caller fetches
    /// it, once for many requests, and gives it to [`Self::receive`] in [`Secrets::certificate`].
    pub fn certificate_url(&self, body: &[u8]) -> Result<Option<Url>, Refusal> {
        match &self.verification {
            Verification::Sns { topics } => {
                bounded(body, self.max_body())?;
                let payload = signed(body)?;
                sns::certificate_url(&payload, topics).map(Some).map_err(unsigned)
            }
            _ => Ok(None),
        }
    }

    /// The most bytes of a body.
    pub const fn max_body(&self) -> usize {
        match self.kind {
            Kind::Sns => sns::MAX_BODY_BYTES,
            _ => MAX_BODY_BYTES,
        }
    }

    /// Verifies what stands in the headers and the address alone, so that the body of a stranger is not read; a signature is
    /// verified with the body.
    pub fn verify_headers<'a>(
        &self,
        envelope: impl Into<Envelope<'a>>,
        secrets: &Secrets,
    ) -> Result<Sender, Refusal> {
        self.verification.verify_headers(envelope.into(), secrets).map_err(Refusal::from)
    }

    /// Verifies, parses and maps a request. What a verified sender wrote is never refused: what no alert can be read from
    /// becomes one of [`Content::NotUnderstood`](crate::Content::NotUnderstood).
    pub fn receive<'a>(
        &self,
        envelope: impl Into<Envelope<'a>>,
        body: &[u8],
        secrets: &Secrets,
        now: Timestamp,
    ) -> Result<Received, Refusal> {
        let envelope = envelope.into();
        bounded(body, self.max_body())?;
        // Nothing is parsed before the sender is verified, except where the message itself carries the signature.
        self.verification.verify(envelope, body, secrets, now)?;
        if let Verification::Sns { topics } = &self.verification {
            sns::verify(&signed(body)?, topics, secrets, now).map_err(unsigned)?;
        }
        Ok(self.read(envelope.headers, body, now))
    }

    /// Parses and maps a payload whose sender is not verified, to show how it would be mapped.
    pub fn preview(
        &self,
        headers: &HeaderMap,
        body: &[u8],
        now: Timestamp,
    ) -> Result<Received, Refusal> {
        bounded(body, self.max_body())?;
        Ok(self.read(headers, body, now))
    }

    fn read(&self, headers: &HeaderMap, body: &[u8], now: Timestamp) -> Received {
        let plain = body::plain(headers, body);
        let read = plain.as_ref().map_err(Clone::clone).and_then(|body| match &self.kind {
            Kind::CloudEvents(_) | Kind::Changes(ChangeSource::Plain) => {
                cloudevents::read(headers, body)
            }
            _ => body::read(headers, body),
        });
        let Body { payload, notes } = match read {
            Ok(read) => read,
            Err(why) if matches!(self.kind, Kind::Changes(_)) => {
                return Received::Ignored(Ignored::Event(why.to_string()));
            }
            Err(why) => {
                let raw = body::raw(headers, plain.as_deref().unwrap_or(body));
                let is_alert = why.is_text() && matches!(self.kind, Kind::Generic(None));
                let draft = if is_alert {
                    text_alert::draft(raw)
                } else {
                    Draft::not_understood(raw, &why)
                };
                return self.one(draft);
            }
        };
        if let Kind::Changes(source) = &self.kind {
            return source.receive(headers, &payload);
        }
        let mut received = match self.map(&payload, now) {
            Ok(Received::Ignored(Ignored::Ping)) => self.one(Draft::test(payload)),
            Ok(received) => received,
            Err(why) => self.inside(&payload, now).unwrap_or_else(|| self.usual(payload, &why)),
        };
        if let Received::Alerts(group) = &mut received {
            for alert in &mut group.alerts {
                // The first note says why an alert is not understood.
                alert.notes.extend_from_slice(&notes);
            }
        }
        received
    }

    /// A payload of the kind's form that another service has put into one of its own, such as a message of a queue.
    fn inside(&self, payload: &Value, now: Timestamp) -> Option<Received> {
        let opened = usual::opened(payload);
        usual::wrapped(&opened).into_iter().find_map(|inner| match self.map(inner, now).ok()? {
            Received::Alerts(mut group) => {
                let is_read =
                    group.alerts.iter().all(|alert| alert.content != Content::NotUnderstood);
                for alert in &mut group.alerts {
                    alert.notes.push("read out of what another service put around it".to_owned());
                }
                is_read.then_some(Received::Alerts(group))
            }
            _ => None,
        })
    }

    /// A payload that is not of the kind's form: of another version, or of a template that somebody wrote.
    fn usual(&self, payload: Value, why: &ParseError) -> Received {
        let usual::Usual { drafts, left_out, is_recognized } = usual::read(&payload);
        if !is_recognized {
            return self.one(Draft::not_understood(payload, why));
        }
        let kind = self.kind.as_str();
        let finish = |draft: Draft| {
            draft.notes.add(format!("not of the form of {kind}, read by usual names: {why}"));
            draft.finish(&self.name)
        };
        let alerts = drafts.into_iter().map(finish).collect();
        Received::Alerts(Group { left_out, ..Group::of(alerts) })
    }

    fn one(&self, draft: Draft) -> Received {
        Received::Alerts(Group::of(vec![draft.finish(&self.name)]))
    }

    fn map(&self, payload: &Value, now: Timestamp) -> Result<Received, ParseError> {
        let name = self.name.as_str();
        match &self.kind {
            Kind::Alertmanager => alertmanager::receive(name, payload, now),
            Kind::Grafana => grafana::receive(name, payload, now),
            Kind::PagerDuty => pagerduty::receive(name, payload),
            Kind::Datadog => datadog::receive(name, payload),
            Kind::Opsgenie => opsgenie::receive(name, payload),
            Kind::Sns => sns::receive(name, payload),
            Kind::EventBridge => eventbridge::receive(name, payload),
            Kind::AzureMonitor => azuremonitor::receive(name, payload),
            Kind::GoogleCloud => googlecloud::receive(name, payload),
            Kind::Sentry => sentry::receive(name, payload),
            Kind::Zabbix => zabbix::receive(name, payload),
            Kind::NewRelic => newrelic::receive(name, payload),
            Kind::UptimeKuma => uptimekuma::receive(name, payload),
            Kind::Splunk => splunk::receive(name, payload),
            Kind::Checkmk => checkmk::receive(name, payload),
            Kind::Icinga => icinga::receive(name, payload),
            Kind::Kubernetes => kubernetes::receive(name, payload),
            Kind::CloudEvents(mapping) => Ok(cloudevents::receive(name, mapping.as_ref(), payload)),
            Kind::Generic(mapping) => Ok(generic::receive(name, mapping.as_ref(), payload)),
            // Read before, without alerts.
            Kind::Changes(_) => Ok(Received::Ignored(Ignored::Empty)),
        }
    }
}

/// What is signed must be read before it is verified: what cannot be read is of nobody.
fn signed(body: &[u8]) -> Result<Value, Refusal> {
    decode(body).map(|decoded| decoded.value).map_err(|_| not_signed())
}

fn unsigned(error: Refusal) -> Refusal {
    match error {
        Refusal::Malformed(_) => not_signed(),
        other => other,
    }
}

fn not_signed() -> Refusal {
    VerifyError::wrong("the message", "send it as SNS signed it").into()
}

fn bounded(body: &[u8], most: usize) -> Result<(), Refusal> {
    if body.len() > most {
        return Err(Refusal::TooLarge { bytes: body.len(), most });
    }
    Ok(())
}
