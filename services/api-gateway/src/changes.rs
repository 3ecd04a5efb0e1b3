//! Records what changed: masks what a source reports, and has the store keep what is new of it.

use std::collections::BTreeSet;

use jiff::{SignedDuration, Timestamp};
use tarsy_contracts::change::Change as RecordedOfSession;
use tarsy_domain::change::ChangeKind;
use tarsy_domain::id::ChangeId;
use tarsy_intake::Change;
use tarsy_store::{NewChange, secret};
use tarsy_web::Problem;

use crate::masking::{AlertMasker, Error};
use crate::metrics;
use crate::state::AppState;

/// How far in the future a change may lie before its time is that of its arrival: clocks differ by seconds.
const MAX_AHEAD: SignedDuration = SignedDuration::from_mins(5);
/// The longest name of a source, in characters.
const MAX_SOURCE: usize = 200;
/// What one source sends again within so many seconds, without an id and a time, is the same change.
const SAME_WITHIN: i64 = 60;

/// The most changes of a session's record: as many as an investigation is given.
const MAX_RECORDED: usize = 50;

#[derive(Clone, Copy, Debug)]
pub(crate) struct RecordedChange {
    pub(crate) id: ChangeId,
    /// Whether it was known before; its id is another one then.
    pub(crate) is_repeat: bool,
}

/// Keeps the changes of a source that are not known.
pub(crate) async fn record(
    app: &AppState,
    source: &str,
    changes: Vec<Change>,
) -> Result<Vec<RecordedChange>, Problem> {
    let now = app.clock.now();
    let source: String = source.chars().take(MAX_SOURCE).collect();
    let new = changes.into_iter().map(|change| masked(&source, change, now, &app.masker));
    let new = new.collect::<Result<Vec<NewChange>, Error>>()?;
    let ids: Vec<ChangeId> = new.iter().map(|change| change.id).collect();
    let inserted: BTreeSet<ChangeId> = app.store.insert_changes(new).await?.into_iter().collect();
    metrics::changes_recorded(inserted.len());
    let outcome = |id: ChangeId| RecordedChange { id, is_repeat: !inserted.contains(&id) };
    Ok(ids.into_iter().map(outcome).collect())
}

/// The change without secrets. A text that cannot be masked is an error: nothing of the request is kept.
fn masked(
    source: &str,
    change: Change,
    now: Timestamp,
    masker: &AlertMasker,
) -> Result<NewChange, Error> {
    let stated = change.occurred_at.filter(|time| time.duration_since(now) <= MAX_AHEAD);
    let minute = stated.map_or(now.as_second() / SAME_WITHIN, Timestamp::as_second);
    let content = || secret::hex_hash(&format!("{minute} {change:?}"));
    let source_id = change.source_id.clone().unwrap_or_else(content);
    let mask = |text: Option<String>| text.map(|text| masker.mask(text)).transpose();
    Ok(NewChange {
        id: ChangeId::new(),
        source: source.to_owned(),
        source_id,
        kind: change.kind.parse().unwrap_or(ChangeKind::Other),
        object: mask(change.object)?,
        service: mask(change.service)?,
        namespace: mask(change.namespace)?,
        cluster: mask(change.cluster)?,
        host: mask(change.host)?,
        environment: mask(change.environment)?,
        author: mask(change.author)?,
        link: mask(change.link)?,
        text: masker.mask(change.text)?,
        occurred_at: stated.unwrap_or(now),
    })
}

/// Masks the changes of a record that was made elsewhere; those that are too many are left out.
pub(crate) fn mask_recorded(
    changes: &mut Vec<RecordedOfSession>,
    masker: &AlertMasker,
) -> Result<(), Error> {
    changes.truncate(MAX_RECORDED);
    for change in changes {
        let texts = [
            &mut change.object,
            &mut change.service,
            &mut change.namespace,
            &mut change.cluster,
            &mut change.host,
            &mut change.environment,
            &mut change.author,
            &mut change.link,
        ];
        for text in texts.into_iter().flatten().chain([&mut change.text, &mut change.source]) {
            *text = masker.mask(std::mem::take(text))?;
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use http::HeaderMap;
    use serde_json::json;
    use strum::IntoEnumIterator as _;
    use tarsy_catalog::AlertMasking;
    use tarsy_intake::changes_in;

    use super::*;

    fn recorded(change: Change, now: &str) -> NewChange {
        let rules = AlertMasking { enabled: true, pattern_group: "security".to_owned() };
        let masker = AlertMasker::new(&rules).unwrap();
        masked("ci", change, now.parse().unwrap(), &masker).unwrap()
    }

    fn change(text: &str, occurred_at: Option<&str>) -> Change {
        let occurred_at = occurred_at.map(|time| time.parse().unwrap());
        let kind = "deployment".to_owned();
        Change { text: text.to_owned(), kind, occurred_at, ..Change::default() }
    }

    #[test]
    fn secrets_are_masked_and_a_time_far_ahead_is_that_of_the_arrival() {
        let now = "2026-02-11T09:00:00Z";
        let change = change("set password: hunter2hunter2", Some("2026-02-12T09:00:00Z"));
        let new = recorded(
            Change {
                link: Some("https://ci.example/?password=hunter2hunter2".to_owned()),
                ..change
            },
            now,
        );
        assert!(!format!("{new:?}").contains("hunter2"), "{new:?}");
        assert_eq!((new.kind, new.occurred_at.to_string().as_str()), (ChangeKind::Deployment, now));
    }

    #[test]
    fn each_kind_is_accepted_by_its_name_and_kept_as_that_kind() {
        let now = "2026-02-11T09:00:00Z";
        for kind in ChangeKind::iter() {
            let body = json!({"kind": kind.as_str(), "text": "it changed"});
            let read = changes_in(&HeaderMap::new(), body).unwrap().remove(0);
            assert_eq!(recorded(read, now).kind, kind);
        }
    }

    #[test]
    fn what_has_no_id_is_the_same_if_its_text_and_its_time_are() {
        let id =
            |text: &str, time: Option<&str>, now: &str| recorded(change(text, time), now).source_id;
        let (first, later) = ("2026-02-11T09:00:10Z", "2026-02-11T09:00:50Z");
        assert_eq!(id("a", None, first), id("a", None, later));
        assert_ne!(id("a", None, first), id("a", None, "2026-02-11T09:05:00Z"));
        assert_eq!(id("a", Some(first), first), id("a", Some(first), "2026-02-11T11:00:00Z"));
        assert_ne!(id("a", Some(first), first), id("b", Some(first), first));
    }
}
