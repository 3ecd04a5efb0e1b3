//! What an alert is about, in the columns of its session.

use serde_json::{Value, json};
use sqlx::postgres::{PgArguments, Postgres};
use sqlx::query::Query;
use tarsy_contracts::alert::AlertFields;

use crate::database::cells::Cells;
use crate::encode;
use crate::error::Error;

pub(crate) fn read(cells: &Cells<'_>) -> Result<AlertFields, Error> {
    Ok(AlertFields {
        title: cells.maybe_text("title")?,
        severity: cells.maybe_text("severity")?,
        service: cells.maybe_text("service")?,
        namespace: cells.maybe_text("namespace")?,
        cluster: cells.maybe_text("cluster")?,
        links: cells.maybe_decoded("links")?.unwrap_or_default(),
        labels: cells.maybe_decoded("labels")?.unwrap_or_default(),
        fingerprint: cells.maybe_text("fingerprint")?,
    })
}

/// Takes out what PostgreSQL has no place for.
pub(crate) fn clean(fields: &mut AlertFields) {
    for text in [
        &mut fields.title,
        &mut fields.severity,
        &mut fields.service,
        &mut fields.namespace,
        &mut fields.cluster,
        &mut fields.fingerprint,
    ] {
        encode::clean_maybe(text);
    }
    for link in &mut fields.links {
        encode::clean(&mut link.title);
        encode::clean(&mut link.url);
    }
    fields.labels = std::mem::take(&mut fields.labels)
        .into_iter()
        .map(|(mut name, mut value)| {
            encode::clean(&mut name);
            encode::clean(&mut value);
            (name, value)
        })
        .collect();
}

/// Binds title, severity, service, namespace, cluster, links, labels and fingerprint: that of the alert's Slack message if
/// it has no other.
pub(crate) fn bind<'q>(
    query: Query<'q, Postgres, PgArguments>,
    fields: &'q AlertFields,
    of_message: Option<&'q String>,
) -> Query<'q, Postgres, PgArguments> {
    let links = (!fields.links.is_empty()).then(|| json!(fields.links));
    let labels: Option<Value> = (!fields.labels.is_empty()).then(|| json!(fields.labels));
    query
        .bind(&fields.title)
        .bind(&fields.severity)
        .bind(&fields.service)
        .bind(&fields.namespace)
        .bind(&fields.cluster)
        .bind(links)
        .bind(labels)
        .bind(fields.fingerprint.as_ref().or(of_message))
}
