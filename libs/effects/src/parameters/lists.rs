//! The words of parameters.

/// Words of parameters that take a program, wherever they stand.
pub(super) const PROGRAMS: [&str; 22] = [
    "aql",
    "bash",
    "cli",
    "cmd",
    "command",
    "commands",
    "cypher",
    "dax",
    "flux",
    "gremlin",
    "javascript",
    "kql",
    "lambda",
    "mdx",
    "program",
    "python",
    "script",
    "scripts",
    "shell",
    "sparql",
    "spl",
    "xquery",
];
/// Last words of parameters that take a program or what is written.
pub(super) const LAST: [&str; 20] = [
    "aggregation",
    "args",
    "argument",
    "arguments",
    "argv",
    "body",
    "expr",
    "expression",
    "expressions",
    "exec",
    "formula",
    "func",
    "instructions",
    "manifest",
    "mutation",
    "mutations",
    "patch",
    "payload",
    "pipeline",
    "stages",
];
/// Last words of parameters that take a statement in the language of the tool's system.
pub(super) const STATEMENTS: [&str; 6] =
    ["q", "queries", "query", "statement", "statements", "stmt"];
/// Last words of parameters that hold the address of a request.
pub(super) const ADDRESSES: &str = "endpoint href path route uri url";
/// Last words of the names of things, in place of the things.
pub(super) const NAMES: [&str; 12] = [
    "format",
    "id",
    "identifier",
    "ids",
    "index",
    "kind",
    "language",
    "name",
    "names",
    "status",
    "type",
    "version",
];
/// Names of parameters that choose among operations.
pub(super) const OPERATIONS: [&str; 9] =
    ["action", "command", "method", "mode", "operation", "op", "subcommand", "task", "verb"];
/// Words of switches.
pub(super) const SWITCHES: [&str; 14] = [
    "autofix",
    "commit",
    "confirm",
    "confirmed",
    "consume",
    "execute",
    "force",
    "forced",
    "overwrite",
    "persist",
    "requeue",
    "unsafe",
    "write",
    "yes",
];
/// Switches of several words, joined.
pub(super) const JOINED_SWITCHES: [&str; 2] = ["dryrun", "readonly"];
/// First words of flags that make a call change something.
pub(super) const FLAGS: [&str; 34] = [
    "acknowledge",
    "apply",
    "approve",
    "archive",
    "clear",
    "close",
    "create",
    "delete",
    "deploy",
    "destroy",
    "disable",
    "drop",
    "enable",
    "fix",
    "insert",
    "install",
    "mark",
    "merge",
    "publish",
    "purge",
    "push",
    "remediate",
    "remove",
    "replace",
    "reset",
    "restart",
    "save",
    "send",
    "set",
    "start",
    "stop",
    "store",
    "update",
    "upsert",
];
/// Words of descriptions that say that a text is run.
pub(super) const RUN_WORDS: [&str; 8] =
    ["eval", "evaluate", "evaluated", "executable", "execute", "executed", "executes", "shell"];
/// First words of parameters that choose an operation whatever follows: `http_method`.
pub(super) const OF_REQUESTS: [&str; 5] = ["api", "http", "request", "rest", "sub"];
/// Operations that may be whole programs, or something else, unless their values are listed.
pub(super) const LISTED_ONLY: [&str; 4] = ["command", "mode", "subcommand", "task"];
/// Names of texts that a tool may run whose own name says that it asks or runs.
pub(super) const TEXTS: [&str; 8] =
    ["code", "content", "input", "prompt", "raw", "source", "string", "text"];
/// First words of parameters with what something becomes.
pub(super) const CONTENTS: [&str; 4] = ["new", "replace", "replacement", "updates"];
