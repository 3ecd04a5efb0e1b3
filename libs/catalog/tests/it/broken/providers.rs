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
        what: "native tools elsewhere",
        tarsy: "",
        providers: "llm_providers:
  p:
    type: anthropic
    model: m
    native_tools: {google_search: true}
",
        report: "llm-providers.yaml:5:19 llm_providers.p.native_tools: a provider of type anthropic has no tools of its own; remove native_tools",
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
