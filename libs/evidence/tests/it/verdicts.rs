//! What is a claim, and which verdict it gets.

use tarsy_evidence::{Call, ClaimKind, Evidence, Report, Verdict, extract};

const PODS: &str = "NAME    STATUS    RESTARTS   AGE\nweb-1   Running   5          2d\nweb-2   Error     9          3h\n";

fn check_with(text: &str, given: &str) -> Report {
    let call = |number, text| Call {
        number,
        tool: "kubernetes.pods_list",
        arguments: "{}",
        text,
        answered_at: None,
    };
    Evidence::new(&[call(1, PODS), call(2, "level=error msg=\"disk full\" free_bytes=0")], &[given])
        .check(text)
}

fn verdict(text: &str) -> Vec<Verdict> {
    check_with(text, "")
        .claims
        .iter()
        .map(|checked| checked.verdict)
        .filter(|verdict| *verdict != Verdict::Supported)
        .collect()
}

#[test]
fn each_verdict_is_given() {
    assert_eq!(verdict("`web-1` restarted 5 times [call 1]."), []);
    assert_eq!(verdict("`web-1` restarted 9 times [call 1]."), [Verdict::Contradicted]);
    assert_eq!(verdict("The message was `disk full` [call 1]."), [Verdict::SupportedElsewhere]);
    assert_eq!(verdict("The message was `disk full`."), [Verdict::Uncited]);
    assert_eq!(verdict("The message was `disk broken` [call 2]."), [Verdict::Unsupported]);
    assert_eq!(verdict("It is broken [call 3]."), [Verdict::NoSuchCall]);
}

#[test]
fn a_contradiction_names_the_reading() {
    let report = check_with("`web-1` restarted 9 times [call 1].", "");
    let checked = report.flagged().next().expect("a mark");
    assert_eq!(checked.instead.as_deref(), Some("RESTARTS of web-1: 5"));
    assert_eq!(checked.place.map(|place| (place.call, place.line)), Some((1, 2)));
}

#[test]
fn what_was_given_needs_no_evidence() {
    assert!(
        check_with("The alert fired at 93 % [call 1].", "disk usage 93% on web-7")
            .flagged()
            .next()
            .is_none()
    );
    assert!(
        check_with("The host `web-7` is named by the alert [call 1].", "disk usage 93% on web-7")
            .flagged()
            .next()
            .is_none()
    );
}

#[test]
fn advice_ordinals_headings_and_versions_are_no_claims() {
    for text in [
        "## 3 findings\n",
        "1. First\n2. Second\n",
        "## What to do now\n\n1. Raise the limit to 4 GiB.\n2. Run `kubectl delete pod web-99`.\n",
        "Restart the pod and keep usage below 70 %.",
        "It runs PostgreSQL 16 on Kubernetes 1.29.",
        "If usage exceeds 85 %, more than 3 pods would fail.",
        "I am about 80 % confident in this.",
        "```bash\nkubectl scale deployment web --replicas=12\n```\n",
        "**What to do:**\n\n- Scale `web` to 12 replicas\n",
        "It is not `OOMKilled`.",
    ] {
        let claims = extract(text);
        assert!(claims.is_empty(), "{text}: {claims:?}");
    }
}

#[test]
fn citations_are_read_however_they_are_written() {
    let calls = |text: &str| {
        let claims = extract(text).into_iter();
        claims.filter(|claim| claim.kind() == ClaimKind::Citation).count()
    };
    assert_eq!(calls("a [call 1], b [call 2][call 3]."), 3);
    assert_eq!(calls("a [calls 1, 2 and 3]"), 3);
    assert_eq!(calls("a [calls 2-4]"), 3);
    assert_eq!(calls("a [call 3, line 12]"), 1);
    assert_eq!(calls("as call 4 shows"), 1);
    assert_eq!(calls("it made 3 calls and called 4 times"), 0);
}

#[test]
fn a_line_beyond_the_result_is_not_supported() {
    assert_eq!(verdict("It is `Error` [call 1, line 40]."), [Verdict::Unsupported]);
    assert_eq!(verdict("It is `Error` [call 1, line 3]."), []);
}

#[test]
fn tables_and_code_blocks_are_checked() {
    let table =
        "From [call 1]:\n\n| pod | restarts |\n|---|---|\n| `web-1` | 5 |\n| `web-2` | 8 |\n";
    assert_eq!(verdict(table), [Verdict::Contradicted]);
    assert_eq!(verdict("From [call 2]:\n\n```\nlevel=error msg=\"disk full\"\n```\n"), []);
    assert_eq!(
        verdict("From [call 2]:\n\n```\nlevel=error msg=\"all is well\"\n```\n"),
        [Verdict::Unsupported]
    );
}

#[test]
fn a_summary_is_checked_against_its_analysis() {
    let analysis = Call {
        number: 0,
        tool: "",
        arguments: "",
        text: "Pod web-1 restarted 5 times because its disk is full.",
        answered_at: None,
    };
    let evidence = Evidence::new(&[analysis], &[]);
    assert!(evidence.check("Pod web-1 restarted 5 times.").flagged().next().is_none());
    assert!(evidence.check("Pod web-1 restarted 7 times.").flagged().next().is_some());
}

/// The verdicts on a text about one result, without those that are supported.
fn verdicts_about(result: &str, text: &str) -> Vec<Verdict> {
    let call =
        Call { number: 1, tool: "host.run", arguments: "{}", text: result, answered_at: None };
    let report = Evidence::new(&[call], &[]).check(text);
    let verdicts = report.claims.iter().map(|checked| checked.verdict);
    verdicts.filter(|verdict| *verdict != Verdict::Supported).collect()
}

#[test]
fn numbers_of_a_list_share_their_unit() {
    let log = "pause=6120ms\npause=6588ms\npause=7010ms\n";
    assert_eq!(verdicts_about(log, "It paused for 6.1, 6.6 and 7.0 seconds [call 1]."), []);
    assert_eq!(
        verdicts_about(log, "It paused for 6.1, 6.6 and 9.4 seconds [call 1]."),
        [Verdict::Unsupported]
    );
}

#[test]
fn a_part_is_compared_with_the_pair_that_shows_it() {
    let table = "NAME   READY   AGE\nweb    2/5     3d\n";
    assert_eq!(verdicts_about(table, "2 of 5 replicas of `web` are ready [call 1]."), []);
    assert_eq!(
        verdicts_about(table, "4 of 5 replicas of `web` are ready [call 1]."),
        [Verdict::Contradicted]
    );
}

#[test]
fn an_event_of_a_log_has_its_own_number_and_time() {
    let log = "10:00:01 compaction took=812ms\n10:00:07 sync took=2310ms\n";
    assert_eq!(verdicts_about(log, "The compaction at 10:00:01 took 812 ms [call 1]."), []);
    assert_eq!(
        verdicts_about(log, "The compaction took 2310 ms [call 1]."),
        [Verdict::Contradicted]
    );
    let late = verdicts_about(log, "The compaction was logged at 10:00:07 [call 1].");
    assert_eq!(late.len(), 1, "{late:?}");
}

#[test]
fn what_follows_from_a_column_is_understood() {
    let table = "NAME   STATE   SESSIONS\nweb-1  up      88\nweb-2  up      9\nweb-3  down    2\n";
    assert_eq!(verdicts_about(table, "88 of 99 sessions are on `web-1`, 89 % [call 1]."), []);
    assert_eq!(verdicts_about(table, "`web-1` has 79 sessions more than `web-2` [call 1]."), []);
    assert_ne!(verdicts_about(table, "88 of 99 sessions are on `web-1`, 71 % [call 1]."), []);
}

#[test]
fn what_a_result_leaves_out_is_filled_in_with_care() {
    let json = r#"{"AllocatedStorage": 200, "BackupRetentionPeriod": 7}"#;
    assert_eq!(verdicts_about(json, "200 GiB are allocated [call 1]."), []);
    assert_eq!(verdicts_about(json, "Backups are kept for 7 days [call 1]."), []);
    assert_ne!(verdicts_about(json, "The queue has waited for 7 days [call 1]."), []);
    assert_ne!(verdicts_about("memory: 1Gi", "The memory is 640 MiB [call 1]."), []);
}

#[test]
fn a_number_of_something_else_is_not_contradicted_by_the_one_value_that_is_left() {
    let df = "Filesystem  Size  Used  Mounted on\n/dev/vdb    40G   39G   /var\n";
    let text = "`/var` uses 39G [call 1]. The queue holds 48213 messages [call 1].";
    assert_eq!(verdicts_about(df, text), [Verdict::Unsupported]);
}
