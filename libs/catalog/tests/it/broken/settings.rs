//! Settings: queue, system, defaults, notifications.

use super::Broken;

pub(super) const BROKEN: &[Broken] = &[
    Broken {
        what: "a number out of its range",
        tarsy: "queue:
  worker_count: 70
",
        providers: "",
        report: "tarsy.yaml:2:17 queue.worker_count: must be between 1 and 50, not 70; the nearest allowed value is 50",
    },
    Broken {
        what: "a mode in which nobody can sign in",
        tarsy: "system:
  access:
    mode: oidc
    default_role: viewer
    oidc: {clock_skew: 1h}
",
        providers: "",
        report: "tarsy.yaml:5:11 system.access.oidc.client_id: is missing although system.access.mode is oidc; register TARSy at the issuer, and write the id that it gives
tarsy.yaml:5:11 system.access.oidc.issuer: is missing although system.access.mode is oidc; write the issuer's address, such as https://login.example.com/realms/main
tarsy.yaml:5:24 system.access.oidc.clock_skew: 3600s is more than 10m; write at most 10m",
    },
    Broken {
        what: "an issuer that anybody can answer for",
        tarsy: "system:
  access: {oidc: {issuer: 'http://login.example.com'}}
",
        providers: "",
        report: "tarsy.yaml:2:27 system.access.oidc.issuer: would be believed although anybody can answer for it; write https://",
    },
    Broken {
        what: "cookies that anybody can read",
        tarsy: "system:
  dashboard_url: http://tarsy.example.com
  access:
    mode: oidc
    default_role: viewer
    oidc: {issuer: 'https://login.example.com', client_id: tarsy}
",
        providers: "",
        report: "tarsy.yaml:2:18 system.dashboard_url: would send the cookies of people who sign in unencrypted; write https://, and end TLS in front of api-gateway",
    },
    Broken {
        what: "an unknown one that takes over",
        tarsy: "defaults:
  llm_provider: offline
  fallback_providers: [offlin]
",
        providers: "",
        report: r#"tarsy.yaml:3:24 defaults.fallback_providers[0]: unknown provider "offlin"; did you mean "offline"?"#,
    },
    Broken {
        what: "a budget of nothing, and an idle time as long as an answer",
        tarsy: "defaults:
  budget: {llm_calls: 0, token: 5}
  llm_timeouts: {first_token: 2m, stall: 0s}
",
        providers: "",
        report: r#"tarsy.yaml:2:23 defaults.budget.llm_calls: must be at least 1, not 0; the nearest allowed value is 1
tarsy.yaml:2:26 defaults.budget.token: unknown key "token"; did you mean "tokens"?
tarsy.yaml:3:31 defaults.llm_timeouts.first_token: must be less than 2m, which `answer` is; make it shorter, or `answer` beside it longer
tarsy.yaml:3:42 defaults.llm_timeouts.stall: must be more than zero; write a duration such as 30s or 15m"#,
    },
    Broken {
        what: "text instead of a number",
        tarsy: "defaults:
  max_iterations: many
",
        providers: "",
        report: r#"tarsy.yaml:2:19 defaults.max_iterations: must be a whole number, not "many"; write a whole number here"#,
    },
    Broken {
        what: "a duration without a unit",
        tarsy: "queue:
  session_timeout: 900
",
        providers: "",
        report: r#"tarsy.yaml:2:20 queue.session_timeout: "900" is not a duration; add a unit: 900s, 900m or 900h"#,
    },
    Broken {
        what: "a duration of nothing",
        tarsy: "queue:
  session_timeout: 0s
",
        providers: "",
        report: "tarsy.yaml:2:20 queue.session_timeout: must be more than zero; write a duration such as 30s or 15m",
    },
    Broken {
        what: "thresholds that contradict each other",
        tarsy: "queue:
  heartbeat_interval: 20s
  orphan_threshold: 30s
",
        providers: "",
        report: "tarsy.yaml:3:21 queue.orphan_threshold: 30s is less than twice heartbeat_interval (20s); write at least 40s, or a shorter heartbeat_interval",
    },
    Broken {
        what: "text instead of a list",
        tarsy: r#"system:
  allowed_ws_origins: "*.example.com"
"#,
        providers: "",
        report: r#"tarsy.yaml:2:23 system.allowed_ws_origins: must be a list, not "*.example.com"; write [a, b], or a line `- a` for each entry"#,
    },
    Broken {
        what: "an address without a scheme",
        tarsy: "system:
  dashboard_url: tarsy.example.com
",
        providers: "",
        report: "tarsy.yaml:2:18 system.dashboard_url: is not a URL (relative URL without a base); write an address such as https://host.example.com",
    },
    Broken {
        what: "a secret instead of a variable's name",
        tarsy: "system:
  github:
    token_env: ghp_0123-4567
",
        providers: "",
        report: "tarsy.yaml:3:16 system.github.token_env: is not the name of a variable; write the name of the environment variable, such as MY_API_KEY, not its value",
    },
    Broken {
        what: "a domain with a path",
        tarsy: "system:
  runbooks:
    allowed_domains:
      - github.com/org
",
        providers: "",
        report: r#"tarsy.yaml:4:9 system.runbooks.allowed_domains[0]: "github.com/org" is not a host name; write the host alone, such as github.com, without scheme or path"#,
    },
    Broken {
        what: "Slack without a channel and a token",
        tarsy: "system:
  slack:
    enabled: true
",
        providers: "",
        report: "tarsy.yaml:3:5 system.slack.channel: is missing although Slack is enabled; add the channel's id, such as `channel: C0123456789`, or write enabled: false
tarsy.yaml:3:5 system.slack.token_env: the variable SLACK_BOT_TOKEN is not set although Slack is enabled; set SLACK_BOT_TOKEN to the bot's token, or write enabled: false",
    },
    Broken {
        what: "a member of Slack by name, with a role that does not exist",
        tarsy: "system:
  slack:
    signing_secret_env: SLACK_SIGNING_SECRET
    users:
      anna:
        name: anna
        role: boss
",
        providers: "",
        report: r#"tarsy.yaml:6:9 system.slack.users.anna: "anna" is not a member id; write the id that the member's profile in Slack shows, such as U0123456789, not a name
tarsy.yaml:7:15 system.slack.users.anna.role: "boss" is not a role; write viewer, responder, operator or admin"#,
    },
    Broken {
        what: "commands that nobody can give, and users by name",
        tarsy: "system:
  slack:
    commands: true
  mattermost:
    url: https://chat.example.com
    token_env: CHAT_TOKEN
    command_token_envs: []
    users:
      anna: {name: anna, role: viewer}
  teams:
    token_envs: [TEAMS_SECRET]
    destination: ops
    users:
      anna@example.com: {name: anna, role: viewer}
",
        providers: "",
        report: r#"tarsy.yaml:3:5 system.slack.token_env: the variable SLACK_BOT_TOKEN is not set although Slack has commands; set SLACK_BOT_TOKEN to the bot's token, or write commands: false
tarsy.yaml:3:15 system.slack.commands: nothing that Slack sends is accepted; add signing_secret_env, or app_token_env for Socket Mode
tarsy.yaml:6:16 system.mattermost.token_env: the variable CHAT_TOKEN is not set; set CHAT_TOKEN to the bot's token, or remove the section
tarsy.yaml:7:25 system.mattermost.command_token_envs: must have at least one entry; add one
tarsy.yaml:9:13 system.mattermost.users.anna: "anna" is not the id of a user; write the id of 26 letters and digits that the profile of the user has in the system console, not a name
tarsy.yaml:12:18 system.teams.destination: "ops" is no destination of type teams; add it to notifications.destinations, with the workflow of the channel
tarsy.yaml:14:25 system.teams.users.anna@example.com: "anna@example.com" is not the id of a user; write the object id that the user has in Entra, not a name or an address"#,
    },
    Broken {
        what: "a webhook that is to be notified of approvals",
        tarsy: "notifications:
  destinations:
    hook:
      type: webhook
      url: https://a.example
      secret_env: HOOK_SECRET
      statuses: [failed, approval]
",
        providers: "",
        report: "tarsy.yaml:6:19 notifications.destinations.hook.secret_env: the variable HOOK_SECRET is not set; set HOOK_SECRET, or remove the destination
tarsy.yaml:7:17 notifications.destinations.hook.statuses: webhooks, PagerDuty and Jira are not notified of calls that wait for approval; remove approval, or add another destination",
    },
    Broken {
        what: "destinations of notifications that cannot be reached",
        tarsy: "notifications:
  destinations:
    On Call:
      type: slack
      url: https://a.example
    pager:
      type: webhook
      statuses: [failed]
      channel: C1
    tickets:
      type: webhook
      url: ftp://a.example
      secret_env: HOOK_SECRET
      alert_types: [hosst]
",
        providers: "",
        report: r#"tarsy.yaml:4:7 notifications.destinations.On Call: "On Call" cannot be a destination's name; use small letters, digits, `_` and `-`, at most 64 of them
tarsy.yaml:4:7 notifications.destinations.On Call.channel: is missing for a destination of type slack; add `channel:` here (the channel's id, such as `C0123456789`)
tarsy.yaml:4:7 notifications.destinations.On Call.token_env: the variable SLACK_BOT_TOKEN is not set; set SLACK_BOT_TOKEN, or remove the destination
tarsy.yaml:5:12 notifications.destinations.On Call.url: has no meaning for a destination of type slack; remove it, or write `type: webhook`
tarsy.yaml:7:7 notifications.destinations.pager.secret_env: is missing for a destination of type webhook; add `secret_env:` here (the variable with the secret that signs requests)
tarsy.yaml:7:7 notifications.destinations.pager.url: is missing for a destination of type webhook; add `url:` here (where requests go)
tarsy.yaml:9:16 notifications.destinations.pager.channel: has no meaning for a destination of type webhook; remove it, or write `type: slack`
tarsy.yaml:12:12 notifications.destinations.tickets.url: must be http or https, not ftp; write an address such as https://host.example.com
tarsy.yaml:13:19 notifications.destinations.tickets.secret_env: the variable HOOK_SECRET is not set; set HOOK_SECRET, or remove the destination
tarsy.yaml:14:21 notifications.destinations.tickets.alert_types[0]: unknown alert type "hosst"; did you mean "host"?"#,
    },
    Broken {
        what: "an unknown strategy",
        tarsy: "defaults:
  iteration_strategy: native_thinking
",
        providers: "",
        report: r#"tarsy.yaml:2:23 defaults.iteration_strategy: unknown value "native_thinking"; did you mean "native-thinking"? known: native-thinking, langchain, react, synthesis, synthesis-native-thinking"#,
    },
    Broken {
        what: "an unknown provider",
        tarsy: "defaults:
  llm_provider: gemini-2.5-por
",
        providers: "",
        report: r#"tarsy.yaml:2:17 defaults.llm_provider: unknown provider "gemini-2.5-por"; did you mean "gemini-2.5-pro"?"#,
    },
    Broken {
        what: "a provider without its key",
        tarsy: "defaults:
  llm_provider: openai-default
",
        providers: "",
        report: r#"tarsy.yaml:2:17 defaults.llm_provider: the provider "openai-default" needs the variable OPENAI_API_KEY, which is not set; set OPENAI_API_KEY, or name a provider whose key is set"#,
    },
    Broken {
        what: "an unknown default alert type",
        tarsy: "defaults:
  alert_type: kubernets
",
        providers: "",
        report: r#"tarsy.yaml:2:15 defaults.alert_type: unknown alert type "kubernets"; did you mean "kubernetes"?"#,
    },
    Broken {
        what: "a required tool without its server",
        tarsy: "defaults: {required_tools: [pods_list]}\n",
        providers: "",
        report: r#"tarsy.yaml:1:29 defaults.required_tools[0]: "pods_list" is not the name of a tool with its server; write server.tool, such as kubernetes.pods_list"#,
    },
    Broken {
        what: "an unknown masking group",
        tarsy: "defaults:
  alert_masking: {pattern_group: securty}
",
        providers: "",
        report: r#"tarsy.yaml:2:34 defaults.alert_masking.pattern_group: unknown masking group "securty"; did you mean "security"?"#,
    },
    Broken {
        what: "schedules that never come, or that nothing can be made of",
        tarsy: "schedules:
  Nightly: {cron: '0 6 * *', text: look}
  zone: {cron: '@daily', time_zone: Europe/Berln, text: look, alert_type: hosst}
  seconds: {cron: '0 0 6 * * *', text: '', notify: sometimes}
  unknown: {cron: '@weekly', text: look, every: 1h}
",
        providers: "",
        report: r#"tarsy.yaml:2:3 schedules.Nightly: "Nightly" cannot be a schedule's name; use small letters, digits, `_` and `-`, at most 64 of them
tarsy.yaml:2:19 schedules.Nightly.cron: "0 6 * *" is not a cron expression; write minute, hour, day of the month, month and weekday, such as 0 6 * * 1-5, or @hourly, @daily, @weekly, @monthly
tarsy.yaml:3:37 schedules.zone.time_zone: unknown time zone "Europe/Berln"; did you mean "Europe/Berlin"?
tarsy.yaml:3:75 schedules.zone.alert_type: unknown alert type "hosst"; did you mean "host"?
tarsy.yaml:4:19 schedules.seconds.cron: "0 0 6 * * *" is not a cron expression; write minute, hour, day of the month, month and weekday, such as 0 6 * * 1-5, or @hourly, @daily, @weekly, @monthly
tarsy.yaml:4:40 schedules.seconds.text: is empty; write a value
tarsy.yaml:4:52 schedules.seconds.notify: unknown value "sometimes"; known: changed, problems, always, never
tarsy.yaml:5:42 schedules.unknown.every: unknown key "every"; did you mean "severity"?"#,
    },
    Broken {
        what: "promotions without prices, that overlap, or that end before they begin",
        tarsy: "system:
  cost_estimation:
    promotions:
      - {id: one, model: m, end: 2026-08-31}
      - {id: one, model: m, start: 2026-08-31, end: 2026-09-30, input_per_million: 1}
      - {model: n, start: 2026-09-02, end: 2026-09-01, rates: {input_per_million: 1, output_per_million: 1}}
",
        providers: "",
        report: r#"tarsy.yaml:4:9 system.cost_estimation.promotions[0]: needs its prices once; write `rates`, or the prices beside it
tarsy.yaml:5:9 system.cost_estimation.promotions[1]: needs the price of input and of output; write input_per_million and output_per_million
tarsy.yaml:5:9 system.cost_estimation.promotions[1]: overlaps with an earlier promotion of "m"; let one end before the other begins
tarsy.yaml:5:14 system.cost_estimation.promotions[1].id: there is another promotion "one"; give each a name of its own, or none
tarsy.yaml:6:44 system.cost_estimation.promotions[2].end: is not after `start`; write a later day or time"#,
    },
    Broken {
        what: "budgets in money that are nothing, or that cannot count",
        tarsy: "defaults:
  llm_provider: p
  budget: {cost_usd: 0}
agent_chains:
  own: {alert_types: [a], budget: {cost_usd: 0.5}, stages: [{name: s, agents: [{name: GeneralWorker}]}]}
",
        providers: "llm_providers:
  p: {type: openai, model: m, base_url: 'http://m'}
",
        report: r#"tarsy.yaml:3:22 defaults.budget.cost_usd: must be an amount of US dollars above 0 and up to 10000, not "0"; write dollars with up to six decimal places, like 0.5, or remove it
tarsy.yaml:5:46 agent_chains.own.budget.cost_usd: the chain "own" calls the provider "p", which has no price: its calls would count as nothing; add `price:` to llm_providers.p, or its model to system.cost_estimation.model_rates"#,
    },
    Broken {
        what: "services that depend on themselves, and names that alerts cannot have",
        tarsy: "topology:
  services:
    checkout: {calls: [Checkout, 'pay ments'], owner: shop}
    the shop: {}
",
        providers: "",
        report: r#"tarsy.yaml:3:24 topology.services.checkout.calls[0]: a service cannot depend on itself; remove it
tarsy.yaml:3:34 topology.services.checkout.calls[1]: "pay ments" is not the name of an object; write it without blanks, such as payments or ConfigMap/payments
tarsy.yaml:3:48 topology.services.checkout.owner: unknown key "owner"; known: calls, uses, team, environment, namespace
tarsy.yaml:4:5 topology.services.the shop: "the shop" cannot be the name of a service; write it without blanks, as alerts name it"#,
    },
];
