//! Which changes are listed.

use serde::Deserialize;
use strum::IntoEnumIterator as _;
use tarsy_domain::change::ChangeKind;
use tarsy_domain::id::ChangeId;
use tarsy_store::ChangeQuery;
use tarsy_web::{FieldError, Problem};
use utoipa::IntoParams;

use crate::http::query_text::{date, given, quoted};

const DEFAULT_CHANGES: i64 = 50;
const MAX_CHANGES: i64 = 200;

/// Which changes. Names are compared without regard to case.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub(super) struct ChangeFilter {
    /// At that time or later: RFC 3339, or a day.
    since: Option<String>,
    /// At that time or earlier: RFC 3339, or a day.
    until: Option<String>,
    /// Only of this source.
    source: Option<String>,
    /// Only of this kind, such as `deployment`.
    kind: Option<String>,
    /// Only of this object, with or without its kind, or of the service or host of this name.
    near: Option<String>,
    /// Only of this service.
    service: Option<String>,
    /// Only in this namespace.
    namespace: Option<String>,
    /// Only in this cluster.
    cluster: Option<String>,
    /// Only on this host.
    host: Option<String>,
    /// Only in this environment.
    environment: Option<String>,
    /// Only those that follow the one with this id.
    #[param(value_type = Option<uuid::Uuid>)]
    before: Option<String>,
    /// At most so many changes, from 1 to 200; 50 without it.
    #[param(value_type = Option<i64>)]
    limit: Option<String>,
}

impl ChangeFilter {
    /// The query, or all that is wrong with it.
    pub(super) fn read(&self) -> Result<ChangeQuery, Problem> {
        let mut errors = Vec::new();
        let mut wrong = |field: &str, message: String| errors.push(FieldError::new(field, message));
        let text = |field: &Option<String>| given(field.as_ref()).map(str::to_owned);
        let kind =
            given(self.kind.as_ref()).map(|kind| kind.parse::<ChangeKind>().map_err(|_| kind));
        if let Some(Err(other)) = &kind {
            let known: Vec<&str> = ChangeKind::iter().map(ChangeKind::as_str).collect();
            wrong("kind", format!("is {}; write one of {}", quoted(other), known.join(", ")));
        }
        let since = date("since", given(self.since.as_ref()), false, &mut wrong);
        let until = date("until", given(self.until.as_ref()), true, &mut wrong);
        if let (Some(since), Some(until)) = (since, until)
            && since > until
        {
            wrong("until", "is before since; swap them".to_owned());
        }
        let before = given(self.before.as_ref()).map(str::parse::<ChangeId>);
        if matches!(before, Some(Err(_))) {
            wrong("before", "is not an id; write the id of a change".to_owned());
        }
        let limit = given(self.limit.as_ref()).map_or(Ok(DEFAULT_CHANGES), str::parse);
        let limit = limit.ok().filter(|limit| (1..=MAX_CHANGES).contains(limit));
        if limit.is_none() {
            wrong("limit", format!("write a number from 1 to {MAX_CHANGES}"));
        }
        if !errors.is_empty() {
            return Err(Problem::invalid(errors));
        }
        Ok(ChangeQuery {
            since,
            until,
            source: text(&self.source),
            kind: kind.and_then(Result::ok),
            near: text(&self.near),
            service: text(&self.service),
            namespace: text(&self.namespace),
            cluster: text(&self.cluster),
            host: text(&self.host),
            environment: text(&self.environment),
            before: before.and_then(Result::ok),
            limit: limit.unwrap_or(DEFAULT_CHANGES),
        })
    }
}
