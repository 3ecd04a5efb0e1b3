//! The bounds of this service that are not configurable.

use std::time::Duration;

/// The timeout of listing the tools of a server.
pub(crate) const LIST: Duration = Duration::from_secs(30);
/// The time to close a session before its processes are killed.
pub(crate) const CLOSE: Duration = Duration::from_secs(5);
/// The time for the answer to a handshake that nobody waits for any more, whose session is then closed.
pub(crate) const GIVEN_UP: Duration = Duration::from_secs(2);
/// The time for a subprocess to exit after its standard input was closed.
pub(crate) const EXIT: Duration = Duration::from_secs(2);
/// The time for a subprocess to exit after SIGTERM.
pub(crate) const TERMINATE: Duration = Duration::from_millis(700);
/// The wait for the rest of the standard error of an ended subprocess.
pub(crate) const STDERR_WAIT: Duration = Duration::from_millis(500);
/// The timeout of writing a warning.
pub(crate) const WARNING: Duration = Duration::from_secs(2);
/// Spare sessions are closed this long after the last use of their server.
pub(crate) const SPARE: Duration = Duration::from_mins(10);
/// How often a tool may request more input, which is declined each time.
pub(crate) const INPUT_ROUNDS: usize = 3;
/// The timeout of sending a cancellation to a server.
pub(crate) const CANCEL: Duration = Duration::from_secs(1);
/// The timeout of connecting to an HTTP server.
pub(crate) const CONNECT: Duration = Duration::from_secs(10);
/// The default timeout of posting a message over the older HTTP transport.
pub(crate) const POST: Duration = Duration::from_secs(30);
/// The TCP keep-alive interval of HTTP connections.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// The longest wait of a caller. Far above any useful time limit of a server, so that it cuts none; the
/// sum of it and a moment still is a moment.
pub(crate) const CALLER_WAIT: Duration = Duration::from_hours(24 * 365);
/// The longest delay of the answer to a request that opens a lease.
pub(crate) const OPEN_WAIT: Duration = Duration::from_secs(10);

/// The longest text of a result; a longer one is truncated, with a note.
pub(crate) const RESULT_BYTES: usize = 16 * 1024 * 1024;
/// The longest message of a server; a longer one is dropped, and its request fails.
pub(crate) const LINE_BYTES: usize = 2 * RESULT_BYTES;
/// The wait for the next line of an object that is not complete; then its request fails.
pub(crate) const NEXT_LINE: Duration = Duration::from_secs(2);
/// The longest answer over HTTP that says why a request failed.
pub(crate) const REFUSAL_BYTES: usize = 64 * 1024;
/// The longest wait that a busy server may ask for before a call is made once more.
pub(crate) const RETRY_AFTER: Duration = Duration::from_secs(10);
/// The messages of a server that wait to be read.
pub(crate) const INCOMING: usize = 64;
/// The part of the standard error of a subprocess that is stored.
pub(crate) const STDERR_BYTES: usize = 64 * 1024;
/// The part of it that appears in the reason of a failure.
pub(crate) const STDERR_EXCERPT: usize = 600;
/// The longest reason of a failure.
pub(crate) const REASON_BYTES: usize = 1_500;
/// The longest description of a tool.
pub(crate) const DESCRIPTION_BYTES: usize = 16 * 1024;
/// The largest definition of a tool, and of all tools of a server: they travel in one message.
pub(crate) const TOOL_BYTES: usize = 64 * 1024;
pub(crate) const LIST_BYTES: usize = 384 * 1024;
/// The most pages of a tool list, and the most tools of a server.
pub(crate) const PAGES: usize = 100;
pub(crate) const TOOLS: usize = 2_000;
/// The most warnings about one tool list.
pub(crate) const TOOL_WARNINGS: usize = 10;
/// The most tools that an error message lists.
pub(crate) const LISTED_NAMES: usize = 80;
/// The most servers of a lease.
pub(crate) const SERVERS: usize = 64;

/// The most ended calls whose outcome is stored, and the most bytes of their texts.
pub(crate) const OUTCOMES: usize = 20_000;
pub(crate) const OUTCOME_BYTES: usize = 128 * 1024 * 1024;
/// The longest delay of a reply about the outcome of a running call.
pub(crate) const OUTCOME_WAIT: Duration = Duration::from_mins(15);

/// The requests of one kind that are processed at once.
pub(crate) const CALLS: usize = 512;
/// The leases that are opened at once: each starts subprocesses.
pub(crate) const OPENS: usize = 32;
pub(crate) const STATUS_REQUESTS: usize = 512;
pub(crate) const OTHER_REQUESTS: usize = 64;
/// Addresses that are tried at the same time: a person tries one, and a script shall not scan a network.
pub(crate) const TRIALS: usize = 2;
/// Servers that are checked at the same time: one that hangs delays the check of no other.
pub(crate) const PROBES: usize = SERVERS;

/// A session of `serve` without an open stream is closed this long after its last message: its gateway is gone.
pub(crate) const SERVED_IDLE: Duration = Duration::from_mins(5);
/// The longest request that `serve` accepts. The arguments of a call travel in one message of the bus, which is shorter.
pub(crate) const SERVED_REQUEST_BYTES: usize = 4 * 1024 * 1024;
/// The time for one side of a session of `serve` to take a message.
pub(crate) const RELAY_SEND: Duration = Duration::from_mins(1);

/// Longer texts are masked on a thread for blocking work.
pub(crate) const MASK_INLINE: usize = 32 * 1024;
