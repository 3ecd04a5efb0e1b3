//! Large and hostile texts.

use std::fmt::Write as _;
use std::time::Instant;

use proptest::prelude::*;
use tarsy_evidence::{Call, Evidence, Verdict, extract, read};

/// Bytes of results of one call.
const LARGE: usize = 20 * 1024 * 1024;

fn call(text: &str) -> Call<'_> {
    Call { number: 1, tool: "logs.search", arguments: "{}", text, answered_at: None }
}

#[test]
#[expect(clippy::print_stdout, reason = "how long it takes is the result of this test")]
fn twenty_mebibytes_of_results_are_checked() {
    let mut log = String::with_capacity(LARGE + 200);
    let mut number = 0_u32;
    while log.len() < LARGE {
        number += 1;
        let _ = writeln!(
            log,
            "2026-11-23T14:{:02}:{:02}.{:03}Z INFO service=api-{} path=/orders/{number} status=200 latency_ms={}",
            number / 60 % 60,
            number % 60,
            number % 1000,
            number % 40,
            number % 977
        );
    }
    log.push_str("2026-11-23T15:02:03Z ERROR pool exhausted after 91733 waits\n");
    let begin = Instant::now();
    let evidence = Evidence::new(&[call(&log)], &[]);
    let text = "It says `pool exhausted after 91733 waits` at 15:02:03 [call 1]. There were 81444212 waits [call 1].";
    let report = evidence.check(text);
    println!("20 MiB in {:?}", begin.elapsed());
    assert_eq!(report.count(Verdict::Unsupported), 1, "{report:?}");
}

/// Results in forms that are slow to search: many rows, many names, one line, few words, settings.
fn slow_results() -> Vec<(&'static str, String)> {
    const SIZE: usize = 512 * 1024;
    let repeat = |head: &str, row: &dyn Fn(usize) -> String, tail: &str| {
        let mut text = String::from(head);
        for number in 0.. {
            if text.len() >= SIZE {
                break;
            }
            text.push_str(&row(number));
        }
        text + tail
    };
    let table = |number| {
        format!(
            "shop  web-{number}  Running  {}  {}m  {}Mi\n",
            number % 9,
            number % 800,
            number % 700
        )
    };
    let log = |number| {
        format!(
            "2026-11-23T14:{:02}:{:02}Z ERROR web-1 failed after {} ms\n",
            number / 60 % 60,
            number % 60,
            number % 977
        )
    };
    let json = |number| {
        format!(
            "{{\"name\": \"web-{number}\", \"restarts\": {}, \"memory\": \"{}Mi\"}},",
            number % 9,
            number % 700
        )
    };
    let events = |number| {
        format!(
            "{{\"ts\":\"2026-11-23T14:{:02}:{:02}Z\",\"msg\":\"web-1 failed\",\"took_ms\":{}}}\n",
            number / 60 % 60,
            number % 60,
            number % 977
        )
    };
    vec![
        ("table", repeat("NAMESPACE  NAME  STATUS  RESTARTS  CPU  MEMORY\n", &table, "")),
        ("log", repeat("", &log, "")),
        ("json", repeat("[", &json, "{}]")),
        ("events", repeat("", &events, "")),
        ("settings", repeat("", &|number| format!("web_failed_{number}: {}\n", number % 977), "")),
        (
            "one name",
            repeat(
                "NAME  STATUS  RESTARTS  MEMORY\n",
                &|number| format!("web-1  Failed  {}  {}Mi\n", number % 9, number % 700),
                "",
            ),
        ),
        ("one word", "web-1 failed ".repeat(SIZE / 13)),
        ("one line", repeat("", &|number| format!("web-1 failed after {} ms, ", number % 977), "")),
        (
            "csv",
            repeat(
                "name,restarts,memory\n",
                &|number| format!("web-{number},{},{}\n", number % 9, number % 977),
                "",
            ),
        ),
    ]
}

/// Forty statements with a name, a number, a time or a quotation each; most of them are false.
fn forty_statements() -> String {
    (0..10).fold(String::new(), |mut text, number| {
        let _ = writeln!(text, "- `web-{number}` failed {number}1 times in total, about {number}3 % of all [call 1].");
        let _ = writeln!(text, "- The pod `web-{number}` used {number}.5 GiB of memory in total, {number}7 MiB more than `web-1` [call 1].");
        let _ = writeln!(text, "- At 14:0{number}:17 web-1 failed after {number}812 ms, {number} minutes after 13:5{number} [call 1].");
        let _ = writeln!(text, "- It says `web-{number} failed after … {number}99 ms` and `memory: {number}` [call 1].");
        text
    })
}

#[test]
#[expect(clippy::print_stdout, reason = "how long it takes is the result of this test")]
fn forty_statements_are_checked_against_forms_that_are_slow_to_search() {
    let text = forty_statements();
    for (form, result) in slow_results() {
        let begin = Instant::now();
        let evidence = Evidence::new(&[call(&result)], &[]);
        let read = begin.elapsed();
        let report = evidence.check(&text);
        println!(
            "{form}: read in {read:?}, {} claims checked in {:?}",
            report.claims.len(),
            begin.elapsed().checked_sub(read).unwrap()
        );
        assert!(report.claims.len() > 40, "{form}: {report:?}");
    }
}

#[test]
fn lines_that_begin_what_does_not_end_are_read() {
    const TIMES: usize = 20_000;
    for line in [
        "{\"a\": [1,\n",
        "[\"a\", \"b\n",
        "{ a: 'b\n",
        "{\"a\": \"\n",
        "NAME  READY  STATUS\n",
        "name,ready,status\n",
        "| name | ready |\n",
        "-[ RECORD 1 ]---\n",
        "up{job=\"a\n",
        "key: |\n",
        "- key: [\n",
        "12,345,67,\n",
        "Nov 23 14:03:12 web-1 app[12]: (estab 1, closed\n",
        "`a` [call 1, [call 2\n",
        "**bold: \"quoted\n\n",
        "| a | b |\n|---|---|\n",
    ] {
        let text = line.repeat(TIMES);
        let _ = read(&text);
        let _ = extract(&text);
    }
}

#[test]
fn deep_nesting_and_endless_lines_end() {
    for text in [
        "[".repeat(100_000),
        "{\"a\":".repeat(50_000),
        "a=".repeat(200_000),
        "- ".repeat(50_000),
        "x: ".repeat(50_000),
    ] {
        let _ = read(&text);
        let _ = extract(&text);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(300))]

    #[test]
    fn no_text_makes_it_fail(text in "[ -~\n\tµé“”…0-9:/.%|`\\[\\]{}]{0,300}") {
        let evidence = Evidence::new(&[call(&text)], &[&text]);
        for checked in evidence.check(&text).claims {
            prop_assert!(text.get(checked.claim.range).is_some());
        }
        let lines = text.lines().count();
        for reading in read(&text) {
            prop_assert!(reading.line >= 1 && reading.line <= lines.max(1), "{reading:?}");
        }
    }
}
