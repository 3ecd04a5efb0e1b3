//! What each role may do, and what it may not, with logins of their own.

use sqlx::{AssertSqlSafe, Connection as _, PgConnection};
use tarsy_store::{DatabaseRole, Grant, ROLES, Store};
use tarsy_testkit::TestPg;

const PASSWORD: &str = "0123456789abcdef";
const DENIED: &str = "42501";

/// A migrated database where every role may log in.
async fn database() -> TestPg {
    let pg = TestPg::dedicated().await.unwrap();
    let store = Store::connect(pg.url(), 2).await.unwrap();
    store.migrate().await.unwrap();
    assert!(!store.grant_roles().await.unwrap(), "the roles do not exist yet");
    store.create_roles().await.unwrap();
    // A second time changes nothing.
    store.create_roles().await.unwrap();
    assert!(store.grant_roles().await.unwrap());
    let mut owner = PgConnection::connect(pg.url()).await.unwrap();
    for role in ROLES {
        let login = format!("alter role {} login password '{PASSWORD}'", role.name);
        sqlx::raw_sql(AssertSqlSafe(login)).execute(&mut owner).await.unwrap();
    }
    pg
}

async fn login(pg: &mut TestPg, role: &DatabaseRole) -> PgConnection {
    let url = pg.server().unwrap().url_of(role.name, PASSWORD, "postgres");
    PgConnection::connect(&url).await.unwrap()
}

/// Whether the server runs a statement; one that fails for another reason than its permissions counts.
async fn may(connection: &mut PgConnection, statement: &str) -> bool {
    let result = sqlx::raw_sql(AssertSqlSafe(statement.to_owned())).execute(connection).await;
    let code = result.err().and_then(|error| {
        error.as_database_error().and_then(|error| error.code().map(std::borrow::Cow::into_owned))
    });
    code.as_deref() != Some(DENIED)
}

fn is_granted(role: &DatabaseRole, privilege: &str, table: &str) -> bool {
    role.grants.iter().any(|grant| match grant {
        Grant::Tables(privileges, tables) => {
            privileges.split(", ").any(|one| one == privilege) && tables.contains(&table)
        }
        Grant::Function(_) => false,
    }) || (privilege == "select" && table == "_sqlx_migrations")
}

#[tokio::test]
async fn each_role_runs_the_statements_that_are_granted_and_no_others() {
    let mut pg = database().await;
    let mut owner = PgConnection::connect(pg.url()).await.unwrap();
    let tables: Vec<(String, String, bool)> = sqlx::query_as(
        "select t.table_name::text, c.column_name::text, t.table_type = 'VIEW'
         from information_schema.columns c join information_schema.tables t using (table_schema, table_name)
         where table_schema = 'public' and ordinal_position = 1 order by 1",
    )
    .fetch_all(&mut owner)
    .await
    .unwrap();
    assert!(tables.len() > 20, "{tables:?}");
    for role in ROLES {
        let mut connection = login(&mut pg, &role).await;
        for (table, column, is_view) in &tables {
            // Nobody can write into a view that joins tables.
            let tried = if *is_view { 1 } else { 5 };
            let statements = [
                ("select", format!("select * from {table} limit 0")),
                ("insert", format!("insert into {table} ({column}) select null where false")),
                ("update", format!("update {table} set {column} = null where false")),
                ("delete", format!("delete from {table} where false")),
                ("truncate", format!("truncate {table}")),
            ];
            for (privilege, statement) in statements.into_iter().take(tried) {
                let expected = is_granted(&role, privilege, table);
                assert_eq!(
                    may(&mut connection, &statement).await,
                    expected,
                    "{} {statement}",
                    role.name
                );
            }
        }
    }
}

#[tokio::test]
async fn no_role_changes_the_schema_or_becomes_another_or_reaches_the_machine() {
    let mut pg = database().await;
    for role in ROLES {
        let mut connection = login(&mut pg, &role).await;
        let mut attacks: Vec<String> = [
            "create table mine ()",
            "create function mine() returns integer language sql as 'select 1'",
            "create schema mine",
            "drop table events",
            "alter table audit_log disable trigger audit_log_no_update",
            "alter table audit_log owner to current_user",
            "create role mine superuser",
            "alter role current_user superuser",
            "set role postgres",
            "set session_replication_role = replica",
            "copy audit_log from program 'true'",
            "copy (select 1) to '/tmp/mine'",
            "select pg_read_file('/etc/passwd')",
            "select rolpassword from pg_authid",
        ]
        .map(str::to_owned)
        .to_vec();
        let others = ROLES.iter().filter(|other| other.name != role.name);
        attacks.extend(others.map(|other| format!("set role {}", other.name)));
        for attack in attacks {
            assert!(!may(&mut connection, &attack).await, "{} {attack}", role.name);
        }
    }
}

#[tokio::test]
async fn secrets_of_people_are_read_by_the_api_gateway_alone() {
    let mut pg = database().await;
    for role in ROLES.iter().filter(|role| role.service != "api-gateway") {
        let mut connection = login(&mut pg, role).await;
        for statement in [
            "select cookie_hash from sign_ins",
            "select user_name from sign_ins",
            "select * from audit_log",
            "update sign_ins set ended_at = null",
        ] {
            assert!(!may(&mut connection, statement).await, "{} {statement}", role.name);
        }
        if role.service != "cli" {
            assert!(
                !may(&mut connection, "select token_hash from api_tokens").await,
                "{}",
                role.name
            );
        }
        if role.service != "mcp-gateway" {
            assert!(!may(&mut connection, "select * from mcp_oauth_tokens").await, "{}", role.name);
        }
    }
}

#[tokio::test]
async fn alerts_and_conversations_are_read_by_those_who_work_on_them() {
    let mut pg = database().await;
    for role in ROLES {
        let mut connection = login(&mut pg, &role).await;
        let works = ["api-gateway", "orchestrator", "summarizer"].contains(&role.service);
        for statement in [
            "select alert_data from alert_sessions",
            "select runbook from alert_sessions",
            "select * from messages",
            "select * from tool_results",
            "select * from llm_interactions",
        ] {
            assert_eq!(may(&mut connection, statement).await, works, "{} {statement}", role.name);
        }
    }
}

#[tokio::test]
async fn the_audit_log_loses_nothing_that_is_younger_than_its_owner_set() {
    let mut pg = database().await;
    let mut owner = PgConnection::connect(pg.url()).await.unwrap();
    sqlx::raw_sql(
        "insert into audit_log (id, created_at, principal, credential, action, outcome, status) values
            (gen_random_uuid(), now() - interval '91 days', 'p', 'c', 'old', 'allowed', 200),
            (gen_random_uuid(), now() - interval '89 days', 'p', 'c', 'new', 'allowed', 200)",
    )
    .execute(&mut owner)
    .await
    .unwrap();
    let store = Store::connect(pg.url(), 1).await.unwrap();
    store.set_audit_retention(90).await.unwrap();
    for role in ROLES {
        let mut connection = login(&mut pg, &role).await;
        for attack in [
            "delete from audit_log",
            "update audit_log set principal = 'another'",
            "truncate audit_log",
            "update audit_retention set days = 1",
            "delete from audit_retention",
        ] {
            assert!(!may(&mut connection, attack).await, "{} {attack}", role.name);
        }
        // A table of the caller does not replace the owner's.
        let stand_in = "create temporary table audit_retention as select 1 as days";
        assert!(may(&mut connection, stand_in).await, "{}", role.name);
        let retention = "select delete_old_audit_entries(-5, 1000)";
        let allowed = role.service == "orchestrator";
        assert_eq!(may(&mut connection, retention).await, allowed, "{}", role.name);
    }
    let left: Vec<String> =
        sqlx::query_scalar("select action from audit_log").fetch_all(&mut owner).await.unwrap();
    assert_eq!(left, ["new"]);
}
