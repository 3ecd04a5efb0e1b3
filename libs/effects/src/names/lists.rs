//! The verbs and nouns that names of tools are made of.

use std::collections::HashSet;
use std::sync::LazyLock;

use crate::words::set;

/// Verbs that read what a system knows.
pub(super) static READS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         analyse analyze assess calculate check compare correlate count decode describe detect determine \
         diagnose diff discover display enumerate estimate examine explain fetch find forecast get glob grep has \
         head hexists hget hgetall hkeys hlen hmget hvals inspect is lindex list llen locate lookup lrange ls \
         mget observe parse peek predict preview pttl query read recommend rerank retrieve scard search show \
         sismember smembers stat strlen suggest summarise summarize tail ttl validate view who whoami xlen \
         xrange xrevrange zcard zcount zrange zrank zscore")
});

/// Verbs that run what a parameter carries: the parameter decides what the call does.
pub(super) static RUNS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         call eval evaluate exec execute perform request run")
});

/// Words that change something wherever they stand.
pub(super) static CHANGES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         abandon abort accept ack acknowledge acquire activate adapt add adjust administer admit adopt advance \
         allocate allow alter amend annihilate annotate anonymize append apply approve arm assemble assign \
         associate assume attach augment authorize autofix autoscale axe ban banish begin bind bisect blackhole \
         blacklist bootstrap bounce broadcast bump bury bypass cancel capture cast checkin checkout cherrypick \
         chmod chop chown clean cleanup clear click clip clone collapse collect combine commence compact \
         complete compress concat configure confirm connect consolidate construct consume cordon corrupt cp \
         create crop cull dd deactivate deallocate deauthorize decommission decouple decr decrease decrement \
         decrypt dedupe deescalate defer deflate defragment del delegate delete demolish demote deny denylist \
         depart deploy deprecate deprovision dequeue deregister destroy detach detonate dim diminish disable \
         disallow disapprove disarm disassociate discard disconnect dismantle dismiss dismount dispatch dispose \
         dissociate ditch divert dock downgrade downscale drag drain draw drop dump duplicate edit eject elect \
         elevate eliminate embed empty enable enact encrypt enforce engage enlarge enlist enqueue enroll ensure \
         enter eradicate erase escalate establish evacuate evict exclude exempt expand expel expire expunge \
         extend exterminate extinguish fail failback failover fetchadd fill finalise finalize fire fix flash \
         flip flush follow force forget forward freeze fulfill getdel getset give greenlight grow hack halt \
         harden heal hibernate hide hijack hold hover hydrate impersonate incr increase increment ingest inhibit \
         initialise initialize initiate inject ins insert install instantiate instruct insulate integrate \
         interrupt introduce invalidate invert invoke isolate jettison join keep kick kickoff kill leave \
         lengthen lessen lift lock lockdown logout lower lpop lpush maintain make manage mangle mark mask \
         materialize migrate minimise minimize mint mitigate mkdir modify move mutate mute mv navigate nix nudge \
         nuke obliterate offboard onboard opt optimise optimize oust overhaul override overwrite pkill poke pop \
         populate postpone prepare prepend press prioritise prioritize proceed procure promote propagate propose \
         protect provision prune publish purge pursue push put quarantine quiesce quit raise reap reassign \
         rebalance rebase rebind reboot rebuild recall receive reclaim reclassify reclone recompute reconcile \
         reconfigure reconnect recover recreate recycle redact redeploy redirect redo redrive reduce reencrypt \
         reenqueue refactor refine refresh refund regenerate register reindex reinit reinstall reinstate reissue \
         reject rejoin relabel relaunch relinquish reload relocate remap remediate remount remove rename renew \
         reopen reorder reorganize repair repave replace replay replicate repoint repopulate reprioritize \
         reprocess reprovision republish requeue reroute rerun reschedule resend reserve reset reshape reshard \
         resign resize resolve respawn respond restart restore restrict resubmit resume resurrect resync retag \
         retarget retire retrain retrigger retry revalidate revert revise revive revoke rewind rewrite rid rm \
         rmdir roll rollback rollforward rotate rpop rpush sabotage sanitize save scale schedulejob scrap scroll \
         scrub scuttle seal seed sell send set setup sever shell shorten shred shrink shut shutdown sign \
         simulate skip slay sleep smash snooze spawn spin split squash start stash stop strip submit subscribe \
         substitute subtract sudo supersede suppress surrender suspend sweep synchronise synchronize taint \
         tamper tap tear teardown terminate throttle toggle torch touch train transmit trash triage trim \
         truncate tune tweak unapply unarchive unassign unban unbind unblock unclaim uncordon undelete undeploy \
         undo undrain unenroll unfollow unfreeze unhide uninstall unlabel unlink unload unlock unmake unmark \
         unmask unmount unmute unpause unpin unprotect unpublish unquarantine unregister unreserve unresolve \
         unschedule unseal unset unshare unsilence unsnooze unstage unsubscribe unsuspend untag untaint untrack \
         unwatch unwind upd update upgrade uplift upload uproot upscale upsert use vacuum vandalize void vote \
         wake warm weaken whitelist widen wipe wipeout withdraw withhold wreck write xack xadd zadd zap zero")
});

/// Words that change something at the beginning of a name, and are nouns after a verb that reads.
pub(super) static NOUN_OR_CHANGES: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         access alert alias archive audit backfill backup balance bill blame block bookmark boot branch buffer \
         build burn cache call cap change channel charge chart claim close code command comment commit condition \
         conduct contact contract control copy cost cover credit cut cycle damage date deal debug delay demand \
         design discount document download draft ease email end engineer execute exercise experiment export face \
         feature file filter flag flow fork form format frame function fund gc grant group guard guide handle \
         hook host hunt hurt import index influence input interface invite issue iterate job journal label land \
         launch lead lease level link load log login loop mail map match measure merge message mine mirror model \
         monitor mount network note notice object offer open order output own pack package page paint park \
         partition patch pause pay permit phase picture pin pipe place plan plant plot point poll pool post \
         power practice present price print process produce profile program project prompt prospect pull \
         purchase question queue quote race rank rate react rebate record reference release rent repeat reply \
         report request research result return review reward ring risk roast rollout route rule run sample scan \
         schedule score screen script seat select sequence serve service shape share shift ship signal silence \
         size slot snapshot sort sound source space stack stage star state store stream stress structure study \
         style subject supply support surface survey swap switch sync tag target task team template test thread \
         ticket time trace track trade transact transfer transform transition trigger trust turn type value wait \
         walk watch weight work wrap zone")
});

/// Nouns that stand before a verb: systems, and kinds of things that they have. Plurals are nouns, too.
pub(super) static NOUNS: LazyLock<HashSet<&str>> = LazyLock::new(|| {
    set("\
         account action activity addon address admin agent airflow alarm alerting alertmanager algolia analysis \
         analytics annotation anomaly ansible api apigee apm app application appsync argo argocd artifact asana \
         asset athena atlas atlassian attachment aurora auth aws azure backend baseline batch bigquery billing \
         bitbucket blob bookmark brave browser bucket buildkite bulk calendar card cassandra catalog ceph cert \
         certificate chat chrome ci circleci client cloud cloudflare cloudrun cloudwatch cluster cockroach \
         cockroachdb codebase cognito collection column compose compute config configmap configuration \
         confluence connection consul consumer container content context couchbase cpu cron cronjob customer \
         daemonset dashboard data database databricks datadog dataproc dataset datasource datastore dependency \
         deployment device dimension directory discord disk dns doc docker domain drive druid duckdb dynamo \
         dynamodb dynatrace ebs ecr ecs edge eks elastic elasticache elasticsearch email endpoint engine entity \
         environment error es etcd event eventbridge exchange execution expense fabric field figma file finding \
         firebase firestore firewall flink flux folder gateway gcloud gcp gcs gerrit gist git gitea github \
         gitlab gke glue gmail google grafana graph graphite graphql harbor health helm heroku history hive \
         honeycomb host hostname html http https hub hubspot hybrid iam identifier identity image inbox incident \
         influx influxdb info infra infrastructure ingress insight instance instant integration intercom \
         inventory investigation istio item jaeger jenkins jira kafka karpenter key keycloak keyspace keyvault \
         keyword kiali kibana kinesis knowledge kube kubectl kubernetes kusto kustomize kv lambda latency \
         launchdarkly layer ldap library linear linode linux list listener local loki machine mailbox mariadb \
         marketplace mattermost member memory mesh metabase metadata metric milestone milvus mimir minio mongo \
         mongodb mqtt mssql mysql namespace nats neo neptune netdata netlify newrelic nginx node nomad notebook \
         notification notion ocp oncall openai opensearch openshift opentelemetry operator opsgenie oracle org \
         organisation organization otel overview owner pagerduty panel parameter path payment permission \
         perplexity person pg php pinecone pinot pipeline planetscale playwright plugin pod podman policy port \
         portainer postgres postgresql pr presto problem prom prometheus property proxmox proxy pubsub pulsar \
         puppeteer pyroscope qdrant queue quota rabbit rabbitmq railway rancher range rds redash redis redpanda \
         redshift region registry replica replicaset repo repository resource role rollbar rollup router row \
         runbook rundeck runner runtime sagemaker salesforce sandbox scheduler schema secret semantic sentry \
         server serverless service session setting sfn shard sharepoint shop signoz site skill slack slo \
         snowflake sns solr sonarqube span spark splunk sql sqlite sqs ssm statefulset statistic status \
         statuspage storage stripe subscription summary supabase superset swarm system table tailscale telegraf \
         telegram tempo tenant terraform testplan text thanos threshold timeline timescale token tool topic \
         topology traefik transaction travis trello trend trino twilio typesense ui unit upstash uptime usage \
         user variable vault vcenter vector vercel version victoria victorialogs victoriametrics victorops video \
         vm volume vpc vsphere warehouse wazuh weaviate web webhook website wiki worker workflow workload \
         workspace youtube zabbix zendesk zipkin zone zookeeper")
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
pub(super) const CONJUNCTIONS: [&str; 9] =
    ["and", "or", "then", "plus", "also", "und", "oder", "et", "ou"];

/// Words that change something elsewhere, and are a part of the noun before them here.
pub(super) const COMPOUNDS: [(&str, &str); 12] = [
    ("change", "set"),
    ("daemon", "set"),
    ("data", "set"),
    ("ip", "set"),
    ("key", "set"),
    ("record", "set"),
    ("replica", "set"),
    ("result", "set"),
    ("rule", "set"),
    ("skill", "set"),
    ("stateful", "set"),
    ("tool", "set"),
];

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
