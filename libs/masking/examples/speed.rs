//! Measures the masker on its worst inputs: every literal that it looks for, repeated, with what may stand behind it.
//! `cargo run --release -p tarsy-masking --example speed -- [LITERAL]`
//!
//! Prints the slowest inputs, and how many are below the floor.

use std::io::Write as _;
use std::process::ExitCode;
use std::time::Duration;

use rustix::time::{ClockId, clock_gettime};
use tarsy_masking::{Masker, literals};

/// How long a text is: longer than what is looked at again as a whole.
const BYTES: usize = 96 * 1024;
/// How often a text is masked; the fastest round counts.
const ROUNDS: usize = 2;
/// How many MiB/s every input should reach.
const FLOOR: f64 = 20.0;
/// How many of the slowest inputs are printed.
const SHOWN: usize = 60;
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
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            let written = writeln!(std::io::stderr().lock(), "{error}");
            written.map_or(ExitCode::FAILURE, |()| ExitCode::FAILURE)
        }
    }
}

fn run(only: Option<&str>) -> Result<(), Box<dyn std::error::Error>> {
    let mut rates = Vec::new();
    // The group of every pattern does all the work of the others.
    let masker = Masker::builder().group("all").build()?;
    for literal in literals()?.iter().filter(|literal| only.is_none_or(|only| *literal == only)) {
        for tail in TAILS {
            let unit = format!("{literal}{tail}");
            let text = unit.repeat(BYTES / unit.len());
            rates.push((rate(&masker, &text)?, unit));
        }
    }
    rates.sort_by(|(a, _), (b, _)| a.total_cmp(b));
    let below = rates.iter().filter(|(rate, _)| *rate < FLOOR).count();
    let mut out = std::io::stdout().lock();
    for (rate, unit) in rates.iter().take(SHOWN) {
        writeln!(out, "{rate:8.1} MiB/s  {unit:?}")?;
    }
    writeln!(out, "{} inputs, {below} below {FLOOR} MiB/s", rates.len())?;
    Ok(())
}

/// MiB per second of the fastest round.
#[expect(clippy::cast_precision_loss, reason = "texts are far shorter than 2^52 bytes")]
fn rate(masker: &Masker, text: &str) -> Result<f64, Box<dyn std::error::Error>> {
    let mut best = f64::INFINITY;
    for _ in 0..ROUNDS {
        let start = processor_time()?;
        masker.mask(text)?;
        best = best.min(processor_time()?.saturating_sub(start).as_secs_f64());
    }
    Ok(text.len() as f64 / f64::from(1 << 20) / best.max(f64::EPSILON))
}

/// How long this thread ran, so that other programs on the machine change nothing.
fn processor_time() -> Result<Duration, Box<dyn std::error::Error>> {
    Ok(Duration::try_from(clock_gettime(ClockId::ThreadCPUTime))?)
}
