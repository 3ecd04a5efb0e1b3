//! An MCP server over standard input and output that the tests of this service start: each argument
//! besides `refuse` and `modern` only marks its process.

mod server;

use rmcp::ServiceExt as _;

#[tokio::main(flavor = "current_thread")]
async fn main() -> anyhow::Result<()> {
    let arguments: Vec<String> = std::env::args().collect();
    if arguments.iter().any(|argument| argument == "refuse") {
        anyhow::bail!("cannot reach the database at postgres://admin:hunter2secret@db.example/x");
    }
    let transport = rmcp::transport::stdio();
    let modern = arguments.iter().any(|argument| argument == "modern");
    let peer = server::Peer { modern, ..server::Peer::default() };
    peer.serve(transport).await?.waiting().await?;
    Ok(())
}
