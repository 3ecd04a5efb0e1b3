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
fn a_statement_that_begins_without_a_sign_is_found() {
    for text in [
        "SELECT 1 DELETE FROM users",
        "SELECT 1 shutdown",
        "SELECT a FROM t shutdown",
        "SELECT a FROM t reconfigure",
        "SELECT a FROM t checkpoint",
        "SELECT a FROM t rollback",
        "SELECT * FROM t exec ('drop table users')",
        "SELECT * FROM t execute (x)",
        "SELECT 'a' DELETE FROM users",
        "SELECT (1) DELETE FROM users",
        "SELECT count(*) DELETE FROM users",
        "SELECT [a] DELETE FROM users",
    ] {
        for language in [Language::Sql, Language::Mssql] {
            assert!(doubt(text, language).is_some(), "{language:?}: {text}");
        }
    }
    for text in ["SELECT 1 ->> DELETE FROM users", "SELECT a ->> drop FROM t"] {
        for language in [Language::Sql, Language::Snowflake] {
            assert!(doubt(text, language).is_some(), "{language:?}: {text}");
        }
    }
    // Columns of such names.
    for text in [
        "SELECT commit, t.update FROM builds AS t WHERE commit = 'a' ORDER BY commit",
        "SELECT max(commit) FROM builds GROUP BY commit",
        "SELECT data ->> 'delete' FROM t",
    ] {
        assert_eq!(doubt(text, Language::Sql), None, "{text}");
    }
}

#[test]
fn functions_and_files_of_the_server_are_not_read() {
    for text in [
        "SELECT pg_read_file('/etc/passwd')",
        "SELECT pg_read_binary_file('/etc/passwd')",
        "SELECT * FROM pg_ls_dir('/')",
        "SELECT lo_export(1, '/tmp/x')",
        "SELECT query_to_xml('DELETE FROM t', true, true, '')",
        "SELECT dblink_exec('x', 'DROP TABLE t')",
        "SELECT pg_notify('a', 'b')",
        "SELECT pg_advisory_lock(1)",
        "SELECT pg_sleep(100)",
        "SELECT LOAD_FILE('/etc/passwd')",
        "SELECT sleep(100)",
        "SELECT benchmark(1000000, md5('a'))",
        "SELECT get_lock('a', 1)",
        "SELECT 1 INTO DUMPFILE '/tmp/x'",
        "SELECT 1 INTO @a",
        "TABLE t INTO OUTFILE '/tmp/x'",
        "DO sleep(1)",
        "HANDLER t OPEN",
        "SELECT load_extension('x')",
        "SELECT readfile('/etc/passwd')",
        "ATTACH DATABASE '/tmp/x' AS y",
        "SELECT * FROM read_csv('/etc/passwd')",
        "SELECT * FROM glob('/etc/*')",
        "SELECT * FROM 'data.csv'",
        "INSTALL httpfs",
        "SELECT getenv('HOME')",
        "SELECT * FROM url('http://169.254.169.254/')",
        "SELECT * FROM file('/etc/passwd')",
        "SELECT * FROM remote('evil', db.t)",
        "SELECT * FROM executable('sh', TSV, 'a String')",
        "SELECT * FROM OPENROWSET('SQLNCLI', 's', 'DELETE')",
        "SELECT * FROM OPENQUERY(s, 'DELETE')",
        "SELECT * FROM EXTERNAL_QUERY('c', 'DELETE')",
        "SELECT SYSTEM$CANCEL_QUERY('a')",
        "SELECT * FROM TABLE(system.query(query => 'DELETE'))",
        "SELECT utl_http.request('http://evil')",
        "SELECT dbms_lock.sleep(1) FROM dual",
        "SELECT reflect('java.lang.Runtime', 'exec')",
        "EXECUTE IMMEDIATE 'DROP TABLE t'",
        "EXPORT DATA OPTIONS(uri='gs://x') AS SELECT 1",
        "UNLOAD ('select 1') TO 's3://x'",
        "LISTEN a",
        "NOTIFY a",
        "PREPARE p AS DELETE FROM t",
        "REFRESH MATERIALIZED VIEW v",
        "LOCK TABLE t",
        "EXPLAIN (ANALYSE) SELECT 1",
        "EXPLAIN (ANALYZE false) DELETE FROM t",
        "SELECT \"COUNT\"(1)",
        "SELECT public.count(1)",
        "KILL 5",
        "RESET ALL",
        "DISCARD ALL",
        "BEGIN",
    ] {
        for language in DIALECTS {
            assert!(doubt(text, language).is_some(), "{language:?}: {text}");
        }
    }
    for text in ["SELECT * FROM \"data.parquet\"", "SELECT * FROM \"/etc/hosts\""] {
        assert!(doubt(text, Language::Sql).is_some(), "{text}");
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
        "SELECT q'[' FROM t; DROP TABLE t; -- ]'",
        "SELECT '' ''; DROP TABLE t; -- '' ''",
        "SELECT '{% do run_query(\"drop table t\") %}'",
        "SELECT '{{ run_query(\"drop table t\") }}'",
    ] {
        for language in DIALECTS {
            assert!(doubt(text, language).is_some(), "{language:?}: {text:?}");
        }
    }
}

#[test]
fn a_name_in_brackets_hides_no_statement_from_an_unknown_system() {
    for text in ["SELECT [ ' ] ; DROP TABLE t; -- ' ]", "SELECT a[ \" ] ; DROP TABLE t; -- \" ]"] {
        assert!(doubt(text, Language::Sql).is_some(), "{text}");
        assert!(doubt(text, Language::Mssql).is_some(), "{text}");
    }
    assert_eq!(doubt("SELECT tags['a'] FROM t", Language::Sql), None);
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
