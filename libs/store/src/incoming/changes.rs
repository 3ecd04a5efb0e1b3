//! What changed: rows are added and read, and deleted by their age.

use std::time::Duration;

use jiff::Timestamp;
use serde_json::{Value, json};
use sqlx::postgres::PgRow;
use sqlx::{Postgres, QueryBuilder};
use tarsy_contracts::change::{Change, GivenChanges};
use tarsy_domain::change::ChangeKind;
use tarsy_domain::id::ChangeId;
use uuid::Uuid;

use crate::access::secret;
use crate::database::cells::Cells;
use crate::database::store::Store;
use crate::encode;
use crate::error::Error;

/// How long after its last one a system that records changes counts as one.
const RECORDED_WITHIN: Duration = Duration::from_hours(24 * 14);

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NewChange {
    pub id: ChangeId,
    pub source: String,
    /// The source's own id of it; one that is known adds nothing.
    pub source_id: String,
    pub kind: ChangeKind,
    pub object: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub host: Option<String>,
    pub environment: Option<String>,
    pub author: Option<String>,
    pub link: Option<String>,
    pub text: String,
    pub occurred_at: Timestamp,
}

impl NewChange {
    fn texts(&mut self) -> [&mut Option<String>; 8] {
        [
            &mut self.object,
            &mut self.service,
            &mut self.namespace,
            &mut self.cluster,
            &mut self.host,
            &mut self.environment,
            &mut self.author,
            &mut self.link,
        ]
    }
}

/// Which changes are listed, the newest first. Names are compared without regard to case.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ChangeQuery {
    /// At that time or later.
    pub since: Option<Timestamp>,
    /// At that time or earlier.
    pub until: Option<Timestamp>,
    pub source: Option<String>,
    pub kind: Option<ChangeKind>,
    /// The object, or its name without its kind; or the service, or the host.
    pub near: Option<String>,
    pub service: Option<String>,
    pub namespace: Option<String>,
    pub cluster: Option<String>,
    pub host: Option<String>,
    pub environment: Option<String>,
    /// Those that follow this one.
    pub before: Option<ChangeId>,
    pub limit: i64,
}

/// The surroundings of an alert in which changes are looked for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangesNear {
    pub since: Timestamp,
    pub until: Timestamp,
    /// Names that the alert has, in lower case: changes of these come first if there are too many.
    pub names: Vec<String>,
    pub limit: i64,
}

macro_rules! columns {
    () => {
        "c.id, c.source, c.kind, c.object, c.service, c.namespace, c.cluster, c.host, c.environment, c.author, c.link, \
         c.text, c.occurred_at, c.received_at"
    };
}

/// The newest within a time, those first that have one of the names.
const NEAR: &str = concat!(
    "with near as (
        select ",
    columns!(),
    "
        from changes c
        where c.occurred_at between $1 and $2
        order by (array[lower(c.service), lower(c.namespace), lower(c.host), lower(c.object),
            lower(split_part(c.object, '/', 2))] && $3::text[]) desc, c.occurred_at desc, c.id desc
        limit $4
     )
     select exists (select from changes r where r.occurred_at > $2 - make_interval(secs => $5)) as are_recorded,
        n.* from (values (true)) one left join near n on true
     order by n.occurred_at, n.id"
);

fn read(row: &PgRow) -> Result<Change, Error> {
    let cells = Cells::new(row, "changes");
    Ok(Change {
        id: cells.id("id")?,
        source: cells.text("source")?,
        kind: cells.word("kind")?,
        object: cells.maybe_text("object")?,
        service: cells.maybe_text("service")?,
        namespace: cells.maybe_text("namespace")?,
        cluster: cells.maybe_text("cluster")?,
        host: cells.maybe_text("host")?,
        environment: cells.maybe_text("environment")?,
        author: cells.maybe_text("author")?,
        link: cells.maybe_text("link")?,
        text: cells.text("text")?,
        occurred_at: cells.time("occurred_at")?,
        received_at: cells.time("received_at")?,
    })
}

fn document(new: &mut NewChange) -> Value {
    new.texts().into_iter().for_each(encode::clean_maybe);
    encode::clean(&mut new.text);
    encode::clean(&mut new.source);
    json!({
        "id": new.id,
        "source": new.source,
        "source_key": secret::hex_hash(&new.source_id),
        "kind": new.kind,
        "object": new.object,
        "service": new.service,
        "namespace": new.namespace,
        "cluster": new.cluster,
        "host": new.host,
        "environment": new.environment,
        "author": new.author,
        "link": new.link,
        "text": new.text,
        "occurred_at": new.occurred_at,
    })
}

impl Store {
    /// Records changes, and returns the ids of those that were not known.
    #[tracing::instrument(name = "db.change.insert", skip_all)]
    pub async fn insert_changes(&self, mut new: Vec<NewChange>) -> Result<Vec<ChangeId>, Error> {
        let documents: Vec<Value> = new.iter_mut().map(document).collect();
        let ids: Vec<Uuid> = sqlx::query_scalar(
            "insert into changes (id, source, source_key, kind, object, service, namespace, cluster, host, environment,
                author, link, text, occurred_at)
             select r.id, r.source, r.source_key, r.kind, r.object, r.service, r.namespace, r.cluster, r.host,
                r.environment, r.author, r.link, r.text, r.occurred_at
             from unnest($1::jsonb[]) with ordinality as k (document, place),
                jsonb_to_record(k.document) as r (id uuid, source text, source_key text, kind text, object text,
                    service text, namespace text, cluster text, host text, environment text, author text, link text,
                    text text, occurred_at timestamptz)
             -- In one order, so that two requests with the same changes wait for each other.
             order by r.source, r.source_key, k.place
             on conflict (source, source_key) do nothing
             returning id",
        )
        .bind(documents)
        .fetch_all(&self.pool)
        .await?;
        Ok(ids.into_iter().map(ChangeId::from).collect())
    }

    /// Changes, the newest first.
    #[tracing::instrument(name = "db.change.list", skip_all)]
    pub async fn list_changes(&self, query: ChangeQuery) -> Result<Vec<Change>, Error> {
        let mut sql: QueryBuilder<Postgres> =
            QueryBuilder::new(concat!("select ", columns!(), " from changes c where true"));
        if let Some(since) = query.since {
            sql.push(" and c.occurred_at >= ").push_bind(jiff_sqlx::Timestamp::from(since));
        }
        if let Some(until) = query.until {
            sql.push(" and c.occurred_at <= ").push_bind(jiff_sqlx::Timestamp::from(until));
        }
        if let Some(kind) = query.kind {
            sql.push(" and c.kind = ").push_bind(kind.as_str());
        }
        for (condition, name) in [
            (" and lower(c.source) = ", &query.source),
            (" and lower(c.service) = ", &query.service),
            (" and lower(c.namespace) = ", &query.namespace),
            (" and lower(c.cluster) = ", &query.cluster),
            (" and lower(c.host) = ", &query.host),
            (" and lower(c.environment) = ", &query.environment),
        ] {
            if let Some(name) = name {
                sql.push(condition).push_bind(lowered(name));
            }
        }
        if let Some(name) = &query.near {
            sql.push(" and ").push_bind(lowered(name)).push(
                " in (lower(c.object), lower(split_part(c.object, '/', 2)), lower(c.service), lower(c.host))",
            );
        }
        if let Some(before) = query.before {
            sql.push(" and (c.occurred_at, c.id) < (select b.occurred_at, b.id from changes b where b.id = ")
                .push_bind(before.uuid())
                .push(")");
        }
        sql.push(" order by c.occurred_at desc, c.id desc limit ").push_bind(query.limit);
        sql.build().fetch_all(&self.pool).await?.iter().map(read).collect()
    }

    /// Changes around an alert, in their order, and whether there were any lately.
    #[tracing::instrument(name = "db.change.find_given", skip_all)]
    pub async fn find_given_changes(&self, near: ChangesNear) -> Result<GivenChanges, Error> {
        let rows = sqlx::query(NEAR)
            .bind(jiff_sqlx::Timestamp::from(near.since))
            .bind(jiff_sqlx::Timestamp::from(near.until))
            .bind(near.names)
            .bind(near.limit)
            .bind(RECORDED_WITHIN.as_secs_f64())
            .fetch_all(&self.pool)
            .await?;
        let mut given = GivenChanges::default();
        for row in &rows {
            let cells = Cells::new(row, "changes");
            given.are_recorded = cells.get("are_recorded")?;
            if cells.get::<Option<Uuid>>("id")?.is_some() {
                given.near.push(read(row)?);
            }
        }
        Ok(given)
    }
}

fn lowered(name: &str) -> String {
    name.replace('\0', "\u{fffd}").to_lowercase()
}
