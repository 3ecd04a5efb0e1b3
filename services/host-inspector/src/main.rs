//! The host inspector as a program of its own: MCP on standard input and output.

use std::time::Duration;

use tarsy_host_inspector::{Options, serve_stdio};

fn main() -> anyhow::Result<()> {
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let outcome = runtime.block_on(serve_stdio(Options::from_env()));
    // A name lookup or a hung mount may still hold a helper thread: do not wait for it.
    runtime.shutdown_timeout(Duration::from_millis(50));
    outcome
}
