//! What depends on what: rows of each source, which are followed from names in both directions.

use std::collections::BTreeSet;

use jiff::Timestamp;
use serde_json::{Value, json};
use sqlx::postgres::PgRow;
use tarsy_contracts::dependency::{Dependencies, Dependency};
use tarsy_domain::dependency::{Relation, bare_object};

use crate::access::secret;
use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewDependency {
    /// What depends.
    pub from: String,
    pub relation: Relation,
    /// What it depends on.
    pub to: String,
    pub namespace: Option<String>,
    /// Of what it depends on, if it is another one.
    pub to_namespace: Option<String>,
    pub cluster: Option<String>,
    pub environment: Option<String>,
    pub team: Option<String>,
}

/// What becomes of the rows of a source that it does not report again.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unreported {
    /// They are deleted: what is reported is all that there is.
    Delete,
    /// They stay until they are old.
    Keep,
}

/// What is looked for. Names are compared without regard to case, and without the kind before a `/`.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct DependencyQuery {
    pub names: Vec<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub environment: Option<String>,
    /// How many dependencies are followed from a name.
    pub depth: usize,
    /// The most in each direction.
    pub limit: usize,
}

#[derive(Clone, Copy)]
enum Direction {
    /// From what depends to what it depends on.
    Down,
    Up,
}

/// A name, with its namespace if that is known.
type Node = (String, Option<String>);

impl Store {
    /// Keeps the dependencies of a source. Those with a time are deleted when it is old.
    #[tracing::instrument(name = "db.dependency.record", skip_all)]
    pub async fn record_dependencies(
        &self,
        source: &str,
        new: Vec<NewDependency>,
        unreported: Unreported,
        seen_at: Option<Timestamp>,
    ) -> Result<u64, Error> {
        let documents: Vec<Value> = new.into_iter().map(document).collect();
        let done = sqlx::query(
            "with given as (
                -- In one order, so that two requests with the same rows wait for each other.
                select distinct on (r.key) r.* from unnest($2::jsonb[]) k (document), jsonb_to_record(k.document) as r (
                    key text, relation text, from_object text, to_object text, namespace text, to_namespace text,
                    cluster text, environment text, team text)
                order by r.key
             ), gone as (
                delete from dependencies d where $3 and d.source = $1 and d.key not in (select key from given)
             )
             insert into dependencies (source, key, relation, from_object, to_object, namespace, to_namespace, cluster,
                environment, team, last_seen_at)
             select $1, g.key, g.relation, g.from_object, g.to_object, g.namespace, g.to_namespace, g.cluster, g.environment,
                g.team, $4 from given g
             on conflict (source, key) do update set team = excluded.team, last_seen_at = excluded.last_seen_at",
        )
        .bind(source)
        .bind(documents)
        .bind(unreported == Unreported::Delete)
        .bind(seen_at.map(jiff_sqlx::Timestamp::from))
        .execute(&self.pool)
        .await?;
        Ok(done.rows_affected())
    }

    /// Whether any dependency is known.
    #[tracing::instrument(name = "db.dependency.exist", skip_all)]
    pub async fn has_dependencies(&self) -> Result<bool, Error> {
        Ok(sqlx::query_scalar("select exists (select from dependencies)")
            .fetch_one(&self.pool)
            .await?)
    }

    /// What the named objects depend on, and what depends on them, the nearest first.
    #[tracing::instrument(name = "db.dependency.find", skip_all)]
    pub async fn find_dependencies(&self, query: &DependencyQuery) -> Result<Dependencies, Error> {
        let mut connection = self.pool.acquire().await?;
        Ok(Dependencies {
            depends_on: follow(&mut connection, query, Direction::Down).await?,
            used_by: follow(&mut connection, query, Direction::Up).await?,
        })
    }
}

fn document(mut new: NewDependency) -> Value {
    let texts = [
        &mut new.namespace,
        &mut new.to_namespace,
        &mut new.cluster,
        &mut new.environment,
        &mut new.team,
    ];
    texts.into_iter().for_each(encode::clean_maybe);
    encode::clean(&mut new.from);
    encode::clean(&mut new.to);
    let NewDependency { from, relation, to, namespace, to_namespace, cluster, environment, team } =
        new;
    let names = json!([from, relation, to, namespace, to_namespace, cluster, environment]);
    json!({
        "key": secret::hex_hash(&names.to_string()),
        "relation": relation,
        "from_object": from,
        "to_object": to,
        "namespace": namespace,
        "to_namespace": to_namespace,
        "cluster": cluster,
        "environment": environment,
        "team": team,
    })
}

async fn follow(
    connection: &mut Connection,
    query: &DependencyQuery,
    direction: Direction,
) -> Result<Vec<Dependency>, Error> {
    let start =
        |name: &String| (bare_object(name), query.namespace.as_deref().map(str::to_lowercase));
    let mut frontier: BTreeSet<Node> = query.names.iter().map(start).collect();
    let mut seen = frontier.clone();
    let mut found: Vec<Dependency> = Vec::new();
    for _ in 0..query.depth {
        if frontier.is_empty() || found.len() >= query.limit {
            break;
        }
        let names: Vec<String> = frontier.iter().map(|(name, _)| name.clone()).collect();
        let mut next = BTreeSet::new();
        for one in fetch(connection, query, direction, names).await? {
            let (near, far) = ends(&one, direction);
            if found.len() < query.limit && !found.contains(&one) && is_in(&frontier, &near) {
                if seen.insert(far.clone()) {
                    next.insert(far);
                }
                found.push(one);
            }
        }
        frontier = next;
    }
    Ok(found)
}

/// Whether an object is one of these; one whose namespace nobody knows may be in any.
fn is_in(nodes: &BTreeSet<Node>, (name, namespace): &Node) -> bool {
    nodes.iter().any(|(known, of)| {
        known == name && (of.is_none() || namespace.is_none() || of == namespace)
    })
}

/// The end that is come from, and the other one.
fn ends(one: &Dependency, direction: Direction) -> (Node, Node) {
    let lower = |text: &Option<String>| text.as_deref().map(str::to_lowercase);
    let from = (bare_object(&one.from), lower(&one.namespace));
    let to = (bare_object(&one.to), lower(&one.to_namespace).or_else(|| lower(&one.namespace)));
    match direction {
        Direction::Down => (from, to),
        Direction::Up => (to, from),
    }
}

/// The columns of a [`Dependency`].
macro_rules! select {
    ($name:literal) => {
        concat!(
            "select source, relation, from_object, to_object, namespace, to_namespace, cluster, environment, team, last_seen_at
             from dependencies where ",
            $name,
            " = any($1) and (cluster is null or $2::text is null or lower(cluster) = $2)
                and (environment is null or $3::text is null or lower(environment) = $3)
             order by from_name, to_name, relation, source, key limit $4"
        )
    };
}

async fn fetch(
    connection: &mut Connection,
    query: &DependencyQuery,
    direction: Direction,
    names: Vec<String>,
) -> Result<Vec<Dependency>, Error> {
    /// Rows of other namespaces are left out afterwards.
    const TIMES: usize = 4;
    let sql = match direction {
        Direction::Down => select!("from_name"),
        Direction::Up => select!("to_name"),
    };
    let lower = |text: &Option<String>| text.as_deref().map(str::to_lowercase);
    let rows = sqlx::query(sql)
        .bind(names)
        .bind(lower(&query.cluster))
        .bind(lower(&query.environment))
        .bind(i64::try_from(query.limit * TIMES).unwrap_or(i64::MAX))
        .fetch_all(connection)
        .await?;
    rows.iter().map(read).collect()
}

fn read(row: &PgRow) -> Result<Dependency, Error> {
    let cells = Cells::new(row, "dependencies");
    Ok(Dependency {
        source: cells.text("source")?,
        from: cells.text("from_object")?,
        relation: cells.word("relation")?,
        to: cells.text("to_object")?,
        namespace: cells.maybe_text("namespace")?,
        to_namespace: cells.maybe_text("to_namespace")?,
        cluster: cells.maybe_text("cluster")?,
        environment: cells.maybe_text("environment")?,
        team: cells.maybe_text("team")?,
        last_seen_at: cells.maybe_time("last_seen_at")?,
    })
}
