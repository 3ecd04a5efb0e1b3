//! The words of parameters.

/// Words of parameters that take a program, wherever they stand.
pub(super) const PROGRAMS: [&str; 37] = [
    "aql",
    "awk",
    "bash",
    "cli",
    "cmd",
    "cmdlet",
    "cmdlets",
    "command",
    "commands",
    "cypher",
    "dax",
    "flux",
    "gremlin",
    "groovy",
    "javascript",
    "jinja",
    "js",
    "kql",
    "lambda",
    "lua",
    "mdx",
    "perl",
    "playbook",
    "playbooks",
    "powershell",
    "program",
    "pwsh",
    "python",
    "script",
    "scripts",
    "sed",
    "shell",
    "sparql",
    "spl",
    "subcommand",
    "subcommands",
    "xquery",
];
/// The same in languages other than English, and words for statements and switches.
pub(super) const FOREIGN: [&str; 36] = [
    "abfrage",
    "anweisung",
    "ausdruck",
    "ausfuehren",
    "ausfuhren",
    "befehl",
    "befehle",
    "chaxun",
    "comando",
    "comandos",
    "commande",
    "commandes",
    "confirmar",
    "consulta",
    "consultas",
    "ejecutar",
    "erzwingen",
    "executar",
    "executer",
    "expresion",
    "forcer",
    "forzar",
    "instruccion",
    "instrucao",
    "instruction",
    "interrogazione",
    "istruzione",
    "komanda",
    "kommando",
    "loeschen",
    "polecenie",
    "requete",
    "sentencia",
    "skript",
    "zapros",
    "zapytanie",
];
/// Words that say how a text is written, behind what it is: `query_base64`, `sql_text`.
pub(super) const WRITTEN: [&str; 20] = [
    "b", "base", "body", "code", "data", "encoded", "gz", "hex", "input", "json", "line", "lines",
    "list", "raw", "str", "string", "text", "txt", "value", "yaml",
];
/// What stands beside a program or a statement in a word of both: `cmdline`, `rawquery`.
pub(super) const JOINED: [&str; 21] = [
    "bash", "body", "code", "custom", "db", "exec", "full", "input", "line", "lines", "list", "my",
    "ps", "raw", "run", "shell", "str", "string", "text", "user", "value",
];
/// Words of descriptions that say that a text is written in a language.
pub(super) const WRITINGS: [&str; 14] = [
    "clause",
    "code",
    "command",
    "commands",
    "expression",
    "program",
    "queries",
    "query",
    "script",
    "scripts",
    "snippet",
    "statement",
    "statements",
    "stmt",
];
/// Languages of descriptions, beside SQL and GraphQL.
pub(super) const WRITTEN_LANGUAGES: &str = "bash cypher dax flux graphql gremlin groovy \
    influxql javascript kql kubectl lua mdx partiql perl plsql powershell python shell sparql \
    spl sql tsql typescript";
/// Parameters of the programs below that carry flags.
pub(super) const OPTIONS: [&str; 8] =
    ["extra", "flag", "flags", "option", "options", "opts", "switches", "parameters"];
/// Words of tools that run a program of the command line.
pub(super) const COMMAND_LINES: &str =
    "aws az cli command docker gcloud git helm kubectl oc podman shell terraform";
/// Parameters that choose another tool, which gets the other arguments.
pub(super) const CALLED: [&str; 6] = ["api", "function", "procedure", "rpc", "tool", "toolname"];
/// Parameters that such a tool is given.
pub(super) const GIVEN: [&str; 8] =
    ["args", "arguments", "data", "input", "inputs", "kwargs", "parameters", "params"];
/// Names of things that rows are read from by a statement.
pub(super) const ROWS: &str = "data dataset record records result results row rows";
/// Verbs of tools that run what they are given.
pub(super) const RUNNING: &str = "call eval evaluate exec execute perform run";
/// Words of tools that run the text of a parameter.
pub(super) const RUNNERS: &str = "ask cypher execute gql graphql query run sql statement";
/// Last words of parameters of such tools that are known as data, beside things.
pub(super) const DATA: [&str; 32] = [
    "cursor",
    "direction",
    "duration",
    "end",
    "env",
    "field",
    "fill",
    "from",
    "granularity",
    "interval",
    "iso",
    "level",
    "limit",
    "lookback",
    "offset",
    "pattern",
    "percentile",
    "period",
    "prefix",
    "quantile",
    "regex",
    "rfc",
    "selector",
    "severity",
    "since",
    "start",
    "stat",
    "step",
    "timezone",
    "to",
    "unit",
    "until",
];
/// Last words of parameters of parameters that take a program or what is written.
pub(super) const LAST: [&str; 23] = [
    "aggregation",
    "args",
    "argument",
    "arguments",
    "argv",
    "body",
    "calls",
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
    "operations",
    "patch",
    "payload",
    "pipeline",
    "stages",
    "steps",
];
/// Last words of parameters that take a statement in the language of the tool's system.
pub(super) const STATEMENTS: [&str; 6] =
    ["q", "queries", "query", "statement", "statements", "stmt"];
/// Last words of parameters that hold the address of a request.
pub(super) const ADDRESSES: &str = "endpoint href path route uri url";
/// The same without those of files.
pub(super) const URLS: &str = "endpoint href uri url";
/// What a request carries.
pub(super) const BODIES: [&str; 6] = ["body", "data", "files", "form", "json", "multipart"];
/// Last words of the names of things, in place of the things.
pub(super) const NAMES: [&str; 15] = [
    "arn",
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
    "uid",
    "uuid",
    "version",
];
/// Names of parameters that choose among operations.
pub(super) const OPERATIONS: [&str; 10] =
    ["action", "command", "do", "method", "mode", "operation", "op", "subcommand", "task", "verb"];
/// Words of switches.
pub(super) const SWITCHES: [&str; 16] = [
    "autofix",
    "commit",
    "confirm",
    "confirmation",
    "confirmed",
    "consume",
    "execute",
    "force",
    "forced",
    "overwrite",
    "permanent",
    "persist",
    "requeue",
    "unsafe",
    "write",
    "yes",
];
/// Switches of several words, joined.
pub(super) const JOINED_SWITCHES: [&str; 9] = [
    "checkonly",
    "dryrun",
    "noop",
    "planonly",
    "readonly",
    "simulate",
    "testonly",
    "validateonly",
    "whatif",
];
/// Words of switches that change something wherever they stand, unless the first word asks to show it.
pub(super) const EFFECTS: [&str; 25] = [
    "acknowledge",
    "apply",
    "approve",
    "cleanup",
    "delete",
    "deploy",
    "destroy",
    "drop",
    "erase",
    "install",
    "kill",
    "publish",
    "purge",
    "reboot",
    "remediate",
    "remove",
    "reset",
    "restart",
    "restore",
    "revoke",
    "rollback",
    "shutdown",
    "terminate",
    "uninstall",
    "wipe",
];
/// First words of switches that only choose what is shown.
pub(super) const SHOWS: [&str; 15] = [
    "exclude", "filter", "has", "hide", "ignore", "include", "is", "list", "no", "only", "return",
    "show", "skip", "was", "without",
];
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
/// Where a result is written: first words of such parameters, and last words that name a place.
pub(super) const WRITTEN_TO: [&str; 8] =
    ["dest", "destination", "export", "out", "output", "save", "sink", "write"];
pub(super) const PLACES: &str = "bucket collection database dataset dir directory file filename folder index into path \
    queue table to topic";
/// Flags of one word that change what is shown, though the word changes something in the name of a tool.
pub(super) const SHOWN_BY: &str = "clip collapse collect combine compress concat embed exclude expand extend fill follow \
    hide ignore include invert join keep maximize minimize mask populate redact refine refresh resolve sanitize scroll skip \
    sort squash strip trim truncate wait";
/// First words of parameters with what something becomes.
pub(super) const CONTENTS: [&str; 4] = ["new", "replace", "replacement", "updates"];
