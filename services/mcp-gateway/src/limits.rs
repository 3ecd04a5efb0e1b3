//! Every bound of this service that no setting and no server's configuration moves.

use std::time::Duration;

/// How long listing the tools of a server may take.
pub(crate) const LIST: Duration = Duration::from_secs(30);
/// How long a server may take to leave before its processes are killed.
pub(crate) const CLOSE: Duration = Duration::from_secs(5);
/// How long a subprocess may take to leave after its input has ended.
pub(crate) const LEAVE: Duration = Duration::from_secs(2);
/// How long a subprocess may take to leave after it was asked to.
pub(crate) const TERMINATE: Duration = Duration::from_millis(700);
/// How long the error output of an ended subprocess is waited for.
pub(crate) const LAST_COMPLAINTS: Duration = Duration::from_millis(500);
/// How long writing a warning may take.
pub(crate) const WARNING: Duration = Duration::from_secs(2);
/// How long opening a session anew may take, with a server that is only connected to.
pub(crate) const ANEW: Duration = Duration::from_secs(10);
/// How long a spare session is kept after its server was wanted last.
pub(crate) const SPARE: Duration = Duration::from_mins(10);
/// How often a tool may ask for more input, which is declined each time.
pub(crate) const ROUNDS: usize = 3;
/// How long telling a server that a call is cancelled may take.
pub(crate) const CANCEL: Duration = Duration::from_secs(1);
/// How long connecting to an HTTP server may take.
pub(crate) const CONNECT: Duration = Duration::from_secs(10);
/// How long posting a message to a server of the older HTTP may take, if its configuration is silent.
pub(crate) const POST: Duration = Duration::from_secs(30);
/// How soon a connection that says nothing is asked whether it lives.
pub(crate) const KEEP_ALIVE: Duration = Duration::from_secs(20);

/// The longest that a caller is believed to wait.
pub(crate) const PATIENCE: Duration = Duration::from_hours(1);

/// The longest text of a result; what is longer is cut, with a note.
pub(crate) const RESULT_BYTES: usize = 16 * 1024 * 1024;
/// The longest message of a server; what is longer is dropped, and who waits for it is told.
pub(crate) const LINE_BYTES: usize = 2 * RESULT_BYTES;
/// How many messages of a server wait to be read.
pub(crate) const INCOMING: usize = 64;
/// How much of the error output of a subprocess is kept.
pub(crate) const STDERR_BYTES: usize = 64 * 1024;
/// How much of it is told as the reason of a failure.
pub(crate) const STDERR_TOLD: usize = 600;
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
/// The most oddities of a tool list that are told.
pub(crate) const ODDITIES: usize = 10;
/// The most tools that an error names.
pub(crate) const NAMED: usize = 80;
/// The most servers of a lease.
pub(crate) const SERVERS: usize = 64;

/// How many calls are remembered after they ended, and how much of their text.
pub(crate) const OUTCOMES: usize = 20_000;
pub(crate) const OUTCOME_BYTES: usize = 128 * 1024 * 1024;
/// The longest that an answer about an outcome is held back.
pub(crate) const OUTCOME_WAIT: Duration = Duration::from_mins(15);

/// How many requests of one kind are worked on at once.
pub(crate) const CALLS: usize = 512;
pub(crate) const OPENS: usize = 32;
pub(crate) const QUESTIONS: usize = 512;
pub(crate) const SHORT: usize = 64;
pub(crate) const PROBES: usize = 4;

/// Texts above this are masked on a thread of their own, so that nobody waits behind them.
pub(crate) const MASK_INLINE: usize = 32 * 1024;
