//! MCP servers.

use super::Broken;

pub(super) const BROKEN: &[Broken] = &[
    Broken {
        what: "an unknown transport",
        tarsy: "mcp_servers:
  s:
    transport: {type: stdoi, command: x}
",
        providers: "",
        report: r#"tarsy.yaml:3:23 mcp_servers.s.transport.type: unknown value "stdoi"; did you mean "stdio"? known: stdio, http, sse"#,
    },
    Broken {
        what: "a server without a transport",
        tarsy: "mcp_servers:
  s:
    instructions: hello
",
        providers: "",
        report: "tarsy.yaml:3:5 mcp_servers.s.transport: is missing; add `transport:` here",
    },
    Broken {
        what: "authorities without a check",
        tarsy: "mcp_servers:
  s:
    transport:
      type: http
      url: https://x
      verify_ssl: false
      ca_file: ca.pem
",
        providers: "",
        report: "tarsy.yaml:7:16 mcp_servers.s.transport.ca_file: must be an absolute path; write the whole path, such as /etc/tarsy/ca.pem
tarsy.yaml:7:16 mcp_servers.s.transport.ca_file: has no meaning where no certificate is checked; remove ca_file, or `verify_ssl: false`",
    },
    Broken {
        what: "a key for nothing",
        tarsy: "mcp_servers:
  s:
    transport:
      type: http
      url: https://x
      oauth: {client_id: a, client_secret: b, private_key_file: /k.pem}
  t:
    transport: {type: http, url: https://x, oauth: {signing_algorithm: ES256}}
",
        providers: "",
        report: "tarsy.yaml:6:65 mcp_servers.s.transport.oauth.private_key_file: has a meaning for the grant client_credentials only; add `grant: client_credentials`, or remove it
tarsy.yaml:6:65 mcp_servers.s.transport.oauth.private_key_file: does not go with client_secret; remove client_secret or private_key_file: a client authenticates in one way
tarsy.yaml:8:72 mcp_servers.t.transport.oauth.signing_algorithm: has no key to sign with; add `private_key_file:`, or remove it",
    },
    Broken {
        what: "a server without an address",
        tarsy: "mcp_servers:
  s:
    transport: {type: sse}
",
        providers: "",
        report: "tarsy.yaml:3:16 mcp_servers.s.transport.url: is missing for a server of type sse; add `url:` here (its http(s) address)",
    },
    Broken {
        what: "a server's name that breaks tool names",
        tarsy: "mcp_servers:
  my.server:
    transport: {type: stdio, command: x}
",
        providers: "",
        report: r#"tarsy.yaml:2:3 mcp_servers.my.server: "my.server" cannot be a part of a tool's name; use letters, digits, single `_` and `-`, at most 64 of them"#,
    },
    Broken {
        what: "a masking pattern that does not compile",
        tarsy: r"mcp_servers:
  s:
    transport: {type: stdio, command: x}
    data_masking:
      custom_patterns:
        - pattern: 'key=(\w+'
          replacement: x
",
        providers: "",
        report: "tarsy.yaml:6:20 mcp_servers.s.data_masking.custom_patterns[0].pattern: does not compile: unclosed group; correct the regular expression; look-around and back-references do not exist",
    },
    Broken {
        what: "a masking pattern that is too large",
        tarsy: r"mcp_servers:
  s:
    transport: {type: stdio, command: x}
    data_masking:
      custom_patterns:
        - pattern: '(?:\pL{500}x){500}'
          replacement: x
",
        providers: "",
        report: r"tarsy.yaml:6:20 mcp_servers.s.data_masking.custom_patterns[0].pattern: the pattern is too large: compiled, it takes more than 8 MiB; write {20,} for {20,1000}, repeat no repeat, or name fewer characters ([0-9A-Za-z_] for \pL)",
    },
    Broken {
        what: "an unknown masking pattern",
        tarsy: "mcp_servers:
  s:
    transport: {type: stdio, command: x}
    data_masking:
      patterns: [api_keys]
",
        providers: "",
        report: r#"tarsy.yaml:5:18 mcp_servers.s.data_masking.patterns[0]: unknown masking pattern "api_keys"; did you mean "api_key"?"#,
    },
    Broken {
        what: "a summary limit below its least",
        tarsy: "mcp_servers:
  s:
    transport: {type: stdio, command: x}
    summarization: {summary_max_token_limit: 10}
",
        providers: "",
        report: "tarsy.yaml:4:46 mcp_servers.s.summarization.summary_max_token_limit: must be at least 50, not 10; the nearest allowed value is 50",
    },
    Broken {
        what: "an unknown provider of summaries",
        tarsy: "defaults:
  summarization: {llm_provider: openai-defualt}
",
        providers: "",
        report: r#"tarsy.yaml:2:33 defaults.summarization.llm_provider: unknown provider "openai-defualt"; did you mean "openai-default"?"#,
    },
    Broken {
        what: "a provider of a server's summaries without its key",
        tarsy: "mcp_servers:
  s:
    transport: {type: stdio, command: x}
    summarization: {llm_provider: openai-default}
",
        providers: "",
        report: r#"tarsy.yaml:4:35 mcp_servers.s.summarization.llm_provider: the provider "openai-default" needs the variable OPENAI_API_KEY, which is not set; set OPENAI_API_KEY, or name a provider whose key is set"#,
    },
];
