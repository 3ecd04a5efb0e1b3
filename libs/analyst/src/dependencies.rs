//! What the alert's objects depend on: where a look is worth it, and why a fault of something that the alert does not name may
//! be its cause. A dependency alone is none: it shows no fault.

use std::collections::BTreeSet;

use tarsy_domain::dependency::DependencyLine;

use crate::alert::{Focus, is_word};
use crate::called::Called;
use crate::rank::{FOLLOWS_FROM, Ranked};
use crate::signal::Signal;
use crate::text::{owner_name, same_name};
use crate::verdict::Quote;

/// How much less the fault of a caller weighs whose evidence names what it depends on, if that has one, too.
const FOLLOWS: f64 = 8.0;
/// The least score of a fault that explains that of a caller.
const EXPLAINS: f64 = 60.0;
/// The most objects that are followed.
const MOST: usize = 8;

/// What the objects that an alert names depend on, directly or through others, the nearest first.
pub(crate) fn follow(given: &str, focus: &Focus) -> Vec<Called> {
    let lines: Vec<(usize, &str, DependencyLine)> = (1..)
        .zip(given.lines())
        .filter_map(|(line, text)| Some((line, text.trim(), DependencyLine::parse(text)?)))
        .collect();
    let is_start = |name: &str| focus.names(name) || focus.mentions(name);
    let mut near: BTreeSet<String> = lines
        .iter()
        .map(|(_, _, one)| bare(&one.from).to_owned())
        .filter(|name| is_start(name))
        .collect();
    let mut found: Vec<Called> = Vec::new();
    loop {
        let before = found.len();
        for (line, text, one) in &lines {
            let (by, name) = (bare(&one.from), bare(&one.to));
            let is_known = found.iter().any(|known| known.line == *line);
            if is_known || found.len() >= MOST || !near.iter().any(|known| same_name(known, by)) {
                continue;
            }
            found.push(Called {
                name: name.to_owned(),
                kind: one
                    .to
                    .rsplit_once('/')
                    .map_or(String::new(), |(kind, _)| kind.to_lowercase()),
                namespace: one.to_namespace.clone().or_else(|| one.namespace.clone()),
                by: by.to_owned(),
                relation: one.relation,
                line: *line,
                text: (*text).to_owned(),
            });
        }
        near.extend(found.iter().map(|one| one.name.clone()));
        if found.len() == before {
            return found;
        }
    }
}

/// The causes in their order: one of what the alert's objects depend on states and cites that, and a fault whose evidence names
/// such an object comes behind the fault of that.
pub(crate) fn weigh(mut ranked: Vec<Ranked>, focus: &Focus) -> Vec<Ranked> {
    let faults: Vec<(String, f64)> =
        ranked.iter().map(|one| (name_of(&one.signal).to_owned(), one.score)).collect();
    for one in &mut ranked {
        let name = name_of(&one.signal).to_owned();
        let explains = |called: &&Called| {
            same_name(&called.by, &name)
                && !same_name(&called.name, &name)
                && mentions(&one.signal, &called.name)
                && faults
                    .iter()
                    .any(|(other, score)| same_name(other, &called.name) && *score >= EXPLAINS)
        };
        if focus.called().iter().any(|called| explains(&called)) {
            one.score -= FOLLOWS;
            one.remark = FOLLOWS_FROM;
        }
        let is_named = focus.names(&name);
        if let Some(called) = focus.called_as(&name).filter(|_| !is_named) {
            one.dependency = Some(format!("which `{}` {}", called.by, called.relation.verb()));
            let text = called.text.clone();
            one.signal.quotes.push(Quote { call: 0, line: called.line, text });
        }
    }
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
    ranked
}

/// What a signal is about, without what is appended to the names of pods, and without the folder and the ending of a log.
fn name_of(signal: &Signal) -> &str {
    let name = owner_name(&signal.target.name);
    let name = name.rsplit('/').next().unwrap_or(name);
    name.strip_suffix(".log").or_else(|| name.strip_suffix(".service")).unwrap_or(name)
}

fn mentions(signal: &Signal, name: &str) -> bool {
    let name = name.to_lowercase();
    signal.accused.as_deref().is_some_and(|host| same_name(host, &name))
        || signal.quotes.iter().any(|quote| is_word(&quote.text.to_lowercase(), &name))
}

/// A name without its kind.
fn bare(object: &str) -> &str {
    object.rsplit('/').next().unwrap_or(object)
}

#[cfg(test)]
mod tests {
    use super::*;

    const GIVEN: &str = "Ingress/web routes to Service/checkout (namespace shop)
Service/checkout routes to Deployment/checkout (namespace shop)
checkout calls payments (team shop, known from tarsy.yaml)
payments calls ledger (to namespace bank, known from tarsy.yaml)
Deployment/checkout uses ConfigMap/settings (namespace shop)
mail calls relay (known from tarsy.yaml)
this line is another one";

    fn names(alert: &str) -> Vec<(String, bool)> {
        let found = follow(GIVEN, &Focus::read(alert));
        found.into_iter().map(|one| (one.name.clone(), one.is_service())).collect()
    }

    #[test]
    fn what_is_called_is_followed_from_what_the_alert_names_alone() {
        let found = names("service: checkout\nnamespace: shop");
        let expected =
            [("checkout", true), ("payments", true), ("settings", false), ("ledger", true)];
        assert_eq!(found, expected.map(|(name, is_service)| (name.to_owned(), is_service)));
        assert_eq!(names("service: mail"), [("relay".to_owned(), true)]);
        assert_eq!(names("service: ledger"), []);
        let ledger = follow(GIVEN, &Focus::read("service: payments")).remove(0);
        assert_eq!((ledger.line, ledger.namespace.as_deref()), (4, Some("bank")));
    }
}
