//! Scores of some days, and beside reviews.

use jiff::civil::Date;
use sqlx::Row as _;
use sqlx::postgres::PgRow;
use tarsy_contracts::score::{ScoreAgreement, ScoreDay, ScoreGroup, ScoreOverview};
use tarsy_domain::review::Review;
use tarsy_domain::score::{Agreement, FEWEST_SESSIONS, ScoreDimension, as_review};

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// Names of each dimension, those with the most sessions.
const MOST_NAMES: i64 = 10;
/// Sessions whose scores are compared with reviews, the newest: some milliseconds of one index.
const MOST_COMPARED: i64 = 5_000;

/// The days on which sessions were submitted, the last one included.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScoreDays {
    pub from: Date,
    pub to: Date,
}

impl Store {
    /// The scores of the sessions of some days, which end on or after their first one.
    #[tracing::instrument(name = "db.score.overview", skip_all)]
    pub async fn find_score_overview(&self, days: ScoreDays) -> Result<ScoreOverview, Error> {
        let mut connection = self.pool.acquire().await?;
        Ok(ScoreOverview {
            from: days.from,
            to: days.to,
            groups: groups(&mut connection, days).await?,
            agreement: agreement(&mut connection, days).await?,
        })
    }
}

async fn groups(connection: &mut Connection, days: ScoreDays) -> Result<Vec<ScoreGroup>, Error> {
    let rows = sqlx::query(
        "with named as (
            select dimension, name, sum(sessions)::bigint as sessions, sum(low)::bigint as low,
                round(sum(total) / sum(sessions))::bigint as mean,
                row_number() over (partition by dimension order by sum(sessions) desc, name) as place
            from score_days where day between $1::text::date and $2::text::date
            group by dimension, name having sum(sessions) > 0
         )
         select n.dimension, n.name, n.sessions, n.low, n.mean, d.day::text as day, d.sessions as day_sessions,
            round(d.total::numeric / d.sessions)::bigint as day_mean
         from named n join score_days d on d.dimension = n.dimension and d.name = n.name
            and d.day between $1::text::date and $2::text::date and d.sessions > 0
         where n.place <= $3
         order by array_position(array['all', 'chain', 'agent', 'provider'], n.dimension), n.place, d.day",
    )
    .bind(days.from.to_string())
    .bind(days.to.to_string())
    .bind(MOST_NAMES)
    .fetch_all(connection)
    .await?;
    let mut groups: Vec<ScoreGroup> = Vec::new();
    for row in &rows {
        let (dimension, name, day) = day(row)?;
        match groups.last_mut().filter(|one| one.dimension == dimension && one.name == name) {
            Some(group) => group.days.push(day),
            None => groups.push(group(row, dimension, name, day)?),
        }
    }
    Ok(groups)
}

fn day(row: &PgRow) -> Result<(ScoreDimension, String, ScoreDay), Error> {
    let cells = Cells::new(row, "score_days");
    let day = ScoreDay {
        day: cells.word("day")?,
        sessions: cells.get("day_sessions")?,
        mean: cells.get("day_mean")?,
    };
    Ok((cells.word("dimension")?, cells.text("name")?, day))
}

fn group(
    row: &PgRow,
    dimension: ScoreDimension,
    name: String,
    day: ScoreDay,
) -> Result<ScoreGroup, Error> {
    let cells = Cells::new(row, "score_days");
    let (sessions, mean, low) = (cells.get("sessions")?, cells.get("mean")?, cells.get("low")?);
    Ok(ScoreGroup { dimension, name, sessions, mean, low, days: vec![day] })
}

async fn agreement(connection: &mut Connection, days: ScoreDays) -> Result<ScoreAgreement, Error> {
    let rows = sqlx::query(
        "select n.score, v.review, count(*) as sessions
         from (
            select s.score, s.review_id from alert_sessions s
            where s.score is not null and s.review_id is not null and s.deleted_at is null
                and s.created_at >= $1::text::date::timestamp at time zone 'utc'
                and s.created_at < ($2::text::date + 1)::timestamp at time zone 'utc'
            order by s.created_at desc limit $3
         ) n join session_reviews v on v.id = n.review_id
         group by 1, 2",
    )
    .bind(days.from.to_string())
    .bind(days.to.to_string())
    .bind(MOST_COMPARED)
    .fetch_all(connection)
    .await?;
    let mut agreement = Agreement::default();
    for row in &rows {
        let score = u8::try_from(row.try_get::<i16, _>("score")?).unwrap_or_default();
        let review: Review = Cells::new(row, "session_reviews").word("review")?;
        let sessions = u32::try_from(row.try_get::<i64, _>("sessions")?).unwrap_or(u32::MAX);
        agreement.add(as_review(score), review, sessions);
    }
    Ok(ScoreAgreement {
        sessions: agreement.sessions(),
        agreeing: agreement.agreeing(),
        kappa: agreement.kappa(),
        needed: FEWEST_SESSIONS,
    })
}
