//! The charts of verdicts.

use jiff::Timestamp;
use sqlx::postgres::PgRow;
use tarsy_domain::id::VerdictId;
use tarsy_domain::verdict::{Chart, ChartChange, ChartPoint};

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::error::Error;
use crate::record::batch::statement::Statement;

/// A part for each chart: there are few, and lists of different lengths make no column.
pub(crate) fn store(statement: &mut Statement, id: VerdictId, charts: &[Chart]) {
    for (ordinal, chart) in (1_i32..).zip(charts) {
        let times: Vec<i64> = chart.points.iter().map(|point| point.at.as_millisecond()).collect();
        let values: Vec<f64> = chart.points.iter().map(|point| point.value).collect();
        statement
            .part(
                "insert into verdict_charts
                    (verdict_id, ordinal, call_number, metric, object, unit, times, measured, changed_at, level_before, level_after)
                 select $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12 from fence
                 returning 1",
            )
            .bind(id.uuid())
            .bind(ordinal)
            .bind(i64::from(chart.call))
            .bind(&chart.metric)
            .bind(&chart.object)
            .bind(&chart.unit)
            .bind(times)
            .bind(values)
            .bind(chart.change.map(|change| jiff_sqlx::Timestamp::from(change.at)))
            .bind(chart.change.map(|change| change.before))
            .bind(chart.change.map(|change| change.after));
    }
}

pub(super) async fn list(connection: &mut Connection, id: VerdictId) -> Result<Vec<Chart>, Error> {
    sqlx::query(
        "select call_number, metric, object, unit, times, measured, changed_at, level_before, level_after
         from verdict_charts where verdict_id = $1 order by ordinal",
    )
    .bind(id.uuid())
    .fetch_all(connection)
    .await?
    .iter()
    .map(chart)
    .collect()
}

fn chart(row: &PgRow) -> Result<Chart, Error> {
    let cells = Cells::new(row, "verdict_charts");
    let inconsistent = || Error::Inconsistent { table: "verdict_charts" };
    let (times, values): (Vec<i64>, Vec<f64>) = (cells.get("times")?, cells.get("measured")?);
    let point = |(time, value)| {
        Timestamp::from_millisecond(time)
            .map(|at| ChartPoint { at, value })
            .map_err(|_| inconsistent())
    };
    let levels = cells.get::<Option<f64>>("level_before")?.zip(cells.get("level_after")?);
    let change = cells.maybe_time("changed_at")?.zip(levels);
    Ok(Chart {
        call: u32::try_from(cells.get::<i64>("call_number")?).map_err(|_| inconsistent())?,
        metric: cells.text("metric")?,
        object: cells.text("object")?,
        unit: cells.text("unit")?,
        points: times.into_iter().zip(values).map(point).collect::<Result<_, _>>()?,
        change: change.map(|(at, (before, after))| ChartChange { at, before, after }),
    })
}
