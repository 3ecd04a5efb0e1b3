//! Runtimes of applications: what ends a process, and what it lacks.

use super::pattern::{Pattern, log};
use crate::verdict::Category::{Application, Command, Configuration, Crash, Starvation};

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
    log(
        Application,
        93.0,
        "the program uses a way of encryption that its version of OpenSSL has switched off",
        r"err_ossl_evp_unsupported|digital envelope routines::unsupported|unsupported hash type md4",
    ),
    log(
        Application,
        91.0,
        "a module is loaded in a way that its form does not allow",
        r"err_require_esm|cannot use import statement outside a module|unexpected token 'export'|err_unsupported_dir_import",
    ),
    log(
        Application,
        92.0,
        "a module was built for another version of its runtime or system",
        r"compiled against a different node\.js version|node_module_version \d+|invalid elf header|wrong elf class|incompatible architecture",
    ),
    log(
        Application,
        90.0,
        "libraries of the program do not fit each other",
        r"nosuchmethoderror|abstractmethoderror|incompatibleclasschangeerror|typeloadexception|missingmethodexception|could not load file or assembly|undefined symbol:|symbol lookup error",
    ),
    log(
        Application,
        93.0,
        "a library of the system is older than the program needs",
        r"version .?glibc\w*_[\d.]+'? not found|/lib\S*: version \S+ not found|error relocating \S+: \S+ symbol not found",
    ),
    log(
        Application,
        94.0,
        "the version of .NET that the program needs is not installed",
        r"you must install or update \.net|the framework '[^']+', version '[^']+'.{0,40}was not found",
    ),
    log(
        Configuration,
        93.0,
        "the setting `${name}` that the program needs is missing",
        r"could not resolve placeholder '(?P<name>[^':]+)",
    ),
    log(
        Configuration,
        91.0,
        "a setting of the program is wrong",
        r"improperlyconfigured|failed to configure a datasource|no suitable driver found|invalid_settings|configurationerror:",
    ),
    log(
        Application,
        72.0,
        "the code of the program has an error of its language",
        r"syntaxerror: |indentationerror: |unexpected identifier '|parseerror: |call to undefined (?:function|method)|undefined method .{1,40} for|nameerror: |attributeerror: |typeerror: .{0,60}(?:is not a function|undefined|nonetype)|referenceerror: ",
    )
    .beside(&["restart", "crash", "start", "error", "500", "5xx", "fail", "loop", "down", "release", "deploy"]),
    log(
        Crash,
        92.0,
        "the processor does not know an instruction of the program",
        r"illegal instruction|\bsigill\b",
    ),
    log(
        Starvation,
        90.0,
        "the program cannot start another thread",
        r"unable to create (?:new )?native thread|can't start new thread|failed to create (?:new )?os thread|pthread_create failed|cannot create worker thread",
    ),
    log(
        Application,
        88.0,
        "a script ran longer than it may",
        r"maximum execution time of \d+ seconds exceeded",
    ),
    log(
        Application,
        86.0,
        "a worker of the queue was ended in the middle of its work",
        r"workerlosterror|worker exited prematurely",
    ),
];
