//! The configurations of the documents that TARSy was built from, as they are printed there: each loads, and has its effect.

use std::time::Duration;

use tarsy_catalog::{Catalog, Env};

use crate::support::{load, tarsy};

/// Of a server: whether long results are summarized, from how many tokens on, and in how many.
fn summaries(catalog: &Catalog, server: &str) -> (bool, u32, u32) {
    let limits = catalog.servers[server].summarization.limits;
    (limits.enabled, limits.size_threshold_tokens, limits.summary_max_token_limit)
}

/// "Per-Server Summarization", feature document on MCP, lines 1069 to 1078.
#[test]
fn summaries_of_a_server() {
    let catalog = tarsy(
        r#"mcp_servers:
  kubernetes-server:
    transport:
      type: stdio
      command: npx
      args: ["-y", "kubernetes-mcp-server@0.0.54"]
    summarization:
      enabled: true
      size_threshold_tokens: 5000    # Trigger summarization above this
      summary_max_token_limit: 1000  # Max tokens for the summary itself
"#,
    );
    assert_eq!(summaries(&catalog, "kubernetes-server"), (true, 5000, 1000));
}

/// "Configuration Design", older proposal for summaries, lines 70 to 89. Its "existing server config" is the transport.
#[test]
fn summaries_of_several_servers() {
    let text = r"# In agent configuration - per MCP server settings
mcp_servers:
  kubectl:
    # ... existing server config ...
    summarization:
      enabled: true                    # true by default
      size_threshold_tokens: 2000      # 2K by default  
      summary_max_token_limit: 1000    # 1K by default
  
  postgres:
    # ... existing server config ...
    summarization:
      enabled: true
      size_threshold_tokens: 3000      # Database output can be large
      summary_max_token_limit: 800
      
  filesystem:
    # ... existing server config ...
    summarization:
      enabled: false                   # Disable for file operations
";
    let transport = "transport: {type: stdio, command: npx}";
    let catalog = tarsy(&text.replace("# ... existing server config ...", transport));
    assert_eq!(summaries(&catalog, "kubectl"), (true, 2000, 1000));
    assert_eq!(summaries(&catalog, "postgres"), (true, 3000, 800));
    assert!(!summaries(&catalog, "filesystem").0);
}

/// "Runbook System", architecture document, lines 777 to 785.
#[test]
fn runbooks() {
    let catalog = tarsy(
        r#"system:
  github:
    token_env: "GITHUB_TOKEN"           # Env var name (default: GITHUB_TOKEN)
  runbooks:
    repo_url: "https://github.com/org/repo/tree/main/runbooks"  # For listing endpoint
    cache_ttl: "5m"                     # Default: 1m
    allowed_domains:                    # Default: [github.com, raw.githubusercontent.com]
      - "github.com"
      - "raw.githubusercontent.com"
"#,
    );
    let runbooks = &catalog.system.runbooks;
    assert_eq!(
        runbooks.repo_url.as_ref().map(ToString::to_string).as_deref(),
        Some("https://github.com/org/repo/tree/main/runbooks")
    );
    assert_eq!(runbooks.cache_ttl, Duration::from_mins(5));
    assert_eq!(runbooks.allowed_domains, ["github.com", "raw.githubusercontent.com"]);
    assert_eq!(catalog.system.github.token_env, "GITHUB_TOKEN");
}

/// "Slack Notifications", architecture document, lines 891 to 896, and the start without the token, line 899.
#[test]
fn slack() {
    let text = r#"system:
  dashboard_url: "https://tarsy.example.com"   # Default: http://localhost:8080
  slack:
    enabled: true
    token_env: "SLACK_BOT_TOKEN"               # Env var name (default: SLACK_BOT_TOKEN)
    channel: "C12345678"                        # Channel ID
"#;
    let catalog = load(text, "", &Env::of([("SLACK_BOT_TOKEN", "xoxb-1")])).unwrap();
    let slack = &catalog.system.slack;
    assert_eq!((slack.enabled, slack.channel.as_deref()), (true, Some("C12345678")));
    assert_eq!(catalog.system.dashboard_url, "https://tarsy.example.com");
    let refused = load(text, "", &Env::empty()).unwrap_err().to_string();
    assert!(refused.contains("the variable SLACK_BOT_TOKEN is not set"), "{refused}");
    let unnamed = text.replace("    channel:", "    #");
    let refused = load(&unnamed, "", &Env::of([("SLACK_BOT_TOKEN", "x")])).unwrap_err().to_string();
    assert!(refused.contains("system.slack.channel"), "{refused}");
}
