//! Measures what the judgement adds to a tool call: arguments as models write them, in each language.
//! `cargo run --release -p tarsy-effects --example judgement_speed`
//!
//! Prints the time of each; fails if one takes longer than a call may.

use std::hint::black_box;
use std::io::Write as _;
use std::process::ExitCode;
use std::time::{Duration, Instant};

use serde_json::{Value, json};
use tarsy_contracts::judged::{Judged, Language};
use tarsy_effects::{Declared, doubt_of_text, doubt_of_undeclared};

#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// The most that a tool call may take longer.
const LIMIT: Duration = Duration::from_micros(50);
const CALLS: u32 = 2_000;
/// The fastest round counts: other programs may slow the others down.
const ROUNDS: usize = 7;

const SHORT: &str = "SELECT id, state FROM jobs WHERE state = 'failed' ORDER BY id DESC LIMIT 20";
const LONG: &str = "WITH slow AS (SELECT service, percentile_cont(0.95) WITHIN GROUP (ORDER BY ms) AS p95 FROM requests \
    WHERE at > now() - interval '1 hour' GROUP BY service), recent AS (SELECT service, max(at) AS last FROM deployments GROUP BY service) \
    SELECT s.service, s.p95, r.last, count(e.id) AS errors FROM slow s LEFT JOIN recent r ON r.service = s.service \
    LEFT JOIN errors e ON e.service = s.service AND e.at > r.last WHERE s.p95 > 250 AND s.service NOT IN ('test', 'canary') \
    GROUP BY s.service, s.p95, r.last HAVING count(e.id) > 3 ORDER BY errors DESC, s.p95 DESC LIMIT 50";
const GRAPHQL: &str = "query Open($first: Int!) { repository(owner: \"a\", name: \"b\") { issues(first: $first, states: OPEN) \
    { nodes { number title labels(first: 5) { nodes { name } } } } } }";

fn main() -> ExitCode {
    let mut is_good = true;
    for (name, judged, arguments) in calls() {
        let time = fastest(&judged, &arguments.to_string());
        is_good &= time <= LIMIT;
        let _printed =
            writeln!(std::io::stdout(), "{name:<28} {:>7.2} µs", time.as_secs_f64() * 1e6);
    }
    let time = fastest_undeclared();
    is_good &= time <= LIMIT;
    let name = "what is not declared";
    let _printed = writeln!(std::io::stdout(), "{name:<28} {:>7.2} µs", time.as_secs_f64() * 1e6);
    let _printed = writeln!(std::io::stdout(), "at most {} µs", LIMIT.as_micros());
    if is_good { ExitCode::SUCCESS } else { ExitCode::FAILURE }
}

/// What is judged, and the arguments of a call.
fn calls() -> [(&'static str, Vec<Judged>, Value); 8] {
    let judged = |parameter: &str, language| {
        vec![Judged { parameter: parameter.to_owned(), language, may_be_absent: false }]
    };
    [
        ("a call that is not judged", judged("path", Language::Nothing), json!({"node": "a"})),
        ("a method", judged("method", Language::Operation), json!({"method": "GET"})),
        (
            "a request",
            judged("method", Language::Operation),
            json!({"method": "GET", "url": "https://shop.example/api/v1/carts?state=open&limit=20",
                "headers": {"Accept": "application/json", "X-Request-Id": "7f3a"}}),
        ),
        (
            "a command of kubectl",
            judged("command", Language::Kubectl),
            json!({"command": "get pods -n shop -l app=cart -o wide"}),
        ),
        ("a query of GraphQL", judged("query", Language::Graphql), json!({"query": GRAPHQL})),
        ("a statement of SQL", judged("sql", Language::Postgresql), json!({"sql": SHORT})),
        ("a long statement of SQL", judged("sql", Language::Postgresql), json!({"sql": LONG})),
        ("SQL of an unknown system", judged("sql", Language::Sql), json!({"sql": SHORT})),
    ]
}

/// The time of one look at what a tool does not declare, of a call with two parameters that it declares and one that it does not.
fn fastest_undeclared() -> Duration {
    let schema =
        json!({"properties": {"namespace": {"type": "string"}, "name": {"type": "string"}}});
    let arguments = json!({"namespace": "shop", "name": "cart-0", "container": "web"});
    let (Some(schema), Some(arguments)) = (schema.as_object(), arguments.as_object()) else {
        return Duration::MAX;
    };
    let tool =
        Declared { server: "cluster", name: "get_pod_logs", description: "Logs of a pod", schema };
    let round = || {
        let begun = Instant::now();
        for _ in 0..CALLS {
            black_box(doubt_of_undeclared(black_box(tool), black_box(arguments)));
        }
        begun.elapsed() / CALLS
    };
    (0..ROUNDS).map(|_| round()).min().unwrap_or_default()
}

/// The time of one judgement, the arguments as a model wrote them included.
fn fastest(judged: &[Judged], arguments: &str) -> Duration {
    let round = || {
        let begun = Instant::now();
        for _ in 0..CALLS {
            black_box(doubt_of_text(black_box(judged), black_box(arguments)));
        }
        begun.elapsed() / CALLS
    };
    (0..ROUNDS).map(|_| round()).min().unwrap_or_default()
}
