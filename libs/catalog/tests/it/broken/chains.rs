//! Agents, chains, stages.

use super::Broken;

pub(super) const BROKEN: &[Broken] = &[
    Broken {
        what: "an unknown agent",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents:
          - name: Kubernets
",
        providers: "",
        report: r#"tarsy.yaml:7:19 agent_chains.foo.stages[0].agents[0].name: unknown agent "Kubernets"; did you mean "KubernetesAgent"?"#,
    },
    Broken {
        what: "an unknown server in an agent",
        tarsy: "agents:
  Mine:
    mcp_servers: [host, kubernetes-servr]
",
        providers: "",
        report: r#"tarsy.yaml:3:25 agents.Mine.mcp_servers[1]: unknown server "kubernetes-servr"; did you mean "kubernetes-server"?"#,
    },
    Broken {
        what: "an alert type in two chains",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents:
          - name: HostAgent
  bar:
    alert_types: [b, a]
    stages:
      - name: s
        agents:
          - name: HostAgent
",
        providers: "",
        report: r#"tarsy.yaml:9:22 agent_chains.bar.alert_types[1]: the alert type "a" already belongs to chain "foo"; remove it here or from agent_chains.foo"#,
    },
    Broken {
        what: "a chain without stages",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
",
        providers: "",
        report: "tarsy.yaml:3:5 agent_chains.foo.stages: is missing; add `stages:` here",
    },
    Broken {
        what: "a stage without agents",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents: []
",
        providers: "",
        report: "tarsy.yaml:6:17 agent_chains.foo.stages[0].agents: must have at least one entry; add one",
    },
    Broken {
        what: "replicas of several agents",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        replicas: 2
        agents: [{name: HostAgent}, {name: KubernetesAgent}]
",
        providers: "",
        report: "tarsy.yaml:6:19 agent_chains.foo.stages[0].replicas: replicas do not mix with 2 agents; remove replicas, or keep one agent",
    },
    Broken {
        what: "a synthesis with tools",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        replicas: 2
        agents: [{name: HostAgent}]
        synthesis: {iteration_strategy: react}
",
        providers: "",
        report: "tarsy.yaml:8:41 agent_chains.foo.stages[0].synthesis.iteration_strategy: a synthesis is one call without tools, which react is not; write synthesis",
    },
    Broken {
        what: "an unknown agent for chats",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    stages:
      - name: s
        agents:
          - name: HostAgent
    chat:
      agent: Chatagent
",
        providers: "",
        report: r#"tarsy.yaml:9:14 agent_chains.foo.chat.agent: unknown agent "Chatagent"; did you mean "ChatAgent"?"#,
    },
    Broken {
        what: "Gemini's strategy with another provider",
        tarsy: "agent_chains:
  foo:
    alert_types: [a]
    llm_provider: gpt
    iteration_strategy: native-thinking
    stages:
      - name: s
        agents:
          - name: HostAgent
",
        providers: "llm_providers:
  gpt: {type: openai, model: m, base_url: 'http://localhost:1'}
",
        report: r#"tarsy.yaml:9:13 agent_chains.foo.stages[0].agents[0]: the strategy native-thinking needs a provider of type google or vertexai, but "gpt" is of type openai; set llm_provider to one of those, or iteration_strategy to langchain"#,
    },
];
