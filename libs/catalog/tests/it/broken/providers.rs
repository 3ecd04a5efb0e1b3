//! Providers of language models.

use super::Broken;

pub(super) const BROKEN: &[Broken] = &[
    Broken {
        what: "an unknown provider type",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: opnai
    model: m
",
        report: r#"llm-providers.yaml:3:11 llm_providers.p.type: unknown value "opnai"; did you mean "openai"? known: google, openai, anthropic, xai, vertexai, offline"#,
    },
    Broken {
        what: "a provider without a model",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: openai
",
        report: "llm-providers.yaml:3:5 llm_providers.p.model: is missing; add `model:` here",
    },
    Broken {
        what: "the key itself in the file",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: openai
    model: m
    api_key: sk-123
",
        report: r#"llm-providers.yaml:5:5 llm_providers.p.api_key: unknown key "api_key"; did you mean "api_key_env"?"#,
    },
    Broken {
        what: "a price that is no amount",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: openai
    model: m
    price: {input: 2.5, output: 10 USD}
",
        report: "llm-providers.yaml:5:33 llm_providers.p.price.output: must be an amount of US dollars from 0 to 10000, not \"10 USD\"; write the price of a million tokens, with up to six decimal places, like 2.5",
    },
    Broken {
        what: "limits of time that contradict each other, and one that is too long",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: openai
    model: m
    llm_timeouts: {first_token: 10m, answer: 5m}
  q:
    type: openai
    model: m
    llm_timeouts: {stall: 3m}
  r:
    type: openai
    model: m
    llm_timeouts: {answer: 2h}
",
        report: "llm-providers.yaml:5:33 llm_providers.p.llm_timeouts.first_token: must be less than 5m, which `answer` is; make it shorter, or `answer` beside it longer
llm-providers.yaml:9:27 llm_providers.q.llm_timeouts.stall: must be less than 2m, which `answer` is; make it shorter, or `answer` beside it longer
llm-providers.yaml:13:28 llm_providers.r.llm_timeouts.answer: must be at most 1h; write a duration such as 90s or 10m",
    },
    Broken {
        what: "another offline",
        tarsy: "",
        providers: "llm_providers:
  offline:
    type: openai
    model: m
",
        report: "llm-providers.yaml:3:11 llm_providers.offline.type: the name offline is taken; choose another name: `offline` is the analyst that needs no model",
    },
];
