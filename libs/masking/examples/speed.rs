//! Measures the masker on its worst inputs: every literal that it looks for, repeated, with what may stand behind it, and
//! longer texts that were slow once or look like it. `cargo run --release -p tarsy-masking --example speed -- [LITERAL]`
//!
//! Prints the slowest inputs, and how many are below the floor; fails if any is.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tarsy_masking::{Masker, literals};

/// The allocator of the services: others give memory back, and get it again, for each text.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// How long a text is: longer than what is looked at again as a whole.
const BYTES: usize = 96 * 1024;
/// How long the texts are that are no repeated literals: what costs more with each byte shows.
const LONG_BYTES: usize = 2 << 20;
/// How often a text is masked; the fastest round counts.
const ROUNDS: usize = 2;
/// How often a text below the floor is masked again, in case other programs slowed it down.
const MORE_ROUNDS: usize = 10;
/// How many MiB/s every input should reach.
const FLOOR: f64 = 20.0;
/// Below how many MiB/s an input fails the run: its cost grows faster than its length, or a rule reads it again and again.
const FAILURE: f64 = 5.0;
/// How many of the slowest inputs are printed.
const SHOWN: usize = 60;
/// Texts that were slow once or look like it, repeated.
const UNITS: [(&str, &str); 30] = [
    ("heads of blocks", "-----BEGIN"),
    ("blocks without an end", "-----BEGIN PRIVATE KEY-----"),
    ("openings of CDATA", "<password><![CDATA[hunter2"),
    ("modules in one another", "plainloginmodule required user_a=\"b\" "),
    ("names of users", "plainloginmodule required user_user_user_user_"),
    ("a string in each string", "password=\"\\\"\\\\'"),
    ("four encodings", "\u{1b}[0m&quot;password%3Dhunter2\\u0022"),
    ("Secrets in one another", "{\"kind\":\"Secret\",\"data\":{\"a\":\""),
    ("quotes and backslashes", "\"\\"),
    ("a query", "key=value&password=hunter2&api_key=abc123&"),
    ("an environment", "DB_PASSWORD=hunter2\0PATH=/usr/bin\0TOKEN=abc123def456\0"),
    ("colours between letters", "\u{1b}[31mp\u{1b}[0m\u{1b}[31mw\u{1b}[0m\u{1b}[31m=\u{1b}[0mx "),
    ("colours", "\u{1b}[0m"),
    ("entities", "&quot;password&quot;:&quot;hunter2&quot;,"),
    ("percents", "%22password%22%3A%22hunter2%22%2C"),
    ("codes", "\\u0022password\\u0022:\\u0022hunter2\\u0022,"),
    ("records", "{\"name\":\"DB_PASSWORD\",\"value\":\"hunter2\"},"),
    ("open objects", "{\"password\":\"hunter2\",\"a\":["),
    ("brackets", "{[}"),
    ("strings of three quotes", "password=\"\"\"a"),
    ("statements", "insert into t (password, token) values ('a','b');"),
    ("headers", "Authorization: Digest username=\"a\", "),
    ("lists", "passwords:\n- hunter2\n- hunter3\n"),
    ("blocks of YAML", "password: |\n  hunter2\n\n"),
    ("descriptions", "\nData\n====\npassword: 7 bytes\ntoken: abc\n"),
    ("maps of Go", "map[password:hunter2 token:abc] "),
    ("a key in each string", "\"kty\" "),
    ("masks", "password=[MASKED_PASSWORD] "),
    ("halves of masks", "[MASKED_"),
    ("a manifest", "---\nkind: Secret\ndata:\n  password: aHVudGVyMg==\n"),
];
/// What stands behind a literal, and between it and the next.
const TAILS: [&str; 40] = [
    "",
    " ",
    "\n",
    "x ",
    "=x ",
    ": x\n",
    ": x ",
    "=\"x\" ",
    "\": \"x\", ",
    " -u a:b ",
    " -p x y\n",
    "{",
    "a1B2c3D4e5F6a7B8c9D0 ",
    "://a:b@c ",
    "\\",
    " | ",
    "=",
    "=/",
    ":",
    "='",
    "=\"",
    "=\\\"",
    "=${",
    "={{",
    "=[",
    "=(",
    "=<",
    "><![CDATA[",
    ">",
    ": |\n  ",
    ": |",
    ",",
    "\t",
    "\0",
    "%3D",
    "&",
    "=a:",
    "=&",
    "\":{\"",
    "\":[\"",
];

fn main() -> ExitCode {
    let only = std::env::args().nth(1);
    match run(only.as_deref()) {
        Ok(0) => ExitCode::SUCCESS,
        Ok(_) => ExitCode::FAILURE,
        Err(error) => {
            let written = writeln!(std::io::stderr().lock(), "{error}");
            written.map_or(ExitCode::FAILURE, |()| ExitCode::FAILURE)
        }
    }
}

/// Measures every input, and returns how many fail.
fn run(only: Option<&str>) -> Result<usize, Box<dyn std::error::Error>> {
    let mut rates = Vec::new();
    // The group of every pattern does all the work of the others.
    let masker = Masker::builder().group("all").build()?;
    let literals = literals()?;
    for literal in literals.iter().filter(|literal| only.is_none_or(|only| *literal == only)) {
        for tail in TAILS {
            let unit = format!("{literal}{tail}");
            let text = unit.repeat(BYTES / unit.len());
            rates.push((rate(&masker, &text)?, unit));
        }
    }
    for (name, text) in texts(&literals).iter().filter(|_| only.is_none()) {
        rates.push((rate(&masker, text)?, (*name).to_owned()));
    }
    rates.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let below = rates.iter().filter(|(rate, _)| *rate < FLOOR).count();
    let mut out = std::io::stdout().lock();
    for (rate, unit) in rates.iter().take(SHOWN) {
        writeln!(out, "{rate:8.1} MiB/s  {unit:?}")?;
    }
    writeln!(out, "{} inputs, {below} below {FLOOR} MiB/s", rates.len())?;
    Ok(rates.iter().filter(|(rate, _)| *rate < FAILURE).count())
}

/// The long texts by name.
fn texts(literals: &[String]) -> Vec<(&'static str, String)> {
    let repeated = |unit: &str| unit.repeat(LONG_BYTES / unit.len());
    let mut texts: Vec<(&str, String)> =
        UNITS.iter().map(|(name, unit)| (*name, repeated(unit))).collect();
    for (name, separator) in
        [("all literals", ""), ("all literals with blanks", " "), ("all literals on lines", "\n")]
    {
        texts.push((name, repeated(&literals.join(separator))));
    }
    let (heads, rows) = (repeated("-----BEGIN PRIVATE KEY-----\"a"), repeated("('a','b'),"));
    texts.push(("one end of many blocks", format!("{heads}-----END PRIVATE KEY-----")));
    let columns = "password,".repeat(450);
    texts.push(("many columns", format!("INSERT INTO t ({columns}) VALUES {rows}")));
    let names = (0..60_000).map(|name| format!("password_{name}=hunter{name}\n"));
    texts.push(("a name on each line", names.collect()));
    // Equal neighbours are read once.
    let strings = (0..120_000).map(|number| format!("password=\"\\\"\\\\'{number}"));
    texts.push(("another string in each string", strings.collect()));
    let nested = |text: &str| serde_json::Value::from(text).to_string();
    let strings = (0..8).fold("{\"password\":\"hunter2\"}".to_owned(), |text, _| nested(&text));
    texts.push(("strings in strings", repeated(&strings)));
    texts
}

/// MiB per second of the fastest round.
#[expect(clippy::cast_precision_loss, reason = "texts are far shorter than 2^52 bytes")]
fn rate(masker: &Masker, text: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let mut best = 0.0_f64;
    for round in 0..ROUNDS + MORE_ROUNDS {
        if round >= ROUNDS && best >= FLOOR {
            break;
        }
        let start = processor_time()?;
        masker.mask(text)?;
        let time = processor_time()?.saturating_sub(start).as_secs_f64();
        best = best.max(text.len() as f64 / f64::from(1 << 20) / time.max(f64::EPSILON));
    }
    Ok(best)
}

/// How long this thread ran, so that other programs on the machine change nothing.
fn processor_time() -> Result<Duration, Box<dyn std::error::Error>> {
    Ok(Duration::try_from(clock_gettime(ClockId::ThreadCPUTime))?)
}
