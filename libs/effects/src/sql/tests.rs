use super::*;

const DIALECTS: [Language; 8] = [
    Language::Sql,
    Language::Bigquery,
    Language::Clickhouse,
    Language::Mssql,
    Language::Mysql,
    Language::Postgresql,
    Language::Snowflake,
    Language::Sqlite,
];

#[test]
fn queries_that_only_read_are_known() {
    for text in [
        "SELECT 1",
        "select count(*), max(ts) from orders where state = 'failed' group by region order by 1 limit 5;",
        "WITH late AS (SELECT id FROM jobs WHERE age > 5) SELECT * FROM late JOIN jobs USING (id)",
        "SELECT a FROM t UNION ALL SELECT b FROM u",
        "SELECT * FROM t -- the whole table",
        "SELECT CASE WHEN a > 1 THEN 'x' ELSE 'drop table' END FROM t",
        "SELECT coalesce(sum(n), 0) FROM (SELECT n FROM t) AS s",
    ] {
        for language in DIALECTS {
            assert_eq!(doubt(text, language), None, "{language:?}: {text}");
        }
    }
    for (language, text) in [
        (Language::Postgresql, "EXPLAIN SELECT * FROM t"),
        (Language::Postgresql, "SHOW work_mem"),
        (
            Language::Postgresql,
            "SELECT pid, now() - query_start FROM pg_stat_activity WHERE state <> 'idle'",
        ),
        (Language::Postgresql, "SELECT data->>'a' FROM t WHERE tags @> '{x}'"),
        (Language::Postgresql, "SELECT pg_size_pretty(pg_database_size(current_database()))"),
        (Language::Mysql, "SHOW FULL PROCESSLIST"),
        (Language::Mysql, "DESCRIBE orders"),
        (Language::Mysql, "SHOW TABLES"),
        (
            Language::Clickhouse,
            "SELECT toStartOfHour(t) AS h, count() FROM logs GROUP BY h ORDER BY h",
        ),
        (Language::Sqlite, "PRAGMA table_info('users')"),
        (Language::Sqlite, "SELECT name FROM pragma_table_info('users')"),
        (Language::Mssql, "SELECT TOP 5 * FROM orders WITH (NOLOCK)"),
    ] {
        assert_eq!(doubt(text, language), None, "{language:?}: {text}");
    }
}

#[test]
fn statements_that_change_something_are_never_taken_for_reading() {
    for text in [
        "DROP TABLE users CASCADE",
        "DELETE FROM users",
        "EXPLAIN ANALYZE DELETE FROM users",
        "EXPLAIN ANALYZE SELECT 1",
        "EXPLAIN (ANALYZE, BUFFERS) SELECT 1",
        "EXPLAIN DELETE FROM users",
        "WITH gone AS (DELETE FROM users RETURNING *) SELECT * FROM gone",
        "SELECT * FROM (WITH x AS (INSERT INTO t VALUES (1) RETURNING a) SELECT a FROM x) AS y",
        "SELECT * INTO copied FROM users",
        "SELECT * FROM users FOR UPDATE",
        "SELECT * FROM users LOCK IN SHARE MODE",
        "SELECT 1; DROP TABLE users",
        "SELECT pg_terminate_backend(1)",
        "SELECT * FROM dblink('x', 'DELETE FROM t')",
        "SELECT lo_import('/etc/passwd')",
        "SELECT set_config('a', 'b', false)",
        "SELECT nextval('s')",
        "SELECT s.nextval FROM dual",
        "SELECT my_schema.cleanup(1)",
        "SELECT * FROM t WHERE delete_all()",
        "SELECT @a := 1",
        "SELECT 'x' INTO OUTFILE '/tmp/x'",
        "COPY t TO PROGRAM 'sh'",
        "CALL cleanup()",
        "EXEC xp_cmdshell 'dir'",
        "DO $$ BEGIN DELETE FROM t; END $$",
        "SET work_mem = '1GB'",
        "USE other",
        "PRAGMA writable_schema = 1",
        "PRAGMA wal_checkpoint",
        "VACUUM",
        "TRUNCATE t",
        "MERGE INTO t USING u ON t.a = u.a WHEN MATCHED THEN DELETE",
        "INSERT INTO t SELECT * FROM u",
        "CREATE TABLE t AS SELECT 1",
        "GRANT ALL ON t TO u",
        "BEGIN",
        "",
        "hello",
        "SELECT * FROM url('http://evil.example/', CSV)",
        "SELECT * FROM 's3://bucket/file.parquet'",
        "SELECT a FROM t SETTINGS max_threads = 1",
        "SELECT * FROM t WITH (TABLOCKX)",
        "|> SELECT 1",
    ] {
        for language in DIALECTS {
            assert!(doubt(text, language).is_some(), "{language:?}: {text}");
        }
    }
}

#[test]
fn what_one_system_takes_for_a_comment_or_a_text_is_no_hiding_place() {
    for text in [
        "SELECT 1 /*! ; DROP TABLE t */",
        "SELECT 1 /* /* */ ; DROP TABLE t; -- */",
        "SELECT '\\' ; DROP TABLE t; -- '",
        "SELECT 1 --1; DROP TABLE t",
        "SELECT 1 -- \r; DROP TABLE t",
        "SELECT $a$; DROP TABLE t; --$a$",
        "SELECT 1 # ; DROP TABLE t",
        "SELECT 1 \u{0}",
        "SELECT `; DROP TABLE t; --` FROM t; DELETE FROM t",
    ] {
        for language in DIALECTS {
            assert!(doubt(text, language).is_some(), "{language:?}: {text:?}");
        }
    }
}

#[test]
fn deep_and_long_statements_are_left_to_a_person() {
    let deep = format!("SELECT {}1{}", "(".repeat(500), ")".repeat(500));
    let chain = format!("SELECT 1{}", "+1".repeat(4_000));
    let long = format!("SELECT '{}'", "x".repeat(20_000));
    for text in [deep, chain, long] {
        assert!(doubt(&text, Language::Postgresql).is_some());
    }
    let within = format!("SELECT 1{}", "+1".repeat(1_400));
    assert_eq!(doubt(&within, Language::Postgresql), None);
}
