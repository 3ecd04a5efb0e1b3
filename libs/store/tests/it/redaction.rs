//! Removal of a text from everything that is stored.

use sqlx::AssertSqlSafe;
use tarsy_store::{Redaction, RedactionEffect, RedactionPosition};

use crate::setup::{Db, db};

const SECRET: &str = "hunter2 \"of\" the\nyear";
/// The secret as JSON has it.
const ESCAPED: &str = r#"hunter2 \"of\" the\nyear"#;

/// Columns that have texts and stay as they are, with the reason.
const KEPT: [(&str, &[&str], &str); 13] = [
    ("_sqlx_migrations", &["*"], "of the migrations"),
    ("audit_log", &["*"], "is never changed; it has paths, names and counts"),
    ("api_tokens", &["*"], "hashes, and names that administrators give"),
    ("sign_ins", &["*"], "hashes, and names and groups of the issuer; deleted after seven days"),
    ("mcp_oauth_tokens", &["*"], "sealed"),
    ("accepted_tools", &["*"], "names of the configuration and of tools, digests"),
    ("redacted_columns", &["*"], "of the migrations"),
    ("commands", &["*"], "ids of messengers"),
    ("quota_windows", &["*"], "names of senders and actions"),
    ("llm_queue", &["*"], "names of providers"),
    ("token_usage", &["*"], "names of senders"),
    ("token_usage_parts", &["*"], "names of senders"),
    ("intake_refusals", &["*"], "addresses and counts, without what was sent; kept for 15 days"),
];

/// Columns of tables of which others are gone through: names of the configuration, of tools and senders, words of a fixed
/// list, digests, ids, and what is made of other columns.
const KEPT_COLUMNS: [(&str, &[&str]); 48] = [
    (
        "actions",
        &[
            "check_server",
            "check_tool",
            "expected_kind",
            "rollback_server",
            "rollback_tool",
            "rollback_definition",
            "rollback_kind",
            "outcome",
            "alert_statement",
            "rollback_with",
        ],
    ),
    (
        "agent_executions",
        &[
            "agent_name",
            "iteration_strategy",
            "llm_provider",
            "status",
            "active_provider",
            "unseen",
            "conclusion_cause",
        ],
    ),
    (
        "alert_sessions",
        &[
            "alert_type",
            "chain_id",
            "status",
            "executive_summary_provider",
            "principal",
            "degraded_reasons",
            "origin",
            "triage",
            "verdict_failure",
            "traceparent",
            "requested_provider",
            "config_digest",
        ],
    ),
    ("config_snapshots", &["digest"]),
    ("changes", &["source", "source_key", "kind"]),
    ("chat_user_messages", &[]),
    ("chats", &[]),
    ("claim_checks", &["text_kind", "failure"]),
    ("claims", &["kind", "verdict"]),
    ("dead_letters", &["subject"]),
    ("dependencies", &["source", "key", "relation", "from_name", "to_name"]),
    ("deleted_sessions", &["deleted_by"]),
    ("events", &["type"]),
    ("idempotency_keys", &["principal", "request_hash"]),
    (
        "intake_alerts",
        &["source", "status", "alert_type", "chain_id", "rule", "action", "reason", "content"],
    ),
    (
        "llm_interactions",
        &[
            "interaction_type",
            "model_name",
            "provider",
            "finish_reason",
            "tool_set",
            "backend",
            "native_tools",
            "prompt_version",
            "tarsy_version",
            "model_version",
            "response_id",
            "vendor_finish_reason",
            // Names of members, and none of their values.
            "response_format",
            "answer_notes",
        ],
    ),
    (
        "mcp_interactions",
        &[
            "status",
            "gateway_instance",
            "interaction_type",
            "server_name",
            "tool_name",
            "tool_call_id",
            "tool_set",
        ],
    ),
    ("messages", &["role", "tool_call_id", "tool_name"]),
    ("notification_destinations", &["name"]),
    ("notifications", &["kind", "destination", "status", "external_ref", "thread_ref"]),
    ("overview_costs", &["dimension", "name"]),
    ("overview_alerts", &[]),
    ("overview_tools", &["server_name", "tool_name"]),
    ("prompt_overrides", &["name"]),
    ("restores", &["backup_version"]),
    // The words follow the body, and the session.
    ("search_documents", &["kind", "words"]),
    // What the configuration has, and who asked.
    ("schedule_runs", &["schedule", "outcome", "requested_by", "notify"]),
    ("schedules", &["name", "cron", "time_zone"]),
    (
        "scores",
        &[
            "status",
            "prompt_version",
            "provider",
            "model_name",
            "failure_tags",
            "failure",
            "tools_failure",
            "owner_id",
        ],
    ),
    (
        "postmortem_prose",
        &["status", "failure", "prompt_version", "provider", "model_name", "owner_id"],
    ),
    ("score_days", &["dimension", "name"]),
    ("session_control", &["owner_id"]),
    ("session_reviews", &["review", "reviewer"]),
    ("session_words", &["words"]),
    ("stages", &["stage_name", "parallel_type", "success_policy", "status", "principal"]),
    ("summaries", &["status", "owner_id"]),
    ("timeline_events", &["event_type", "status"]),
    (
        "tool_approvals",
        &["server_name", "tool_name", "definition", "decision", "decided_by", "decided_with"],
    ),
    ("memories", &["decided_state", "edited_by", "state", "words"]),
    ("memory_sources", &["effect"]),
    ("memory_vectors", &["model"]),
    ("triage_entries", &["triage", "author"]),
    ("tool_definitions", &["digest", "server_name", "tool_name"]),
    ("tool_sets", &["digest", "definitions"]),
    (
        "verdicts",
        &["source", "category", "confidence", "outcome", "alert_statement", "change_kind"],
    ),
    ("verdict_alternatives", &["category", "change_kind"]),
    ("weekly_deliveries", &["week", "destination", "status"]),
    ("weekly_messages", &["week"]),
];

/// The columns of the schema that can have a text.
async fn columns(db: &Db) -> Vec<(String, String, String)> {
    sqlx::query_as(
        "select table_name::text, column_name::text, udt_name::text from information_schema.columns
         join information_schema.tables using (table_schema, table_name)
         where table_schema = 'public' and table_type = 'BASE TABLE' and (
            udt_name not in ('uuid', 'int2', 'int4', 'int8', 'bool', 'timestamptz', 'date', 'float8', '_int4', '_int8', '_float4', '_float8')
            or (table_name, column_name) in (select r.table_name, r.column_name from redacted_columns r))
         order by 1, 2",
    )
    .fetch_all(&db.raw)
    .await
    .unwrap()
}

#[tokio::test]
async fn every_column_that_can_have_a_text_is_gone_through_or_kept_for_a_reason() {
    let db = db().await;
    let redacted: Vec<(String, String)> =
        sqlx::query_as("select table_name, column_name from redacted_columns")
            .fetch_all(&db.raw)
            .await
            .unwrap();
    let columns = columns(&db).await;
    assert!(columns.len() > 150, "{}", columns.len());
    let mut forgotten = Vec::new();
    for (table, column, kind) in &columns {
        let kept = KEPT.iter().any(|(name, _, reason)| name == table && !reason.is_empty())
            || KEPT_COLUMNS
                .iter()
                .any(|(name, kept)| name == table && kept.contains(&column.as_str()));
        let gone_through = redacted.iter().any(|(t, c)| (t, c) == (table, column));
        if kept == gone_through {
            forgotten.push(format!("{table}.{column} {kind} kept={kept}"));
        }
    }
    assert!(forgotten.is_empty(), "{forgotten:#?}");
    for (table, column) in &redacted {
        assert!(
            columns.iter().any(|(t, c, _)| (t, c) == (table, column)),
            "{table}.{column} does not exist"
        );
    }
}

/// Goes through all tables; the rows that had the text.
async fn redact(db: &Db, effect: RedactionEffect) -> u64 {
    let redaction = Redaction {
        spellings: vec![ESCAPED.replace('\\', r"\\"), ESCAPED.to_owned(), SECRET.to_owned()],
        reason: "a \"password\"".to_owned(),
        effect,
    };
    let mut rows = 0;
    for table in db.store.redacted_tables().await.unwrap() {
        let mut position = RedactionPosition { table: table.clone(), after: None };
        loop {
            let step = db.store.redact_rows(&redaction, &position).await.unwrap().unwrap();
            rows += step.rows;
            let Some(key) = step.last_key else { break };
            position = RedactionPosition { table: table.clone(), after: Some(key) };
        }
    }
    rows
}

/// Writes the secret into every column that is gone through, where its checks let it, without triggers and foreign keys. Answers
/// how many rows were written.
async fn fill(db: &Db) -> i64 {
    let mut connection = db.raw.acquire().await.unwrap();
    sqlx::raw_sql(AssertSqlSafe(FILL.to_owned())).execute(&mut *connection).await.unwrap();
    sqlx::query_scalar("select count(distinct table_name) from redacted_columns")
        .fetch_one(&mut *connection)
        .await
        .unwrap()
}

/// A row for each table: every column that is gone through has the secret, every other one that must have a value the simplest
/// that its checks take.
const FILL: &str = r#"
set session_replication_role = replica;
do $$
declare
    target text;
    names text;
    cells text;
begin
    for target in select distinct table_name from redacted_columns loop
        execute format('alter table %I disable trigger user', target);
        -- Checks are of no interest here.
        for names in select conname from pg_constraint where conrelid = target::regclass and contype = 'c' loop
            execute format('alter table %I drop constraint %I', target, names);
        end loop;
        select string_agg(quote_ident(c.column_name), ', '), string_agg(case
            when c.udt_name = 'tsvector' then 'to_tsvector(''simple'', ''hunter2'')'
            when r.method in ('json', 'free_json') then
                'jsonb_build_object(''a'', jsonb_build_array(1, $1, jsonb_build_object($1, to_json($1)::text)))'
            when r.method = 'bytes' then 'convert_to(jsonb_build_object(''a'', $1)::text, ''UTF8'')'
            when r.method = 'drop' then 'convert_to($1, ''UTF8'')'
            when r.method = 'text' then '''before '' || $1 || '' after'''
            when c.udt_name = 'uuid' then 'gen_random_uuid()'
            when c.udt_name = 'timestamptz' then 'now()'
            when c.udt_name = 'jsonb' then '''{}'''
            when c.udt_name = 'bytea' then '''\x00'''
            when c.udt_name = 'bool' then 'false'
            when c.udt_name like '\_%' then '''{}'''
            when c.udt_name = 'text' then '''x'''
            else '1' end, ', ')
        into names, cells
        from information_schema.columns c
        left join redacted_columns r on r.table_name = c.table_name and r.column_name = c.column_name
        where c.table_schema = 'public' and c.table_name = target and c.is_generated = 'NEVER' and c.is_identity = 'NO'
            and (r.method is not null or c.is_nullable = 'NO');
        execute format('insert into %I (%s) values (%s)', target, names, cells) using e'hunter2 "of" the\nyear';
    end loop;
end
$$;
reset session_replication_role;
"#;

/// Tables with the secret, in whatever column and spelling.
async fn found(db: &Db) -> Vec<String> {
    let mut found = Vec::new();
    let tables: Vec<String> = sqlx::query_scalar(
        "select table_name::text from information_schema.tables where table_schema = 'public' and table_type = 'BASE TABLE'",
    )
    .fetch_all(&db.raw)
    .await
    .unwrap();
    for table in tables {
        let statement = format!(
            "select count(*) from \"{table}\" t where position('hunter2' in t::text) > 0
                or position(encode('hunter2', 'hex') in t::text) > 0"
        );
        let rows: i64 =
            sqlx::query_scalar(AssertSqlSafe(statement)).fetch_one(&db.raw).await.unwrap();
        if rows > 0 {
            found.push(table);
        }
    }
    found
}

#[tokio::test]
async fn a_text_is_removed_from_every_column_and_a_second_time_changes_nothing() {
    let db = db().await;
    let filled = fill(&db).await;
    assert_eq!(i64::try_from(found(&db).await.len()).unwrap(), filled);
    let rows = u64::try_from(filled).unwrap();
    assert_eq!(redact(&db, RedactionEffect::Count).await, rows);
    assert_eq!(i64::try_from(found(&db).await.len()).unwrap(), filled, "counting changes nothing");
    assert_eq!(redact(&db, RedactionEffect::Remove).await, rows);
    assert_eq!(found(&db).await, Vec::<String>::new());
    assert_eq!(redact(&db, RedactionEffect::Remove).await, 0);
    let kept = "select count(*) from messages where content = 'before [removed by an administrator: a \"password\"] after'";
    assert_eq!(db.count(kept).await, 1);
    let json = "select count(*) from events where payload -> 'a' -> 1 = to_jsonb('[removed by an administrator: a \"password\"]'::text)
        and payload -> 'a' -> 0 = '1'";
    assert_eq!(db.count(json).await, 1);
}

#[tokio::test]
async fn rows_are_gone_through_in_bounded_steps_in_the_order_of_their_keys() {
    let db = db().await;
    let session = db.pending().await;
    sqlx::query(
        "insert into events (session_id, seq, type, payload)
         select $1, n, 'x', jsonb_build_object('text', case when n % 2 = 0 then $2 else 'nothing' end)
         from generate_series(2, 451) n",
    )
    .bind(session.uuid())
    .bind(SECRET)
    .execute(&db.raw)
    .await
    .unwrap();
    let redaction = Redaction {
        spellings: vec![SECRET.to_owned()],
        reason: "why".to_owned(),
        effect: RedactionEffect::Remove,
    };
    let at = |after: Option<Vec<String>>| RedactionPosition { table: "events".to_owned(), after };
    let first = db.store.redact_rows(&redaction, &at(None)).await.unwrap().unwrap();
    assert_eq!(first.last_key, Some(vec![session.to_string(), "200".to_owned()]));
    assert_eq!(first.rows, 100);
    // A crash before the next step: the first one again does no harm.
    assert_eq!(db.store.redact_rows(&redaction, &at(None)).await.unwrap().unwrap().rows, 0);
    let second = db.store.redact_rows(&redaction, &at(first.last_key)).await.unwrap().unwrap();
    assert_eq!((second.rows, second.last_key.is_some()), (100, true));
    let third = db.store.redact_rows(&redaction, &at(second.last_key)).await.unwrap().unwrap();
    assert_eq!((third.rows, third.last_key), (25, None));
    for wrong in [vec!["x".to_owned(), "1".to_owned()], vec![session.to_string()], Vec::new()] {
        assert_eq!(db.store.redact_rows(&redaction, &at(Some(wrong))).await.unwrap(), None);
    }
}

#[tokio::test]
async fn no_table_is_changed_that_is_not_listed() {
    let db = db().await;
    let redaction = Redaction {
        spellings: vec!["admin-admin".to_owned()],
        reason: "why".to_owned(),
        effect: RedactionEffect::Remove,
    };
    for table in ["audit_log", "api_tokens", "accepted_tools", "events; drop table events"] {
        let position = RedactionPosition { table: table.to_owned(), after: None };
        assert!(db.store.redact_rows(&redaction, &position).await.is_err(), "{table}");
    }
}
