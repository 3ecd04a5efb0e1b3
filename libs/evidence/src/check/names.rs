//! Quotations and names: found as text, and linked to what the statement speaks of.

use super::context::{Context, Judge, Look};
use super::number_claim::NumberClaim;
use super::scan::{Occurrence, fragments, spellings};
use super::search::plain;
use super::source::Source;
use super::{Ground, Place};
use crate::reading::Reading;
use crate::words::{share, stems};

/// Occurrences of a name that are looked at for links.
const MOST_LINKS: usize = 400;
/// The fewest digits to which a hash is shortened.
const SHORTEST_HASH: usize = 7;
/// How many lines apart the fragments of a quotation may stand.
const FRAGMENTS_APART: usize = 5;

/// A quotation stands in one result, all its fragments in order.
pub(super) fn look_for_quotation(
    judge: &Judge<'_>,
    text: &str,
    context: &Context<'_>,
    sources: &[usize],
) -> Look {
    let fragments = fragments(text);
    if fragments.is_empty() {
        return sources
            .first()
            .and_then(|index| judge.source(*index))
            .map_or(Look::Nothing, |source| found(source, 1));
    }
    for &index in sources {
        let Some(source) = judge.source(index) else { continue };
        if let Some(line) = in_order(judge, index, &fragments) {
            return found(source, line);
        }
        if let Some(line) = request(source, text) {
            return found(source, line);
        }
    }
    let Some((key, value)) = pair(text) else { return Look::Nothing };
    let mut other = Look::Nothing;
    for &index in sources {
        let Some(source) = judge.source(index) else { continue };
        match look_for_pair(source, index, (key, value), context) {
            Look::Nothing | Look::Unclear => {}
            Look::Contradicted(..) if other != Look::Nothing => {}
            contradicted @ Look::Contradicted(..) => other = contradicted,
            look @ Look::Found(_) => return look,
        }
    }
    other
}

fn found(source: &Source, line: usize) -> Look {
    Look::Found(NumberClaim::place(source, line))
}

/// The line where the fragments of a quotation begin, if they follow each other.
fn in_order(judge: &Judge<'_>, source: usize, fragments: &[String]) -> Option<usize> {
    let first = judge.scan.occurrences(fragments.first()?, source);
    first
        .iter()
        .filter(|start| {
            is_word(start) || fragments.len() == 1 && fragments.iter().all(|one| is_phrase(one))
        })
        .find_map(|start| {
            let mut at = start.at;
            for fragment in fragments.iter().skip(1) {
                let next =
                    judge.scan.occurrences(fragment, source).iter().find(|one| one.at > at)?;
                if next.line > start.line + FRAGMENTS_APART {
                    return None;
                }
                at = next.at;
            }
            Some(start.line)
        })
}

/// Long enough to stand inside a longer word; a number at its end must end there, too.
fn is_phrase(fragment: &str) -> bool {
    const CUT: usize = 80;
    fragment.len() > CUT || fragment.len() > 12 && !fragment.ends_with(|c: char| c.is_ascii_digit())
}

fn is_word(one: &Occurrence) -> bool {
    one.is_whole
}

/// Whether the call itself was made with this text.
fn request(source: &Source, text: &str) -> Option<usize> {
    source.request.contains(&plain(text).to_lowercase()).then_some(1)
}

/// Key and value of `restartPolicy: Always` or `exit_code=137`.
fn pair(text: &str) -> Option<(&str, &str)> {
    let (key, value) = text.split_once('=').or_else(|| text.split_once(':'))?;
    let clean = |part: &'_ str| -> Option<(usize, usize)> {
        let trimmed = part.trim().trim_matches(['"', '\'', ' ']);
        (!trimmed.is_empty()).then_some((0, trimmed.len()))
    };
    clean(key).and(clean(value))?;
    let (key, value) =
        (key.trim().trim_matches(['"', '\'']), value.trim().trim_matches(['"', '\'', ',']));
    (key.split_whitespace().count() <= 3 && value.split_whitespace().count() <= 3)
        .then_some((key, value))
}

fn look_for_pair(
    source: &Source,
    index: usize,
    (key, value): (&str, &str),
    context: &Context<'_>,
) -> Look {
    let last = key.rsplit('.').next().unwrap_or(key).to_lowercase();
    let mut other: Option<&Reading> = None;
    for (at, reading) in source.readings.iter().enumerate() {
        let field = reading.field.to_lowercase();
        let own = field.rsplit('.').next().unwrap_or(&field);
        if own != last && field != key.to_lowercase() {
            continue;
        }
        let subject = &context.subject;
        if !subject.is_empty()
            && subject.in_source(index).next().is_some()
            && !subject.contains(index, source.group_at(at))
        {
            continue;
        }
        if reading.value.text.trim_matches(['"', '\'']).eq_ignore_ascii_case(value)
            || same_number(value, reading)
        {
            return found(source, reading.line);
        }
        other = other.or(Some(reading));
    }
    other.map_or(Look::Nothing, |reading| contradicted(source, reading, Ground::Value))
}

fn same_number(value: &str, reading: &Reading) -> bool {
    let claimed = crate::lexer::whole_quantity(value);
    match (claimed, reading.value.quantity) {
        (Some(claimed), Some(found)) => {
            claimed.fits(&found, crate::quantity::Precision::AsWritten)
                == crate::quantity::Fit::Exact
        }
        _ => false,
    }
}

fn contradicted(source: &Source, reading: &Reading, ground: Ground) -> Look {
    let object =
        if reading.object.is_empty() { String::new() } else { format!(" of {}", reading.object) };
    let place = Place { call: source.number, line: reading.line };
    Look::Contradicted(place, format!("{}{object}: {}", reading.field, reading.value.text), ground)
}

/// A name stands in a result, and not as another object's value of a field that the statement's object has too.
pub(super) fn look_for_name(
    judge: &Judge<'_>,
    name: &str,
    context: &Context<'_>,
    sources: &[usize],
) -> Look {
    let written = spellings(name);
    let is_found =
        |needle: &&String| sources.iter().any(|index| judge.scan.has_whole(needle, *index));
    let needle = written.iter().find(is_found).or(written.first()).cloned().unwrap_or_default();
    let mut other = Look::Nothing;
    for &index in sources {
        let Some(source) = judge.source(index) else { continue };
        if source.request.contains(&needle) {
            return found(source, 1);
        }
        let whole: Vec<&Occurrence> = judge
            .scan
            .occurrences(&needle, index)
            .iter()
            .filter(|one| one.is_whole)
            .take(MOST_LINKS)
            .collect();
        let Some(first) = whole.first() else {
            if let Some(line) = abbreviated(judge, source, index, &needle) {
                return found(source, line);
            }
            if let Some(line) = assembled(judge, source, index, &needle) {
                return found(source, line);
            }
            continue;
        };
        match unlinked(source, index, &needle, context) {
            None => return found(source, first.line),
            Some(look) => other = look,
        }
    }
    other
}

/// The beginning of the hash of a commit or an image.
fn abbreviated(judge: &Judge<'_>, source: &Source, index: usize, needle: &str) -> Option<usize> {
    let is_hash = needle.len() >= SHORTEST_HASH
        && needle.bytes().all(|byte| byte.is_ascii_hexdigit())
        && needle.bytes().any(|byte| byte.is_ascii_digit());
    let is_beginning = |one: &&Occurrence| {
        let before = source.search.text.get(..one.at).and_then(|head| head.chars().next_back());
        before.is_none_or(|c| !c.is_alphanumeric())
    };
    let occurrences = judge.scan.occurrences(needle, index);
    occurrences.iter().filter(|_| is_hash).find(is_beginning).map(|one| one.line)
}

/// A name that the result has in parts: `shop/web-1` of a table with two columns, `spec.replicas` of nested keys.
fn assembled(judge: &Judge<'_>, source: &Source, index: usize, needle: &str) -> Option<usize> {
    let parts: Vec<&str> = needle.split(['/', '.', '@']).filter(|part| !part.is_empty()).collect();
    if let [kind, name] = parts.as_slice()
        && KINDS.contains(kind)
    {
        return judge
            .evidence
            .names
            .get(*name)?
            .iter()
            .find(|group| group.source == index)
            .map(|group| first_line(source, group.group));
    }
    if needle.contains('/') && parts.len() == 2 {
        let fits = |part: &str, reading: &Reading| {
            reading.value.text.eq_ignore_ascii_case(part)
                || reading.object.parts().any(|own| own.eq_ignore_ascii_case(part))
        };
        let group = (0..source.groups.len()).find(|group| {
            parts
                .iter()
                .all(|part| source.members(*group).iter().any(|reading| fits(part, reading)))
        })?;
        return Some(first_line(source, group));
    }
    let field = |reading: &&Reading| {
        let own = reading.field.to_lowercase();
        own == needle
            || own.ends_with(&format!(".{needle}"))
            || needle.ends_with(&format!(".{own}")) && own.contains('.')
    };
    source.readings.iter().find(field).map(|reading| reading.line)
}

/// Kinds that people put before a name.
const KINDS: &[&str] = &[
    "pod",
    "pods",
    "deployment",
    "deployments",
    "deploy",
    "service",
    "services",
    "svc",
    "node",
    "nodes",
    "statefulset",
    "sts",
    "daemonset",
    "ds",
    "job",
    "pvc",
    "replicaset",
    "rs",
    "configmap",
    "cm",
    "secret",
    "namespace",
    "ns",
    "ingress",
];

fn first_line(source: &Source, group: usize) -> usize {
    source.members(group).first().map_or(1, |reading| reading.line)
}

/// The statement's object has another value in the field where this name is the value of other objects.
fn unlinked(source: &Source, index: usize, needle: &str, context: &Context<'_>) -> Option<Look> {
    let own: Vec<usize> = context.subject.in_source(index).collect();
    if own.is_empty() || !context.statement.columns.is_empty() {
        return None;
    }
    let is_value = |text: &str| {
        let text = text.to_lowercase();
        text == needle
            || text
                .split(|c: char| !(c.is_alphanumeric() || matches!(c, '-' | '_' | '.')))
                .any(|word| word == needle)
    };
    let links = |group: &usize| {
        source.members(*group).iter().any(|reading| {
            is_value(&reading.value.text)
                || reading.object.parts().any(is_value)
                || reading.field.to_lowercase().contains(needle)
                || source.line(reading.line).len() < 400
                    && source.line(reading.line).to_lowercase().contains(needle)
        })
    };
    if own.iter().any(links) || own.iter().any(|group| has_fellow(source, *group, needle)) {
        return None;
    }
    let statement = context.statement.text.to_lowercase().replace(needle, "");
    let mut rival: Option<&Reading> = None;
    let fields: Vec<&str> = source
        .readings
        .iter()
        .filter(|reading| reading.value.text.len() < 200 && is_value(&reading.value.text))
        .map(|reading| &*reading.field)
        .take(MOST_LINKS)
        .collect();
    let parts = needle_is_part(source, needle);
    for group in own {
        for reading in source.members(group).iter().filter(|reading| {
            fields.contains(&&*reading.field)
                || parts && share(&stems(&reading.field), &["namespace".to_owned()])
        }) {
            // A statement that names the true value, too, compares.
            let value = reading.value.text.to_lowercase();
            let host = value.split(':').next().unwrap_or_default();
            if value.len() > 1 && (has_word(&statement, &value) || has_word(&statement, host)) {
                return None;
            }
            rival = rival.or(Some(reading));
        }
    }
    rival.map(|reading| contradicted(source, reading, Ground::Link))
}

/// Whether the name is that of another object beside the statement's, inside the same one: another container of the pod.
fn has_fellow(source: &Source, group: usize, needle: &str) -> bool {
    let parts = |group: &super::source::Group| {
        group.object.parts().map(str::to_lowercase).collect::<Vec<String>>()
    };
    let Some(own) = source.groups.get(group).map(parts).filter(|own| own.len() > 1) else {
        return false;
    };
    source.groups.iter().map(parts).any(|other| {
        other.len() == own.len()
            && other.last().is_some_and(|last| last == needle)
            && other.iter().zip(&own).take(own.len() - 1).all(|(one, other)| one == other)
    })
}

/// Whether a text has a word, or words, as a whole.
fn has_word(text: &str, word: &str) -> bool {
    let letter = |c: Option<char>| c.is_some_and(char::is_alphanumeric);
    text.match_indices(word).any(|(at, _)| {
        let before = text.get(..at).and_then(|head| head.chars().next_back());
        let behind = text.get(at + word.len()..).and_then(|tail| tail.chars().next());
        !letter(before) && !letter(behind)
    })
}

/// Whether the name is a wide one of some object, as its namespace.
fn needle_is_part(source: &Source, needle: &str) -> bool {
    source
        .groups
        .iter()
        .any(|group| group.object.parts().any(|part| part.eq_ignore_ascii_case(needle)))
}
