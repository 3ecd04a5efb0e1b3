//! What sources send, as typed alerts and changes: verified, parsed within bounds, mapped to one record, routed by the rules of
//! an operator, and compared with what is known.
//!
//! Pure: the clock, secrets and certificates are arguments, and nothing is fetched or stored.
//!
//! ```
//! use tarsy_intake::{Kind, Received, Secrets, Source, Verification};
//!
//! let source = Source::new("prometheus", Kind::Alertmanager, Verification::Bearer)?;
//! let mut headers = http::HeaderMap::new();
//! headers.insert("authorization", http::HeaderValue::from_static("Bearer s3cret"));
//! let body = br#"{"version": "4", "alerts": [{"status": "firing", "labels": {"alertname": "DiskFull"}}]}"#;
//! let secrets = Secrets::of([b"s3cret"]);
//! let received = source.receive(&headers, body, &secrets, "2026-11-24T00:00:00Z".parse()?)?;
//! let Received::Alerts(group) = received else { panic!("a group of alerts") };
//! assert_eq!(group.alerts[0].title, "DiskFull");
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod alert;
mod body;
mod bounds;
mod change;
mod changes;
mod decision;
mod dependency;
mod fingerprint;
mod finish;
mod heartbeat;
mod hmac_signature;
mod json;
mod label_names;
mod labels;
mod limits;
mod names;
mod notes;
mod policy;
mod received;
mod refusal;
mod route;
mod secrets;
mod source;
mod sources;
mod stated;
mod status_words;
mod text_alert;
mod time;
mod title;
mod usual;
mod verification;
mod x509;

pub use alert::{Alert, Content, Link, Status};
pub use change::{Change, MAX_CHANGE_TEXT, MAX_CHANGES};
pub use changes::{ChangeError, ChangeSource, changes_in};
pub use decision::{
    Action, Decision, Known, Reason, SessionState, StoredSession, decide, group_of,
};
pub use dependency::Dependency;
pub use heartbeat::Heartbeat;
pub use hmac_signature::HmacSignature;
pub use json::ParseError;
pub use limits::{
    MAX_ALERTS, MAX_ANNOTATION_BYTES, MAX_ANNOTATIONS, MAX_BODY_BYTES, MAX_FINGERPRINT,
    MAX_GROUP_KEY, MAX_LABEL_NAME, MAX_LABEL_VALUE, MAX_LABELS, MAX_LINKS, MAX_NAME, MAX_RAW_BYTES,
    MAX_SEVERITY, MAX_TITLE, MAX_URL,
};
pub use policy::{Flapping, Policy, QuietHours};
pub use received::{Confirmation, Group, Ignored, Received};
pub use refusal::{Refusal, VerifyError};
pub use route::{Field, MAX_RULES, Matcher, MatcherError, Miss, Route, Rule, Test, route};
pub use secrets::Secrets;
pub use source::{Kind, Source, SourceError};
pub use sources::is_topic;
pub use sources::mapping::{Mapping, MappingError, Paths, StatusWords};
pub use stated::{Stated, stated_in};
pub use title::title_of;
pub use verification::{Envelope, Sender, Verification};
