//! The verbs and nouns that names of tools are made of.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::words::set;

/// Verbs that read what a system knows.
pub(super) static READS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         analyse analyze calculate check compare correlate count describe diff discover enumerate \
         estimate examine explain fetch find get glob grep has head hexists hget hgetall hkeys hlen hmget \
         hvals inspect is lindex list llen locate lookup lrange ls mget peek preview pttl query read \
         retrieve scard search show sismember smembers stat strlen suggest summarise summarize tail ttl \
         validate view who whoami xlen xrange xrevrange zcard zcount zrange zrank zscore")
});

/// Verbs that run what a parameter carries: the parameter decides what the call does.
pub(super) static RUNS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         call eval evaluate exec execute perform request run")
});

/// Words that change something wherever they stand.
pub(super) static CHANGES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         abandon abort accept ack acknowledge acquire activate adapt add adjust administer admit adopt \
         advance allocate allow amend annotate anonymize append apply approve arm assemble assign \
         associate assume attach augment authorize autofix autoscale ban begin bind bisect blackhole \
         blacklist boot bootstrap bounce broadcast bump burn bury bypass cancel capture cast charge \
         checkin checkout cherrypick chmod chown clean cleanup clear click clip clone collapse collect \
         combine commence compact complete compress concat configure confirm connect consolidate \
         construct consume cordon cp create crop dd deactivate deallocate deauthorize debug decommission \
         decouple decr decrease decrement decrypt dedupe deescalate defer deflate defragment del delegate \
         delete demote deny denylist depart deploy deprecate deprovision dequeue deregister destroy \
         detach detonate dim diminish disable disallow disapprove disarm disassociate discard disconnect \
         dismiss dismount dispatch dispose dissociate divert dock downgrade downscale drag drain draw \
         drop dump duplicate edit eject elect elevate eliminate embed empty enable enact encrypt enforce \
         engage enlarge enlist enqueue enroll ensure enter erase escalate establish evacuate evict \
         exclude exempt expand expel expire expunge extend extinguish fail failback failover fetchadd \
         fill finalise finalize fire fix flash flip flush follow force forget forward freeze fulfill gc \
         getdel getset give grant greenlight grow halt harden heal hibernate hide hijack hold hover \
         hydrate impersonate incr increase increment ingest inhibit initialise initialize initiate inject \
         ins insert install instantiate instruct insulate integrate interrupt introduce invalidate invert \
         invoke isolate jettison join keep kick kill launch leave lengthen lessen lift lock lockdown \
         login logout lower lpop lpush maintain make manage mangle mark mask materialize migrate minimise \
         minimize mint mirror mitigate mkdir modify move mutate mute mv navigate nudge nuke obliterate \
         offboard onboard opt optimise optimize oust overhaul override overwrite pkill poke pop populate \
         postpone prepare prepend press prioritise prioritize proceed procure promote propagate propose \
         protect provision prune publish purge pursue push put quarantine quiesce quit raise reap \
         reassign rebalance rebase rebind reboot rebuild recall receive reclaim reclassify reclone \
         recompute reconcile reconfigure reconnect recover recreate recycle redact redeploy redirect redo \
         redrive reduce reencrypt reenqueue refactor refine refresh refund regenerate register reindex \
         reinit reinstall reinstate reissue reject rejoin relabel relaunch relinquish reload relocate \
         remap remediate remount remove rename renew reopen reorder reorganize repair repave replace \
         replay replicate repoint repopulate reprioritize reprocess reprovision republish requeue reroute \
         rerun reschedule resend reserve reset reshape reshard resign resize resolve respawn respond \
         restart restore restrict resubmit resume resurrect resync retag retarget retire retrain \
         retrigger retry revalidate revert revise revive revoke rewind rewrite rm rmdir roll rollback \
         rollforward rotate rpop rpush sabotage sanitize save scale schedulejob scrap scroll scrub seal \
         seed sell send set setup sever shell shorten shred shrink shut shutdown sign simulate skip sleep \
         smash snooze spawn spin split squash start stash stop store strip submit subscribe substitute \
         subtract sudo supersede suppress surrender suspend swap sweep synchronise synchronize taint tap \
         tear teardown terminate throttle toggle touch train transmit trash triage trim truncate tune \
         tweak unapply unarchive unassign unban unbind unblock unclaim uncordon undelete undeploy undo \
         undrain unenroll unfollow unfreeze unhide uninstall unlabel unlink unload unlock unmark unmask \
         unmount unmute unpause unpin unprotect unpublish unquarantine unregister unreserve unresolve \
         unschedule unseal unset unshare unsilence unsnooze unstage unsubscribe unsuspend untag untaint \
         untrack unwatch unwind upd update upgrade uplift upload upscale upsert use vacuum void vote wake \
         warm weaken whitelist widen wipe withdraw withhold wreck write xack xadd zadd zap zero")
});

/// Words that change something at the beginning of a name, and are nouns after a verb that reads.
pub(super) static NOUN_OR_CHANGES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         access alert alias archive audit backfill backup balance bill blame block bookmark branch buffer \
         build cache call cap change channel chart claim close code command comment commit condition \
         conduct contact contract control copy cost cover credit cut cycle damage date deal delay demand \
         design discount document download draft ease email end engineer execute exercise experiment \
         export face feature file filter flag flow fork form format frame function fund group guard guide \
         handle hook host hunt hurt import index influence input interface invite issue iterate job \
         journal label land lead lease level link load log loop mail map match measure merge message mine \
         model monitor mount network note notice object offer open order output own pack package page \
         paint park partition patch pause pay permit phase picture pin pipe place plan plant plot point \
         poll pool post power practice present price print process produce profile program project prompt \
         prospect pull purchase question queue quote race range rank rate react rebate record reference \
         release rent repeat reply report request research result return review reward ring risk roast \
         rollout route rule run sample scan schedule score screen script seat select sequence serve \
         service shape share shift ship signal silence size slot snapshot sort sound source space stack \
         stage star state stream stress structure study style subject supply support surface survey \
         switch sync tag target task team template test thread ticket time trace track trade transact \
         transfer transform transition trigger trust turn type value wait walk watch weight work wrap \
         zone")
});

/// Nouns that stand before a verb: systems, and kinds of things that they have. Plurals are nouns, too.
pub(super) static NOUNS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         blob bookmark keyvault kusto problem subscription account action activity address admin agent airflow alarm alerting alertmanager algolia analysis \
         analytics anomaly ansible api apigee apm app application appsync argo argocd artifact asana \
         asset athena atlas atlassian attachment aurora auth aws azure backend batch bigquery billing \
         bitbucket brave browser bucket buildkite bulk calendar card cassandra catalog ceph cert \
         certificate chat chrome ci circleci client cloud cloudflare cloudrun cloudwatch cluster \
         cockroach cockroachdb codebase cognito collection column compose compute config configmap \
         configuration confluence connection consul consumer container content context couchbase cpu cron \
         cronjob customer daemonset dashboard data database databricks datadog dataproc dataset \
         datasource datastore deployment device directory discord disk dns doc docker domain drive druid \
         duckdb dynamo dynamodb dynatrace ebs ecr ecs edge eks elastic elasticache elasticsearch email \
         endpoint engine entity environment error es etcd event eventbridge exchange execution expense \
         fabric field figma file firebase firestore firewall flink flux folder gateway gcloud gcp gcs \
         gerrit gist git gitea github gitlab gke glue gmail google grafana graph graphite graphql harbor \
         health helm heroku history hive honeycomb host html http https hub hubspot iam identity image \
         inbox incident influx influxdb info infra infrastructure ingress insight instance integration \
         intercom inventory investigation istio item jaeger jenkins jira kafka karpenter key keycloak \
         keyspace kiali kibana kinesis knowledge kube kubectl kubernetes kustomize kv lambda launchdarkly \
         layer ldap library linear linode linux list listener local loki machine mailbox mariadb \
         marketplace mattermost member memory mesh metabase metadata metric milestone milvus mimir minio \
         mongo mongodb mqtt mssql mysql namespace nats neo neptune netdata netlify newrelic nginx node \
         nomad notebook notification notion ocp oncall openai opensearch openshift opentelemetry operator \
         opsgenie oracle org organisation organization otel pagerduty panel parameter path payment \
         permission perplexity person pg php pinecone pinot pipeline planetscale playwright pod podman \
         policy port portainer postgres postgresql pr presto prom prometheus property proxmox proxy \
         pubsub pulsar puppeteer pyroscope qdrant queue quota rabbit rabbitmq railway rancher rds redash redis \
         redpanda redshift region registry replica replicaset repo repository resource role rollbar \
         rollup router row runbook rundeck runner runtime sagemaker salesforce sandbox scheduler schema \
         secret sentry server serverless service session setting sfn shard sharepoint shop signoz site \
         skill slack slo snowflake sns solr sonarqube span spark splunk sql sqlite sqs ssm statefulset \
         statistic statuspage storage stripe supabase superset swarm system table tailscale telegraf \
         telegram tempo tenant terraform thanos timeline timescale token tool topic topology traefik \
         transaction travis trello trino twilio typesense ui unit upstash uptime usage user variable \
         vault vcenter vector vercel version victoria victorialogs victoriametrics victorops video vm \
         volume vpc vsphere warehouse wazuh weaviate web webhook website wiki worker workflow workload \
         workspace youtube zabbix zendesk zipkin zookeeper")
});

/// Nouns with the ending of a verb.
pub(super) static LIKE_VERBS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         accurate advocate affiliate aggregate alternate appropriate candidate certificate climate \
         coordinate corporate correlate delegate duplicate estimate immediate intermediate moderate plate \
         private prize rate rebate separate size sizes slate state template ultimate update")
});

/// Words that are nouns where a verb that reads ends the name, though some are verbs at the beginning of others.
pub(super) const THINGS: [&str; 18] = [
    "alert", "branch", "build", "comment", "commit", "document", "feature", "file", "issue", "job",
    "log", "merge", "page", "project", "pull", "release", "request", "ticket",
];
/// Words that are more often nouns than verbs behind another noun.
pub(super) const THINGS_OF_OTHERS: [&str; 12] = [
    "document", "feature", "file", "job", "level", "log", "page", "project", "report", "state",
    "ticket", "trace",
];

/// Languages and systems after which a tool is named that takes a statement and says no more.
pub(super) const LANGUAGES: [&str; 20] = [
    "api",
    "bigquery",
    "clickhouse",
    "database",
    "db",
    "gql",
    "graphql",
    "http",
    "https",
    "kubectl",
    "mysql",
    "oc",
    "pg",
    "postgres",
    "postgresql",
    "psql",
    "rest",
    "snowflake",
    "sql",
    "sqlite",
];

/// Words between two things that a tool does, or that it does it to.
pub(super) const CONJUNCTIONS: [&str; 5] = ["and", "or", "then", "plus", "also"];

/// Verbs that these particles make into others: `check out`.
pub(super) const PHRASAL: [(&str, &[&str]); 3] =
    [("check", &["in", "out", "off"]), ("get", &["rid"]), ("read", &["in", "into"])];

/// What is taken off a queue when it is read.
pub(super) const MESSAGES: [&str; 6] =
    ["message", "messages", "delivery", "deliveries", "jobs", "envelope"];
/// What a worker takes next.
pub(super) const WORK: [&str; 4] = ["event", "item", "job", "task"];
pub(super) const QUEUES: [&str; 16] = [
    "amqp",
    "broker",
    "dlq",
    "kafka",
    "kinesis",
    "mq",
    "mqtt",
    "nats",
    "pubsub",
    "pulsar",
    "queue",
    "queues",
    "rabbit",
    "rabbitmq",
    "servicebus",
    "sqs",
];
/// Verbs that leave a queue as it is.
pub(super) const LOOKS: [&str; 10] =
    ["count", "describe", "find", "inspect", "list", "peek", "preview", "search", "show", "view"];

/// Words for what only its owner should see.
pub(super) const SECRETS: [&str; 18] = [
    "apikey",
    "apikeys",
    "credential",
    "credentials",
    "creds",
    "keychain",
    "keystore",
    "kubeconfig",
    "passphrase",
    "passphrases",
    "passwd",
    "password",
    "passwords",
    "privatekey",
    "secret",
    "secrets",
    "token",
    "tokens",
];
/// Words that are secrets with the word before them.
pub(super) const SECRET_PAIRS: [(&str, &str); 8] = [
    ("access", "key"),
    ("access", "keys"),
    ("api", "key"),
    ("api", "keys"),
    ("private", "key"),
    ("private", "keys"),
    ("ssh", "key"),
    ("ssh", "keys"),
];
