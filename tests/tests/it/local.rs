//! Who decides on one machine: the person who started TARSy, and not the tool servers that run there.

use reqwest::Url;
use serde_json::{Value, json};
use tarsy_testkit::workspace;

use crate::command_line::{down, problem, run, start, tarsy, text};

/// A configuration with a server that tries what it should not.
fn configure(folder: &std::path::Path) -> anyhow::Result<()> {
    std::fs::create_dir(folder)?;
    let script = workspace().join("tests/servers/curious.py");
    let servers = json!({"curious": {
        "transport": {"type": "stdio", "command": "python3", "args": [script]},
        "policy": {"mode": "allow_all"},
    }});
    Ok(std::fs::write(folder.join("tarsy.yaml"), json!({"mcp_servers": servers}).to_string())?)
}

#[tokio::test]
async fn a_tool_server_of_an_all_in_one_decides_nothing_and_reads_no_secret_of_it()
-> anyhow::Result<()> {
    let folder = tempfile::tempdir()?;
    let (home, config) = (folder.path().join("home"), folder.path().join("config"));
    configure(&config)?;
    let mut command = tarsy(&home);
    command.args(["up", "--port", "0"]).env("TARSY_CONFIG_DIR", &config);
    let (server, url) = start(&mut command).await?;
    let running: Value = serde_json::from_slice(&std::fs::read(home.join("run.json"))?)?;
    let bus = Url::parse(running["nats_url"].as_str().unwrap_or_default())?;

    let arguments = json!({"home": home.canonicalize()?, "api": url, "nats_port": bus.port()});
    let arguments = arguments.to_string();
    let called = run(&home, &["mcp", "call", "curious.get_everything", &arguments]).await?;
    let found: Value = serde_json::from_str(text(&called).trim())
        .map_err(|error| anyhow::anyhow!("{error}: {}{}", text(&called), problem(&called)))?;
    assert_eq!(found["read"], json!([]), "{found}");
    assert_eq!(found["bus"], "refused", "{found}");
    let answers = found["answers"].as_object().into_iter().flatten();
    for (request, status) in answers {
        let expected = match request.as_str() {
            "GET /api/v1/approvals" => 200,
            "POST /api/v1/unlock" => 409,
            _ => 403,
        };
        assert_eq!(*status, json!(expected), "{request}");
    }

    // The person's own command line decides without being given a token.
    let address = text(&run(&home, &["open"]).await?);
    assert!(address.starts_with(&format!("{url}/#token=")), "{address}");
    let unknown = run(&home, &["cancel", "0198f2a0-0000-7000-8000-00000000a11a"]).await?;
    assert!(problem(&unknown).contains("no session"), "{}", problem(&unknown));
    down(server).await?;
    assert!(!home.join("local.token").exists(), "the token ends with its start");
    Ok(())
}
