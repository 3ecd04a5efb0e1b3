//! What depends on what near an alert: loaded once, before the first stage, and stored with the session, so that later owners
//! and replays give their agents the same. Agents follow further dependencies with a tool that TARSy answers itself.

mod tool;

use std::collections::BTreeSet;

use serde_json::json;
use tarsy_catalog::ResolvedChain;
use tarsy_contracts::dependency::{self, Dependencies, GivenDependencies};
use tarsy_domain::status::SessionOrigin;
use tarsy_store::{DependencyQuery, Op, Session, Store};

use crate::engine::changes::Place;
use crate::engine::context::Context;
use crate::engine::injected;
use crate::engine::timeline::Scope;
use crate::journal::StopReason;
use crate::metrics;

pub(crate) use self::tool::{answer, with_tool};

/// How many dependencies are followed from an object of the alert.
const DEPTH: usize = 2;
/// The most names of an alert that are looked for.
const MAX_NAMES: usize = 300;
/// The shortest word of an alert's text that is looked for as a name, in bytes.
const SHORTEST: usize = 3;

/// The dependencies that a session is given, and the operations that store them, before an agent reads them; none if an earlier
/// owner stored them.
pub(crate) async fn load(
    ctx: &Context,
    chain: &ResolvedChain,
    session: &Session,
) -> Result<Option<(GivenDependencies, Vec<Op>)>, StopReason> {
    if session.dependencies.is_some() {
        return Ok(None);
    }
    // A replay has what its original had.
    let is_replay = session.origin == SessionOrigin::Replay;
    let given = if is_replay || chain.dependencies == 0 {
        GivenDependencies::default()
    } else {
        find(ctx, chain.dependencies as usize, session).await?
    };
    metrics::dependencies_given(given.near.len());
    let found = injected::find(dependency::lines(&given.near), Vec::new()).await;
    let mut ops = vec![Op::SetDependencies(given.clone())];
    if !found.is_empty() {
        let source = "A dependency near the alert";
        ops.push(injected::event(Scope::SESSION, source, &found, json!({})));
    }
    Ok(Some((given, ops)))
}

async fn find(
    ctx: &Context,
    most: usize,
    session: &Session,
) -> Result<GivenDependencies, StopReason> {
    if !ctx.journal.read(Store::has_dependencies).await? {
        return Ok(GivenDependencies::default());
    }
    let place = Place::of(session);
    let query = DependencyQuery {
        names: names(&place, &session.alert_data),
        namespace: place.namespace.clone(),
        cluster: place.cluster.clone(),
        environment: place.environment.clone(),
        depth: DEPTH,
        limit: most,
    };
    let found = ctx.journal.read(|store| store.find_dependencies(&query)).await?;
    Ok(GivenDependencies { are_known: true, near: nearest(found, most) })
}

/// What the alert's objects depend on, then what depends on them, which has a third of the places if both are many.
fn nearest(found: Dependencies, most: usize) -> Vec<dependency::Dependency> {
    let Dependencies { mut depends_on, used_by } = found;
    let of_callers = used_by.len().min(most / 3);
    depends_on.truncate(most - of_callers);
    let left = most - depends_on.len();
    let callers: Vec<_> =
        used_by.into_iter().filter(|one| !depends_on.contains(one)).take(left).collect();
    depends_on.extend(callers);
    depends_on
}

/// The names by which the alert's objects are found: values of labels, words of the text, and of these what is left without
/// what is appended to the names of pods.
fn names(place: &Place, text: &str) -> Vec<String> {
    let is_part = |letter: char| letter.is_alphanumeric() || "-_.".contains(letter);
    let words = text.split(|letter: char| !is_part(letter)).map(|word| word.trim_matches('.'));
    let words = words.filter(|word| word.len() >= SHORTEST).map(str::to_lowercase);
    let mut names: Vec<String> = Vec::new();
    let mut seen = BTreeSet::new();
    for name in place.names().into_iter().chain(words) {
        for one in [Some(name.as_str()), owner(&name)].into_iter().flatten() {
            if names.len() < MAX_NAMES && seen.insert(one.to_owned()) {
                names.push(one.to_owned());
            }
        }
    }
    names
}

/// `checkout` of `checkout-5d9f77c4b8-x2x9q`, the name of a pod; and of `db-0`, one of a stateful set.
fn owner(name: &str) -> Option<&str> {
    let (rest, last) = name.rsplit_once('-')?;
    if !last.is_empty() && last.bytes().all(|digit| digit.is_ascii_digit()) {
        return Some(rest);
    }
    let (owner, hash) = rest.rsplit_once('-')?;
    let is_hash = |part: &str| {
        part.bytes().all(|letter| letter.is_ascii_alphanumeric())
            && part.bytes().any(|letter| letter.is_ascii_digit())
    };
    (last.len() == 5 && (6..=10).contains(&hash.len()) && is_hash(hash)).then_some(owner)
}

#[cfg(test)]
mod tests {
    use tarsy_contracts::dependency::Dependency;
    use tarsy_domain::dependency::Relation;

    use super::*;

    fn calls(from: &str, to: &str) -> Dependency {
        Dependency {
            source: "tarsy.yaml".to_owned(),
            from: from.to_owned(),
            relation: Relation::Calls,
            to: to.to_owned(),
            namespace: None,
            to_namespace: None,
            cluster: None,
            environment: None,
            team: None,
            last_seen_at: None,
        }
    }

    #[test]
    fn names_are_words_of_the_alert_and_the_owners_of_its_pods() {
        let found = names(
            &Place::default(),
            "Pod checkout-5d9f77c4b8-x2x9q of shop: db-0 refuses. See payments.",
        );
        for name in ["checkout", "checkout-5d9f77c4b8-x2x9q", "db", "payments", "shop"] {
            assert!(found.iter().any(|one| one == name), "{name}: {found:?}");
        }
        assert_eq!((owner("checkout"), owner("my-shop"), owner("a-web-front")), (None, None, None));
    }

    #[test]
    fn callers_have_a_third_of_the_places_if_both_are_many() {
        let many = |count: usize, from: &str| -> Vec<Dependency> {
            (0..count).map(|at| calls(from, &format!("{from}{at}"))).collect()
        };
        let of = |down, up| {
            let given = Dependencies { depends_on: many(down, "down"), used_by: many(up, "up") };
            let near = nearest(given, 30);
            let downs = near.iter().filter(|one| one.from == "down").count();
            (downs, near.len() - downs)
        };
        assert_eq!(
            (of(50, 50), of(50, 2), of(3, 50), of(0, 0)),
            ((20, 10), (28, 2), (3, 27), (0, 0))
        );
        let both = Dependencies {
            depends_on: vec![calls("a", "b")],
            used_by: vec![calls("a", "b"), calls("c", "a")],
        };
        assert_eq!(nearest(both, 30), [calls("a", "b"), calls("c", "a")]);
    }
}
