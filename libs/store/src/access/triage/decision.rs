//! What a person does about a session, and what it comes to.

use tarsy_domain::id::{SessionId, TriageEntryId};
use tarsy_domain::triage::Triage;

/// What a person does about a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TriageChange {
    pub session_id: SessionId,
    /// The same again changes nothing.
    pub entry_id: TriageEntryId,
    pub author: String,
    /// The state of work that it is to have; none for a note alone.
    pub triage: Option<Triage>,
    /// Who is to work on it; the author if it is missing.
    pub assignee: Option<String>,
    /// Masked.
    pub note: Option<String>,
    /// Whether it may be what another person has taken or done.
    pub takes_over: bool,
}

/// The state of work on a session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct State {
    pub(super) triage: Triage,
    pub(super) assignee: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Decision {
    /// It is as it is wanted.
    Unchanged,
    Set(State),
    /// Another person has taken or done it.
    Held {
        by: String,
        triage: Triage,
    },
}

/// What another person has taken or done changes only for who takes it over. Nobody asks for that who wants what is done
/// already.
pub(super) fn decide(now: &State, change: &TriageChange) -> Decision {
    let Some(triage) = change.triage else { return Decision::Unchanged };
    let assignee = match triage {
        Triage::New => None,
        Triage::Taken => change.assignee.clone().or_else(|| Some(change.author.clone())),
        Triage::Done => Some(change.author.clone()),
    };
    let wanted = State { triage, assignee };
    if wanted == *now || (triage, now.triage) == (Triage::Done, Triage::Done) {
        return Decision::Unchanged;
    }
    match &now.assignee {
        Some(by) if *by != change.author && !change.takes_over => {
            Decision::Held { by: by.clone(), triage: now.triage }
        }
        _ => Decision::Set(wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn state(triage: Triage, assignee: Option<&str>) -> State {
        State { triage, assignee: assignee.map(str::to_owned) }
    }

    /// What ann wants.
    fn by_ann(triage: Option<Triage>, assignee: Option<&str>, takes_over: bool) -> TriageChange {
        TriageChange {
            session_id: SessionId::new(),
            entry_id: TriageEntryId::new(),
            author: "ann".to_owned(),
            triage,
            assignee: assignee.map(str::to_owned),
            note: None,
            takes_over,
        }
    }

    #[test]
    fn whoever_has_no_session_takes_it_assigns_it_finishes_it_and_opens_it_again() {
        let new = state(Triage::New, None);
        let own = state(Triage::Taken, Some("ann"));
        let done = state(Triage::Done, Some("ann"));
        let bobs = state(Triage::Taken, Some("bob"));
        for (now, triage, assignee, after) in [
            (&new, Triage::Taken, None, &own),
            (&new, Triage::Taken, Some("bob"), &bobs),
            (&own, Triage::Taken, Some("bob"), &bobs),
            (&own, Triage::Done, None, &done),
            (&new, Triage::Done, None, &done),
            (&own, Triage::New, None, &new),
            (&done, Triage::New, None, &new),
            (&done, Triage::Taken, None, &own),
        ] {
            let change = by_ann(Some(triage), assignee, false);
            assert_eq!(decide(now, &change), Decision::Set(after.clone()), "{now:?} {change:?}");
        }
    }

    #[test]
    fn what_another_person_has_changes_only_for_who_takes_it_over() {
        for held in [state(Triage::Taken, Some("bob")), state(Triage::Done, Some("bob"))] {
            for wanted in [Triage::New, Triage::Taken, Triage::Done] {
                if (wanted, held.triage) == (Triage::Done, Triage::Done) {
                    continue;
                }
                let refused = Decision::Held { by: "bob".to_owned(), triage: held.triage };
                assert_eq!(decide(&held, &by_ann(Some(wanted), None, false)), refused);
                let set = decide(&held, &by_ann(Some(wanted), None, true));
                assert!(matches!(set, Decision::Set(_)), "{set:?}");
            }
        }
    }

    #[test]
    fn what_is_so_already_stays_as_it_is() {
        for (now, wanted) in [
            (state(Triage::New, None), Some(Triage::New)),
            (state(Triage::Taken, Some("ann")), Some(Triage::Taken)),
            (state(Triage::Done, Some("bob")), Some(Triage::Done)),
            (state(Triage::Taken, Some("bob")), None),
        ] {
            assert_eq!(decide(&now, &by_ann(wanted, None, false)), Decision::Unchanged, "{now:?}");
        }
    }
}
