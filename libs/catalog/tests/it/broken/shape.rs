//! Keys, variables and YAML itself.

use super::Broken;

pub(super) const BROKEN: &[Broken] = &[
    Broken {
        what: "an unknown section",
        tarsy: "agent_chain: {}
",
        providers: "",
        report: r#"tarsy.yaml:1:1 agent_chain: unknown key "agent_chain"; did you mean "agent_chains"?"#,
    },
    Broken {
        what: "an unknown key",
        tarsy: "queue:
  worker_cont: 3
",
        providers: "",
        report: r#"tarsy.yaml:2:3 queue.worker_cont: unknown key "worker_cont"; did you mean "worker_count"?"#,
    },
    Broken {
        what: "an unknown key deep inside",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents:
          - nme: HostAgent
            name: HostAgent
",
        providers: "",
        report: r#"tarsy.yaml:7:13 agent_chains.foo.stages[0].agents[0].nme: unknown key "nme"; did you mean "name"?"#,
    },
    Broken {
        what: "a variable that is not set",
        tarsy: "mcp_servers:
  s:
    transport:
      type: http
      url: http://x
      bearer_token: {{.TOKEN}}
",
        providers: "",
        report: "tarsy.yaml:6:21 mcp_servers.s.transport.bearer_token: the variable TOKEN is not set; set TOKEN in the environment, or write the value here",
    },
    Broken {
        what: "a key that is set twice",
        tarsy: "queue:
  worker_count: 3
  worker_count: 4
",
        providers: "",
        report: "tarsy.yaml:3:3 queue.worker_count: the key is already set in line 2; keep one of the two",
    },
    Broken {
        what: "broken YAML",
        tarsy: "queue:
  worker_count: [1
system: {}
",
        providers: "",
        report: "tarsy.yaml:3:7: not valid YAML: illegal placement of ':' indicator; check indentation, quotes and colons around this line",
    },
    Broken {
        what: "a second document",
        tarsy: "queue: {}
---
system: {}
",
        providers: "",
        report: "tarsy.yaml:2:1: a second document begins here; keep one document in a file: remove the `---`",
    },
    Broken {
        what: "a tag",
        tarsy: "queue: {worker_count: !secret 5}
",
        providers: "",
        report: "tarsy.yaml:1:31: the tag !secret has no meaning here; remove the tag",
    },
];
