//! Changes near the alert: a cause that one of them explains is more likely. A change alone is none: it shows no effect.

use jiff::{SignedDuration, Timestamp};
use tarsy_domain::change::{ChangeKind, ChangeLine};

use crate::alert::Focus;
use crate::facts::{Facts, Listed};
use crate::rank::{Explanation, Ranked};
use crate::signal::Signal;
use crate::since;
use crate::text::{age_seconds, owner_name, same_name};
use crate::verdict::{Category, Quote};

/// How much more likely a cause is that a change explains.
const EXPLAINED: f64 = 10.0;
/// How much earlier than its change an effect may have been seen: clocks differ, and a rollout is reported at its end.
const BEFORE: SignedDuration = SignedDuration::from_mins(2);
/// The shortest name that is looked for in the words of evidence, in bytes.
const SHORTEST: usize = 4;
/// The most characters of a change in the sentence of a cause.
const MAX_STATED: usize = 160;

/// How a change is connected with a cause, the closest last.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
enum Link {
    /// It is about the machine that the cause was seen on.
    Machine,
    /// Its name begins with that of the workload: `checkout-config`.
    Part,
    /// The evidence names its service, as in an address: `https://billing.example/`.
    Service,
    SameObject,
    /// The evidence names what was changed, or an address with a port that the change names.
    Named,
}

/// The causes in their order, those raised that a change explains, which is cited.
pub(crate) fn weigh(mut ranked: Vec<Ranked>, focus: &Focus, facts: &Facts) -> Vec<Ranked> {
    for one in &mut ranked {
        let Some(listed) = explanation(&one.signal, focus, facts) else { continue };
        one.score += EXPLAINED;
        let (change, stated) = (listed.change.clone(), stated(&listed.change));
        one.change = Some(Explanation { change, stated });
        one.signal.quotes.push(Quote { call: 0, line: listed.line, text: listed.text.clone() });
    }
    ranked.sort_by(|one, other| other.score.total_cmp(&one.score));
    ranked
}

/// The change that explains a signal best: the closest one, and of several the last.
fn explanation<'f>(signal: &Signal, focus: &Focus, facts: &'f Facts) -> Option<&'f Listed> {
    let began = began(signal, facts);
    let is_before = |listed: &&Listed| {
        let at = listed.change.occurred_at;
        began.is_none_or(|began| at.duration_since(began) <= BEFORE)
            && facts.received_at.is_none_or(|received| at <= received)
    };
    let connected = facts.changes.iter().filter(is_before).filter_map(|listed| {
        Some((link(signal, &listed.change, focus)?, listed.change.occurred_at, listed))
    });
    connected.max_by_key(|(link, at, _)| (*link, *at)).map(|(_, _, listed)| listed)
}

/// When the first of the evidence was seen, if it shows that.
fn began(signal: &Signal, facts: &Facts) -> Option<Timestamp> {
    let since = since::of(&signal.quotes, facts)?;
    let time = || since.parse::<Timestamp>().ok();
    let age = || {
        #[expect(clippy::cast_possible_truncation, reason = "seconds of an age")]
        let seconds = age_seconds(&since)? as i64;
        facts.now?.checked_sub(SignedDuration::from_secs(seconds)).ok()
    };
    time().or_else(age)
}

fn link(signal: &Signal, change: &ChangeLine, focus: &Focus) -> Option<Link> {
    if !can_cause(change.kind, signal.category) {
        return None;
    }
    let target = &signal.target;
    let differs = change.namespace.as_deref().is_some_and(|namespace| {
        !target.namespace.is_empty() && !target.namespace.eq_ignore_ascii_case(namespace)
    });
    let other_machine = change.host.as_deref().is_some_and(|host| !focus.mentions(host));
    if differs || other_machine {
        return None;
    }
    let object = change.object.as_deref().and_then(|object| object.rsplit('/').next());
    let names = || [object, change.service.as_deref()].into_iter().flatten();
    let owner = owner_name(&target.name);
    let words = || signal.quotes.iter().map(|quote| &quote.text).chain([&signal.cause]);
    if object.is_some_and(|name| words().any(|text| has_name(text, name)))
        || ports(&change.text).any(|port| words().any(|text| has_port(text, port)))
    {
        return Some(Link::Named);
    }
    let accused = signal.accused.as_deref();
    let is_same = |name: &str| {
        same_name(name, owner)
            || same_name(name, &target.name)
            || accused.is_some_and(|host| same_name(name, first_label(host)))
    };
    if names().any(is_same) {
        return Some(Link::SameObject);
    }
    if change.service.as_deref().is_some_and(|name| words().any(|text| has_name(text, name))) {
        return Some(Link::Service);
    }
    let is_part = |name: &str| {
        !owner.is_empty() && name.strip_prefix(owner).is_some_and(|rest| rest.starts_with('-'))
    };
    if names().any(is_part) {
        return Some(Link::Part);
    }
    // What is seen on a machine without a name of its own is explained by what changed in its program or kernel.
    let of_machine = target.name.is_empty() && change.host.is_some();
    let is_of_kernel = matches!(change.kind, ChangeKind::Kernel | ChangeKind::Node);
    (of_machine && is_of_kernel).then_some(Link::Machine)
}

/// Whether a name stands in a text as a word of its own.
fn has_name(text: &str, name: &str) -> bool {
    let (text, name) = (text.to_lowercase(), name.to_lowercase());
    let is_part = |letter: Option<char>| {
        letter.is_some_and(|one| one.is_alphanumeric() || "-_".contains(one))
    };
    name.len() >= SHORTEST
        && text.match_indices(name.as_str()).any(|(at, _)| {
            let before = text.get(..at).and_then(|text| text.chars().next_back());
            let after = text.get(at + name.len()..).and_then(|text| text.chars().next());
            !is_part(before) && !is_part(after)
        })
}

/// Numbers of a text that may be ports.
fn ports(text: &str) -> impl Iterator<Item = &str> {
    let is_port = |word: &&str| {
        (3..=5).contains(&word.len()) && word.bytes().all(|digit| digit.is_ascii_digit())
    };
    text.split(|letter: char| !letter.is_ascii_alphanumeric()).filter(is_port)
}

/// Whether a text has an address with this port.
fn has_port(text: &str, port: &str) -> bool {
    let pattern = format!(":{port}");
    text.match_indices(&pattern).any(|(at, _)| {
        let after = text.get(at + pattern.len()..).and_then(|text| text.chars().next());
        !after.is_some_and(|letter| letter.is_ascii_digit())
    })
}

/// The first label of a name of DNS.
fn first_label(host: &str) -> &str {
    host.split('.').next().unwrap_or(host)
}

/// Whether a kind of change can bring about a kind of fault.
const fn can_cause(kind: ChangeKind, category: Category) -> bool {
    match category {
        // Time does.
        Category::Certificate => {
            matches!(kind, ChangeKind::Secret | ChangeKind::Configuration | ChangeKind::Release)
        }
        Category::Clock | Category::NetworkFault => {
            matches!(
                kind,
                ChangeKind::Node
                    | ChangeKind::Kernel
                    | ChangeKind::Unit
                    | ChangeKind::Configuration
            )
        }
        _ => true,
    }
}

/// The change in the sentence of its effect.
fn stated(change: &ChangeLine) -> String {
    let of = change.object.as_deref().or(change.service.as_deref());
    let of = of.map(|object| format!(" of {object}")).unwrap_or_default();
    let by = change.author.as_deref().map(|author| format!(" by {author}")).unwrap_or_default();
    let kind = change.kind.as_str().replace('_', " ");
    let time = change.occurred_at.strftime("%Y-%m-%dT%H:%M:%SZ");
    let words: String = change.text.chars().take(MAX_STATED).collect();
    let words = words.replace('`', "'");
    format!("after the {kind} change{of}{by} at {time}: {}", words.trim_end_matches('.'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Target;

    fn signal(category: Category, name: &str, quotes: &[&str]) -> Signal {
        let quote = |text: &&str| Quote { call: 1, line: 1, text: (*text).to_owned() };
        let quotes = quotes.iter().map(quote).collect();
        Signal::of_values((category, 60.0), "it fails", Target::new("Pod", name, "shop"), quotes)
    }

    fn facts(changes: &str) -> Facts {
        let received_at = Some("2026-02-11T10:00:00Z".parse().unwrap());
        Facts { changes: Listed::read(changes), received_at, now: received_at, ..Facts::default() }
    }

    fn explained(signal: &Signal, changes: &str) -> Option<usize> {
        let focus = Focus::read("namespace: shop\ninstance: web-1");
        explanation(signal, &focus, &facts(changes)).map(|listed| listed.line)
    }

    const CHANGES: &str = "2026-02-11T09:10:00Z [deployment] Deployment/cart (namespace shop, by rosa, from ci): v1
2026-02-11T09:20:00Z [configuration] ConfigMap/checkout-config (namespace shop, from cluster): version 7
2026-02-11T09:30:00Z [deployment] Deployment/checkout (namespace shop, by ann, from ci): v2
2026-02-11T09:40:00Z [deployment] Deployment/checkout (namespace test, from ci): v3
2026-02-11T09:50:00Z [package] package/openssl (host web-2, from inspector): upgraded";

    #[test]
    fn a_cause_is_explained_by_the_closest_change_of_its_object_before_it() {
        let pod = "checkout-7d4b9c6f5d-x2x8p";
        assert_eq!(explained(&signal(Category::Crash, pod, &[]), CHANGES), Some(3));
        let named = ["2026-02-11T09:45:00Z cannot read key url of checkout-config"];
        assert_eq!(explained(&signal(Category::Configuration, pod, &named), CHANGES), Some(2));
        let earlier = ["2026-02-11T09:22:00Z panic"];
        assert_eq!(
            explained(&signal(Category::Crash, pod, &earlier), CHANGES),
            Some(2),
            "before the rollout"
        );
        let before_all = ["2026-02-11T07:00:00Z panic"];
        assert_eq!(explained(&signal(Category::Crash, pod, &before_all), CHANGES), None);
        assert_eq!(explained(&signal(Category::Crash, "mail-0", &[]), CHANGES), None);
        assert_eq!(explained(&signal(Category::Certificate, pod, &[]), CHANGES), Some(2));
        let openssl = ["openssl: symbol not found"];
        assert_eq!(
            explained(&signal(Category::Crash, "", &openssl), CHANGES),
            None,
            "another machine"
        );
    }

    #[test]
    fn evidence_names_a_service_or_a_port_of_the_change() {
        let unit = "2026-02-11T09:30:00Z [unit] unit/stock.service (service stock, from ansible): port 18944 → 18954
2026-02-11T09:31:00Z [secret] Secret/tls (service billing, from vault): another version";
        let refused = ["2026-02-11T09:40:00Z http://127.0.0.1:18944/x: connection refused"];
        assert_eq!(explained(&signal(Category::NetworkFault, "shop", &refused), unit), Some(1));
        let other = ["2026-02-11T09:40:00Z http://127.0.0.1:189441/x: connection refused"];
        assert_eq!(explained(&signal(Category::NetworkFault, "shop", &other), unit), None);
        let mismatch = ["2026-02-11T09:40:00Z https://billing.test/: hostname mismatch"];
        assert_eq!(explained(&signal(Category::Certificate, "orders", &mismatch), unit), Some(2));
    }

    #[test]
    fn a_change_names_itself_and_lines_in_another_form_are_none() {
        let all = Listed::read(&format!("{CHANGES}\nnot a change"));
        assert_eq!(all.len(), 5);
        assert_eq!(
            stated(&all[2].change),
            "after the deployment change of Deployment/checkout by ann at 2026-02-11T09:30:00Z: v2"
        );
    }
}
