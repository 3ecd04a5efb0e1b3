//! The change that explains a cause: one that the investigation was given, with its id.

use tarsy_contracts::change::Change;
use tarsy_domain::change::ChangeLine;
use tarsy_domain::verdict::{ExplainingChange, MAX_TEXT_CHARS, Verdict};

/// Leaves out the changes that the session was not given; the others are as it was given them.
pub(super) fn retain_given(verdict: &mut Verdict, near: &[Change]) {
    let others = verdict.alternatives.iter_mut().map(|one| &mut one.change);
    for change in std::iter::once(&mut verdict.change).chain(others) {
        *change = change.take().and_then(|found| given(&found, near));
    }
}

/// The change that the analyst names by its line, as the session was given it; none of another one. A line has whole seconds:
/// of several changes of one, the text decides.
fn given(found: &ExplainingChange, near: &[Change]) -> Option<ExplainingChange> {
    let named = (found.occurred_at, found.kind, &found.object, &found.service);
    let lines = near.iter().filter_map(|change| Some((change, ChangeLine::parse(&change.line())?)));
    let fitting: Vec<_> = lines
        .filter(|(_, line)| (line.occurred_at, line.kind, &line.object, &line.service) == named)
        .collect();
    // The text may have been cut for the prompt.
    let text = found.text.trim_end_matches('…');
    let has_text = fitting.iter().find(|(_, line)| line.text.starts_with(text));
    has_text.or(fitting.first()).map(|(change, _)| typed(change))
}

/// A change that was given, as a verdict has it.
pub(super) fn typed(change: &Change) -> ExplainingChange {
    ExplainingChange {
        id: Some(change.id),
        kind: change.kind,
        object: change.object.clone(),
        service: change.service.clone(),
        occurred_at: change.occurred_at,
        text: change.text.chars().take(MAX_TEXT_CHARS).collect(),
    }
}

/// Leaves out changes that the analysis does not name, and one that explains no cause; answers whose they were.
pub(super) fn leave_out_unnamed(
    verdict: &mut Verdict,
    near: &[Change],
    analysis: &str,
) -> Vec<String> {
    let is_named = |found: &ExplainingChange| {
        near.iter().any(|change| Some(change.id) == found.id && is_named(change, analysis))
    };
    let states_cause = verdict.states_cause();
    let mut left_out = Vec::new();
    if verdict.change.take_if(|change| !states_cause || !is_named(change)).is_some() {
        left_out.push("change".to_owned());
    }
    for (index, other) in verdict.alternatives.iter_mut().enumerate() {
        if other.change.take_if(|change| !is_named(change)).is_some() {
            left_out.push(format!("alternatives[{index}].change"));
        }
    }
    left_out
}

/// Whether a text has the name of what changed, of its service or of its machine.
fn is_named(change: &Change, text: &str) -> bool {
    let text = text.to_lowercase();
    let object = change.object.as_deref().and_then(|object| object.rsplit('/').next());
    let names = [object, change.service.as_deref(), change.host.as_deref()];
    names.into_iter().flatten().any(|name| !name.is_empty() && text.contains(&name.to_lowercase()))
}

#[cfg(test)]
mod tests {
    use tarsy_domain::change::ChangeKind;
    use tarsy_domain::id::ChangeId;

    use super::*;

    fn change(object: Option<&str>, service: Option<&str>) -> Change {
        let at = "2026-02-11T09:30:00Z".parse().unwrap();
        Change {
            id: ChangeId::new(),
            source: "ci".to_owned(),
            kind: ChangeKind::Deployment,
            object: object.map(str::to_owned),
            service: service.map(str::to_owned),
            namespace: None,
            cluster: None,
            host: None,
            environment: None,
            author: None,
            link: Some("https://ci.example/1".to_owned()),
            text: "1.8.1 → 1.8.2".to_owned(),
            occurred_at: at,
            received_at: at,
        }
    }

    #[test]
    fn the_line_of_a_change_leads_to_the_change() {
        let near =
            [change(Some("Deployment/cart"), None), change(Some("Deployment/checkout"), None)];
        let line = ChangeLine::parse(&near[1].line()).unwrap();
        let found = given(&ExplainingChange::from(&line), &near).unwrap();
        assert_eq!((found.id, found.text.as_str()), (Some(near[1].id), "1.8.1 → 1.8.2"));
        assert_eq!(given(&ExplainingChange::from(&line), &near[..1]), None);
    }

    #[test]
    fn of_changes_within_a_second_the_text_decides() {
        let first = change(Some("Deployment/cart"), None);
        let second = Change { text: "1.8.2 → 1.8.3".to_owned(), ..first.clone() };
        let second = Change { id: ChangeId::new(), ..second };
        let near = [first, second];
        for one in &near {
            let line = ChangeLine::parse(&one.line()).unwrap();
            assert_eq!(given(&ExplainingChange::from(&line), &near).unwrap().id, Some(one.id));
            let cut =
                ExplainingChange { text: "1.8.…".to_owned(), ..ExplainingChange::from(&line) };
            assert!(given(&cut, &near).is_some());
        }
    }

    #[test]
    fn a_change_counts_as_named_by_its_object_or_service() {
        let rollout = change(Some("Deployment/checkout"), Some("shop-api"));
        for (text, named) in [
            ("Checkout fails since its rollout", true),
            ("after the release of shop-api", true),
            ("the deployment at 09:30", false),
            ("", false),
        ] {
            assert_eq!(is_named(&rollout, text), named, "{text}");
        }
        assert!(!is_named(&change(None, None), "a commit"));
    }
}
