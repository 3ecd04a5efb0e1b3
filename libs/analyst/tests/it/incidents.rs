//! The recorded incidents: how often the right cause ranks first, and that no report has a false statement.

#![expect(clippy::print_stdout, reason = "the figures of the run, and a report on demand")]

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;

use tarsy_analyst::{Category, Target};

use crate::toolbox::{Incident, Played};

/// The part of the incidents whose cause must rank first.
const FLOOR: f64 = 0.75;

fn folders() -> Vec<PathBuf> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/incidents");
    let mut found: Vec<PathBuf> =
        fs::read_dir(root).unwrap().map(|one| one.unwrap().path()).collect();
    found.retain(|path| path.is_dir());
    found.sort();
    found
}

/// All incidents, played once for all tests.
fn played() -> &'static [(Incident, Played)] {
    static ALL: LazyLock<Vec<(Incident, Played)>> = LazyLock::new(|| {
        let all = folders().iter().map(|folder| Incident::load(folder)).collect::<Vec<_>>();
        all.into_iter()
            .map(|incident| (incident.play(), incident))
            .map(|(one, two)| (two, one))
            .collect()
    });
    &ALL
}

/// Whether a cause is the recorded one: one of the categories, one of the names in its object, and one of the words in its sentence.
fn is_right(incident: &Incident, category: Category, target: &Target, cause: &str) -> bool {
    let list = |key: &str| -> Vec<String> {
        let values = incident.answer[key].as_array().cloned().unwrap_or_default();
        values.iter().filter_map(|one| one.as_str()).map(str::to_owned).collect()
    };
    let category = serde_json::to_value(category).unwrap();
    let fits = list("categories").iter().any(|one| Some(one.as_str()) == category.as_str());
    let names = list("names");
    let words = list("words");
    fits && (names.is_empty() || names.iter().any(|name| target.name.starts_with(name.as_str())))
        && (words.is_empty() || words.iter().any(|word| cause.contains(word.as_str())))
}

/// Whether nothing is wrong in an incident.
fn is_healthy(incident: &Incident) -> bool {
    incident.answer["healthy"] == true
}

/// The rank of the right cause; none if the report does not name it.
fn rank(incident: &Incident, played: &Played) -> Option<usize> {
    let verdict = played.report.verdict.as_ref()?;
    let first = (verdict.category, &verdict.target, &verdict.cause);
    let others = verdict.alternatives.iter().map(|one| (one.category, &one.target, &one.cause));
    std::iter::once(first)
        .chain(others)
        .position(|(category, target, cause)| is_right(incident, category, target, cause))
}

#[test]
fn the_right_cause_ranks_first_in_most_recorded_incidents() {
    let (mut first, mut three, mut count) = (0.0, 0, 0.0);
    for (incident, played) in played().iter().filter(|(incident, _)| !is_healthy(incident)) {
        let rank = rank(incident, played);
        count += 1.0;
        first += f64::from(u8::from(rank == Some(0)));
        three += usize::from(rank.is_some_and(|rank| rank < 3));
        if rank != Some(0) {
            let found = played.report.verdict.as_ref().map(|one| {
                format!(
                    "{} at {} `{}`: {}",
                    one.category, one.target.kind, one.target.name, one.cause
                )
            });
            println!(
                "{}: rank {rank:?} after {} calls, found {found:?}",
                incident.name,
                played.calls.len()
            );
        }
    }
    println!("incidents {count}, A@1 {first}, A@3 {three}");
    assert!(first >= FLOOR * count, "{first} of {count}");
}

#[test]
fn where_nothing_is_wrong_no_cause_is_stated() {
    for (incident, played) in played().iter().filter(|(incident, _)| is_healthy(incident)) {
        let stated = played.report.verdict.as_ref().map(|one| (&one.target, &one.cause));
        assert_eq!(stated, None, "{}", incident.name);
    }
}

#[test]
fn no_report_has_a_false_statement() {
    let mut wrong = Vec::new();
    for (incident, played) in played() {
        wrong.extend(played.flagged().into_iter().map(|one| format!("{}: {one}", incident.name)));
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn no_call_is_repeated_and_failed_ones_are_not_cited_as_evidence() {
    for (incident, played) in played() {
        let mut seen = std::collections::HashSet::new();
        for call in &played.calls {
            assert!(
                seen.insert((call.tool.clone(), call.arguments.to_string())),
                "{}: {call:?}",
                incident.name
            );
        }
        let failed: Vec<u32> =
            played.calls.iter().filter(|call| call.failed).map(|call| call.number).collect();
        let evidence = played.report.verdict.iter().flat_map(|one| &one.evidence);
        assert!(
            evidence.into_iter().all(|quote| !failed.contains(&quote.call)),
            "{}",
            incident.name
        );
    }
}

/// Prints one report: `INCIDENT=name cargo test -p tarsy-analyst one_report -- --nocapture`.
#[test]
fn one_report_is_printed_on_demand() {
    #[expect(clippy::disallowed_methods, reason = "a switch for the author of rules")]
    let Ok(name) = std::env::var("INCIDENT") else { return };
    let folder =
        folders().into_iter().find(|path| path.ends_with(&name)).expect("an incident of this name");
    let played = Incident::load(&folder).play();
    for call in &played.calls {
        println!(
            "[call {}] {} {} {}",
            call.number,
            call.tool,
            call.arguments,
            if call.failed { "FAILED" } else { "" }
        );
    }
    println!("{}", played.report.markdown);
    for one in played.flagged() {
        println!("FLAGGED {one}");
    }
}
