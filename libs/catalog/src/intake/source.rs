//! A source of alerts.

use std::time::Duration;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use tarsy_intake::{
    ChangeSource, HmacSignature, Kind, Source, SourceError, Verification, is_topic,
};

use super::events::{KubernetesChanges, KubernetesEvents, KubernetesTopology};
use super::mapping::IntakeMapping;
use super::wrong::Wrong;
use crate::rule::{AlertTypeName, As, Each, HeaderName, NotBlank, Positive, VariableName};

/// Where GitLab writes the secret of a webhook.
const GITLAB_TOKEN: &str = "x-gitlab-token";

/// What sends alerts, or changes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceKind {
    /// Prometheus Alertmanager.
    Alertmanager,
    /// Grafana's unified alerting.
    Grafana,
    /// PagerDuty, webhooks V3.
    PagerDuty,
    /// Datadog, with TARSy's payload.
    Datadog,
    /// Opsgenie, or Jira Service Management.
    Opsgenie,
    /// Amazon SNS, with alarms of CloudWatch, events of EventBridge and RDS, and budgets.
    Sns,
    /// An API destination of Amazon EventBridge.
    EventBridge,
    /// Azure Monitor, with the common alert schema.
    AzureMonitor,
    /// Google Cloud Monitoring.
    GoogleCloud,
    /// Sentry's integration platform.
    Sentry,
    /// Zabbix, with TARSy's script.
    Zabbix,
    /// New Relic's workflows.
    NewRelic,
    /// Uptime Kuma.
    UptimeKuma,
    /// The webhook alert action of Splunk.
    Splunk,
    /// Checkmk, with TARSy's script.
    Checkmk,
    /// Icinga 2, with TARSy's script.
    Icinga,
    /// Warning events of a Kubernetes cluster, from tarsy-kubernetes-watcher.
    Kubernetes,
    /// CloudEvents over HTTP.
    CloudEvents,
    /// Any JSON, described by `mapping`.
    Generic,
    /// Changes: webhooks of GitHub.
    GitHub,
    /// Changes: webhooks of GitLab.
    GitLab,
    /// Changes: notifications of Argo CD.
    ArgoCd,
    /// Changes: events of Flux's notification-controller.
    Flux,
    /// Changes: builds of Jenkins, from its Notification plugin.
    Jenkins,
    /// Changes: webhooks of LaunchDarkly.
    LaunchDarkly,
    /// Changes in TARSy's own form, plain or as CloudEvents.
    Changes,
}

/// How the sender of a request is verified.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum SourceVerification {
    /// The secret after `Authorization: Bearer`.
    Bearer,
    /// A user, with the secret as the password.
    Basic,
    /// A signature of the body, HMAC-SHA256.
    Hmac,
    /// The secret in the address, for sources that can send nothing else.
    Query,
    /// The secret as the value of a header of the source's own, `X-Gitlab-Token`.
    Header,
    /// The signature of Amazon SNS.
    Sns,
}

/// A source of alerts, or of changes.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct IntakeSource {
    /// What sends the alerts or changes
    pub kind: SourceKind,
    /// How its sender is verified; docs/intake has what each kind offers
    pub verification: SourceVerification,
    /// Variable of api-gateway with the secret; all but `sns` need it
    #[serde(default, with = "As::<VariableName>")]
    pub secret_env: Option<String>,
    /// Type of alerts that no rule gives one
    #[serde(default, with = "As::<AlertTypeName>")]
    #[schemars(extend("x-default" = "that of `defaults`"))]
    pub alert_type: Option<String>,
    /// `basic`: the user
    #[serde(default, with = "As::<NotBlank>")]
    pub user: Option<String>,
    /// `query`: parameter of the address with the secret
    #[serde(default, with = "As::<NotBlank>")]
    #[schemars(extend("x-default" = "`token`"))]
    pub parameter: Option<String>,
    /// `sns`: ARNs of the topics
    #[serde(default, with = "Each::<NotBlank>")]
    pub topics: Vec<String>,
    /// `hmac`: header with the signature in hexadecimal digits; known for `pagerduty`, `grafana`, `sentry`, `github`,
    /// `gitlab`, `flux` and `launchdarkly`
    #[serde(default, with = "As::<HeaderName>")]
    pub signature_header: Option<String>,
    /// `hmac`: what stands before the digits, such as `sha256=`
    #[serde(default, with = "As::<NotBlank>")]
    pub signature_prefix: Option<String>,
    /// `hmac`: header with the time in seconds, signed as `TIME:BODY`; of `grafana` `X-Grafana-Alerting-Timestamp`
    #[serde(default, with = "As::<HeaderName>")]
    pub timestamp_header: Option<String>,
    /// How long a heartbeat (such as `Watchdog`) may stay away before an alert about that begins a session
    #[serde(default, with = "As::<Positive>")]
    #[schemars(extend("x-default" = "for ever"))]
    pub heartbeat_within: Option<Duration>,
    /// `generic` and `cloudevents`: where the fields of an alert stand; without it they are read by usual names
    #[serde(default)]
    pub mapping: Option<IntakeMapping>,
    /// `kubernetes`: events that the watcher sends
    #[serde(default)]
    pub events: Option<KubernetesEvents>,
    /// `kubernetes`: changes that the watcher sends; without this block none
    #[serde(default)]
    pub changes: Option<KubernetesChanges>,
    /// `kubernetes`: that the watcher reads what depends on what
    #[serde(default)]
    pub topology: Option<KubernetesTopology>,
}

impl IntakeSource {
    /// The source, or everything that is wrong with it.
    pub(super) fn compile(&self, name: &str) -> Result<Source, Vec<Wrong>> {
        let mut wrong = self.misplaced();
        let kind = self.compile_kind().map_err(|errors| wrong.extend(errors)).ok();
        let verification = self.compile_verification().map_err(|error| wrong.push(error)).ok();
        let built = kind.zip(verification).map(|(kind, verification)| {
            Source::new(name, kind, verification).map_err(|error| {
                let SourceError::Verification { kind, offered, .. } = error;
                let suggestion = format!("write {}", offered.join(" or "));
                wrong.push(Wrong::of(
                    "verification",
                    format!("{kind} does not offer it"),
                    suggestion,
                ));
            })
        });
        match built {
            Some(Ok(source)) if wrong.is_empty() => Ok(source),
            _ => Err(wrong),
        }
    }

    fn compile_kind(&self) -> Result<Kind, Vec<Wrong>> {
        let mapping = self.mapping.as_ref().map(IntakeMapping::compile).transpose()?;
        match self.kind {
            SourceKind::Alertmanager => Ok(Kind::Alertmanager),
            SourceKind::Grafana => Ok(Kind::Grafana),
            SourceKind::PagerDuty => Ok(Kind::PagerDuty),
            SourceKind::Datadog => Ok(Kind::Datadog),
            SourceKind::Opsgenie => Ok(Kind::Opsgenie),
            SourceKind::Sns => Ok(Kind::Sns),
            SourceKind::EventBridge => Ok(Kind::EventBridge),
            SourceKind::AzureMonitor => Ok(Kind::AzureMonitor),
            SourceKind::GoogleCloud => Ok(Kind::GoogleCloud),
            SourceKind::Sentry => Ok(Kind::Sentry),
            SourceKind::Zabbix => Ok(Kind::Zabbix),
            SourceKind::NewRelic => Ok(Kind::NewRelic),
            SourceKind::UptimeKuma => Ok(Kind::UptimeKuma),
            SourceKind::Splunk => Ok(Kind::Splunk),
            SourceKind::Checkmk => Ok(Kind::Checkmk),
            SourceKind::Icinga => Ok(Kind::Icinga),
            SourceKind::Kubernetes => Ok(Kind::Kubernetes),
            SourceKind::CloudEvents => Ok(Kind::CloudEvents(mapping)),
            SourceKind::GitHub => Ok(Kind::Changes(ChangeSource::GitHub)),
            SourceKind::GitLab => Ok(Kind::Changes(ChangeSource::GitLab)),
            SourceKind::ArgoCd => Ok(Kind::Changes(ChangeSource::ArgoCd)),
            SourceKind::Flux => Ok(Kind::Changes(ChangeSource::Flux)),
            SourceKind::Jenkins => Ok(Kind::Changes(ChangeSource::Jenkins)),
            SourceKind::LaunchDarkly => Ok(Kind::Changes(ChangeSource::LaunchDarkly)),
            SourceKind::Changes => Ok(Kind::Changes(ChangeSource::Plain)),
            SourceKind::Generic => Ok(Kind::Generic(mapping)),
        }
    }

    fn compile_verification(&self) -> Result<Verification, Wrong> {
        match self.verification {
            SourceVerification::Hmac => self.signature().map(Verification::Hmac),
            SourceVerification::Bearer => Ok(Verification::Bearer),
            SourceVerification::Header => {
                Ok(Verification::Header { header: GITLAB_TOKEN.to_owned() })
            }
            SourceVerification::Basic => {
                let user = self.user.clone().ok_or_else(|| {
                    Wrong::missing(
                        &["user"],
                        "is missing for basic",
                        "add the user that the source sends",
                    )
                })?;
                Ok(Verification::Basic { user })
            }
            SourceVerification::Query => {
                let parameter = self.parameter.clone().unwrap_or_else(|| "token".to_owned());
                Ok(Verification::Query { parameter })
            }
            SourceVerification::Sns if self.topics.is_empty() => {
                let suggestion = "add the ARNs of your topics: anybody can send messages of others";
                Err(Wrong::missing(&["topics"], "is missing for sns", suggestion))
            }
            SourceVerification::Sns => match self.topics.iter().find(|arn| !is_topic(arn)) {
                Some(other) => {
                    let suggestion = "write it as `arn:aws:sns:eu-west-1:123456789012:alarms`";
                    let message = format!("\"{other}\" is not the ARN of a topic");
                    Err(Wrong::of("topics", message, suggestion))
                }
                None => Ok(Verification::Sns { topics: self.topics.clone() }),
            },
        }
    }

    fn signature(&self) -> Result<HmacSignature, Wrong> {
        let known = match self.kind {
            SourceKind::PagerDuty => Some(HmacSignature::pagerduty()),
            SourceKind::Grafana => Some(HmacSignature::grafana()),
            SourceKind::Sentry => Some(HmacSignature::sentry()),
            SourceKind::GitHub => Some(HmacSignature::github()),
            SourceKind::GitLab => Some(HmacSignature::gitlab()),
            SourceKind::Flux => Some(HmacSignature::flux()),
            SourceKind::LaunchDarkly => Some(HmacSignature::launchdarkly()),
            _ => None,
        };
        let unknown = || {
            let header = self.signature_header.clone()?;
            Some(HmacSignature { header, ..HmacSignature::default() })
        };
        let mut signature = known.or_else(unknown).ok_or_else(|| {
            let suggestion = "add the header that the source writes its signature into";
            Wrong::missing(&["signature_header"], "is missing for hmac", suggestion)
        })?;
        if let Some(header) = &self.signature_header {
            signature.header.clone_from(header);
        }
        if let Some(prefix) = &self.signature_prefix {
            signature.prefix.clone_from(prefix);
        }
        if let Some(header) = &self.timestamp_header {
            signature.timestamp_header = Some(header.clone());
        }
        Ok(signature)
    }

    /// Whether a signature holds for ever, of a source that is not known to send each of its events once.
    pub(super) fn signs_no_time(&self) -> bool {
        self.verification == SourceVerification::Hmac
            && matches!(self.kind, SourceKind::CloudEvents | SourceKind::Generic)
            && self.timestamp_header.is_none()
    }

    /// What is missing, or has no meaning, for this kind and verification.
    fn misplaced(&self) -> Vec<Wrong> {
        let is_sns = self.verification == SourceVerification::Sns;
        let is_hmac = self.verification == SourceVerification::Hmac;
        let has_mapping = matches!(self.kind, SourceKind::CloudEvents | SourceKind::Generic);
        let is_kubernetes = self.kind == SourceKind::Kubernetes;
        let mut wrong = Vec::new();
        if !is_sns && self.secret_env.is_none() {
            let suggestion = "add the name of the variable with the secret, such as ALERTS_SECRET";
            wrong.push(Wrong::missing(&["secret_env"], "is missing", suggestion));
        }
        let is_basic = self.verification == SourceVerification::Basic;
        let is_query = self.verification == SourceVerification::Query;
        for (key, is_there, has_meaning) in [
            ("secret_env", self.secret_env.is_some(), !is_sns),
            ("user", self.user.is_some(), is_basic),
            ("parameter", self.parameter.is_some(), is_query),
            ("topics", !self.topics.is_empty(), is_sns),
            ("signature_header", self.signature_header.is_some(), is_hmac),
            ("signature_prefix", self.signature_prefix.is_some(), is_hmac),
            ("timestamp_header", self.timestamp_header.is_some(), is_hmac),
            ("mapping", self.mapping.is_some(), has_mapping),
            ("events", self.events.is_some(), is_kubernetes),
            ("changes", self.changes.is_some(), is_kubernetes),
            ("topology", self.topology.is_some(), is_kubernetes),
        ] {
            if is_there && !has_meaning {
                wrong.push(Wrong::of(key, "has no meaning for this source", "remove it"));
            }
        }
        wrong
    }
}
