//! Alert sources and their rules.

use super::Broken;

pub(super) const BROKEN: &[Broken] = &[
    Broken {
        what: "sources that are not known, not verified, or verified by what they do not offer",
        tarsy: "intake:
  sources:
    nagios: {kind: nagios, verification: bearer, secret_env: A}
    open: {kind: alertmanager, verification: bearer}
    cloudwatch: {kind: sns, verification: bearer, secret_env: A}
    Bad Name: {kind: grafana, verification: hmac, secret_env: A}
    other: {kind: datadog, verification: none, secret_env: A}
",
        providers: "",
        report: r#"tarsy.yaml:3:20 intake.sources.nagios.kind: unknown value "nagios"; known: alertmanager, grafana, pagerduty, datadog, opsgenie, sns, eventbridge, azuremonitor, googlecloud, sentry, zabbix, newrelic, uptimekuma, splunk, checkmk, icinga, kubernetes, cloudevents, generic, github, gitlab, argocd, flux, jenkins, launchdarkly, changes
tarsy.yaml:4:11 intake.sources.open.secret_env: is missing; add the name of the variable with the secret, such as ALERTS_SECRET
tarsy.yaml:5:43 intake.sources.cloudwatch.verification: sns does not offer it; write sns
tarsy.yaml:6:15 intake.sources.Bad Name: "Bad Name" cannot be a source's name; use small letters, digits, `_` and `-`, at most 64 of them
tarsy.yaml:7:42 intake.sources.other.verification: unknown value "none"; known: bearer, basic, hmac, query, header, sns"#,
    },
    Broken {
        what: "keys of sources that are missing or have no meaning",
        tarsy: "intake:
  sources:
    aws: {kind: sns, verification: sns, secret_env: A}
    bucket: {kind: sns, verification: sns, topics: ['arn:aws:sns:s3:1:a']}
    events: {kind: cloudevents, verification: hmac, secret_env: A, user: x, parameter: y}
    any: {kind: generic, verification: basic, secret_env: A, alert_type: hosst}
    pages: {kind: pagerduty, verification: hmac, secret_env: s3cr3t-value, mapping: {title: $.x}}
",
        providers: "",
        report: r#"tarsy.yaml:3:10 intake.sources.aws.topics: is missing for sns; add the ARNs of your topics: anybody can send messages of others
tarsy.yaml:3:53 intake.sources.aws.secret_env: has no meaning for this source; remove it
tarsy.yaml:4:52 intake.sources.bucket.topics: "arn:aws:sns:s3:1:a" is not the ARN of a topic; write it as `arn:aws:sns:eu-west-1:123456789012:alarms`
tarsy.yaml:5:13 intake.sources.events.signature_header: is missing for hmac; add the header that the source writes its signature into
tarsy.yaml:5:74 intake.sources.events.user: has no meaning for this source; remove it
tarsy.yaml:5:88 intake.sources.events.parameter: has no meaning for this source; remove it
tarsy.yaml:6:10 intake.sources.any.user: is missing for basic; add the user that the source sends
tarsy.yaml:6:74 intake.sources.any.alert_type: unknown alert type "hosst"; did you mean "host"?
tarsy.yaml:7:62 intake.sources.pages.secret_env: is not the name of a variable; write the name of the environment variable, such as MY_API_KEY, not its value
tarsy.yaml:7:85 intake.sources.pages.mapping: has no meaning for this source; remove it"#,
    },
    Broken {
        what: "expressions of a mapping",
        tarsy: "intake:
  sources:
    any:
      kind: generic
      verification: bearer
      secret_env: A
      mapping:
        title: summary
        severity: $..a..b
        labels: {team: $.team, host: '$['}
        staus: $.x
",
        providers: "",
        report: r#"tarsy.yaml:8:16 intake.sources.any.mapping.title: is no JSONPath (at position 0, parser error); write an expression such as $.alert.title
tarsy.yaml:9:19 intake.sources.any.mapping.severity: has more than one `..`; name the members on the way, such as $.a.b
tarsy.yaml:10:38 intake.sources.any.mapping.labels.host: is no JSONPath (at position 1, parser error); write an expression such as $.alert.title
tarsy.yaml:11:9 intake.sources.any.mapping.staus: unknown key "staus"; did you mean "status"?"#,
    },
    Broken {
        what: "rules that can never match, or name what does not exist",
        tarsy: "intake:
  sources:
    prometheus: {kind: alertmanager, verification: bearer, secret_env: A}
  rules:
    - name: a
      alert_type: hosst
      runbook: runbooks/a.md
      match:
        - {label: team}
        - {equals: x}
        - {label: team, field: title, present: true}
        - {label: team, regex: '('}
        - {label: team, equals: x, present: true}
        - {field: source, equals: promtheus}
    - {name: a, match: [{field: host, equals: x}]}
",
        providers: "",
        report: r#"tarsy.yaml:6:19 intake.rules[0].alert_type: unknown alert type "hosst"; did you mean "host"?
tarsy.yaml:7:16 intake.rules[0].runbook: is no address of a runbook; write https://…, or file:///NAME.md for a file of system.runbooks.folder
tarsy.yaml:9:11 intake.rules[0].match[0].equals: is missing, as are regex and present; write one of them, such as `present: true`
tarsy.yaml:10:11 intake.rules[0].match[1].label: is missing, as are annotation and field; write one of them, such as `label: team`
tarsy.yaml:11:19 intake.rules[0].match[2].label: stands beside another of label, annotation and field; write one matcher for each
tarsy.yaml:12:32 intake.rules[0].match[3].regex: is no regular expression (unclosed group); correct it; look-around and back-references do not exist
tarsy.yaml:13:33 intake.rules[0].match[4].equals: stands beside another of equals, regex and present; write one matcher for each
tarsy.yaml:14:35 intake.rules[0].match[5].equals: unknown source "promtheus"; did you mean "prometheus"?
tarsy.yaml:15:14 intake.rules[1].name: "a" is the name of an earlier rule; give each rule a name of its own
tarsy.yaml:15:33 intake.rules[1].match[0].field: unknown value "host"; known: source, title, severity, status, service, namespace, cluster"#,
    },
    Broken {
        what: "a reserved name, and policies whose hours are none",
        tarsy: "intake:
  sources:
    alerts: {kind: datadog, verification: bearer, secret_env: A}
  policy:
    window: soon
    max_per_day: 0
    quiet_hours:
      - {from: 25:00, until: 08:00, time_zone: Europe/Berln}
      - {from: 08:00, until: 08:00, time_zone: Mars, days: [sunnday]}
agent_chains:
  x:
    alert_types: [x]
    stages: [{name: look, agents: [{name: HostAgent}]}]
    intake: {quiet_hours: [{from: 8, until: 9:5, time_zone: UTC}]}
",
        providers: "",
        report: r#"tarsy.yaml:3:13 intake.sources.alerts: is the path of the list of alerts; give the source another name
tarsy.yaml:5:13 intake.policy.window: "soon" is not a duration; write it like 30s, 15m or 1h30m
tarsy.yaml:6:18 intake.policy.max_per_day: must be at least 1, not 0; the nearest allowed value is 1
tarsy.yaml:8:16 intake.policy.quiet_hours[0].from: "25:00" is not a time of day; write hours and minutes such as 22:00
tarsy.yaml:8:48 intake.policy.quiet_hours[0].time_zone: unknown time zone "Europe/Berln"; did you mean "Europe/Berlin"?
tarsy.yaml:9:30 intake.policy.quiet_hours[1].until: is the same time as from; write another time; for whole days, split them at an hour
tarsy.yaml:9:48 intake.policy.quiet_hours[1].time_zone: unknown time zone "Mars"; write a name such as Europe/Berlin, or UTC
tarsy.yaml:9:61 intake.policy.quiet_hours[1].days[0]: unknown value "sunnday"; did you mean "sunday"? known: monday, tuesday, wednesday, thursday, friday, saturday, sunday
tarsy.yaml:14:35 agent_chains.x.intake.quiet_hours[0].from: "8" is not a time of day; write hours and minutes such as 22:00
tarsy.yaml:14:45 agent_chains.x.intake.quiet_hours[0].until: "9:5" is not a time of day; write hours and minutes such as 22:00"#,
    },
];
