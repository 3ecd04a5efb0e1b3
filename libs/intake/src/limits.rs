//! Bounds of what a source may send. Those of single fields are the ones of `POST /api/v1/alerts`.

/// The most bytes of a request's body. Alertmanager sends all alerts of a group in one, unless its `max_alerts` is set.
pub const MAX_BODY_BYTES: usize = 32 * 1024 * 1024;
/// The most bytes of a body that was sent in gzip or deflate: the room that a request takes is that of what was sent.
pub(crate) const MAX_OPENED: usize = 4 * 1024 * 1024;
/// The most JSON values of a request's body: some take a hundred times the memory of their text.
pub(crate) const MAX_VALUES: usize = 1_000_000;
/// The most alerts of one request; further ones are counted.
pub const MAX_ALERTS: usize = 50_000;
/// The most bytes that are kept of what a source sent of one alert.
pub const MAX_RAW_BYTES: usize = 256 * 1024;

/// The most labels of an alert.
pub const MAX_LABELS: usize = 64;
/// The most characters of a label's name.
pub const MAX_LABEL_NAME: usize = 128;
/// The most characters of a label's value.
pub const MAX_LABEL_VALUE: usize = 1_024;
/// The most annotations of an alert.
pub const MAX_ANNOTATIONS: usize = 64;
/// The most bytes of an annotation's value: descriptions of alerts are pages at most.
pub const MAX_ANNOTATION_BYTES: usize = 16 * 1024;

/// The most characters of a title.
pub const MAX_TITLE: usize = 200;
/// The most characters of a severity.
pub const MAX_SEVERITY: usize = 50;
/// The most characters of the name of a service, namespace or cluster: those of a DNS name.
pub const MAX_NAME: usize = 253;
/// The most links of an alert.
pub const MAX_LINKS: usize = 20;
/// The most characters of an address.
pub const MAX_URL: usize = 2_048;
/// The most characters of a fingerprint.
pub const MAX_FINGERPRINT: usize = 500;
/// The most characters of a group's key. Alertmanager writes a route's matchers into it.
pub const MAX_GROUP_KEY: usize = 1_024;
