//! Runtimes of applications: what ends a process, and what it lacks.

use super::pattern::{Pattern, log};
use crate::verdict::Category::{Application, Command, Crash};

pub(super) const PATTERNS: &[Pattern] = &[
    log(
        Application,
        90.0,
        "threads of the process wait for each other (a deadlock)",
        r"found one java-level deadlock|all goroutines are asleep - deadlock",
    ),
    log(
        Crash,
        84.0,
        "the process ends because two of its threads write to one map",
        r"fatal error: concurrent map ",
    ),
    log(
        Crash,
        66.0,
        "the process ends with an exception that nobody handles",
        r"triggeruncaughtexception\(",
    ),
    log(
        Command,
        84.0,
        "a module that the program needs is not installed",
        r"modulenotfounderror|no module named |cannot find module |module_not_found|importerror: cannot import|could not find \S+ in locally installed gems|noclassdeffounderror|^caused by: \S*classnotfoundexception: ",
    )
    .beside(&["start", "crash", "restart", "fail", "down", "import", "module", "backoff"]),
    log(
        Command,
        90.0,
        "a library that the program needs is not installed",
        r"error while loading shared libraries",
    ),
    log(
        Command,
        90.0,
        "the program was built for a newer version of its runtime",
        r"unsupportedclassversionerror|compiled by a more recent version of the java runtime",
    ),
    log(
        Application,
        82.0,
        "workers of the application server do not answer in time, and are ended",
        r"worker timeout \(pid|\bworker timeout\b",
    )
    .beside(&["worker", "slow", "timeout", "timed out", "latency", "502", "504", "5xx", "answer"]),
];
