//! Scores as the API shows them.

use sqlx::postgres::PgRow;
use tarsy_contracts::score::{MissingTool, Score, ScoreChecksView};
use tarsy_domain::id::SessionId;
use tarsy_domain::score::{Part, ScoreChecks};

use crate::database::cells::Cells;
use crate::database::pool::Connection;
use crate::database::store::Store;
use crate::error::Error;

/// Scores of a session, the last first; `$2` at most.
const OF_SESSION: &str = "
    select p.id, p.number, p.status, p.score, p.model_score, p.analysis, p.failure_tags, p.failure, p.tools_failure,
        p.requested_by, p.provider, p.model_name, p.prompt_version, p.claims, p.unbacked_claims, p.calls, p.failed_calls,
        p.repeated_calls, p.budget_used_up, p.looked, p.checks_score, p.llm_calls, p.input_tokens, p.output_tokens,
        p.total_tokens, p.cost_micro_usd, p.created_at, p.finished_at,
        array(select t.name from score_tools t where t.score_id = p.id order by t.ordinal) as tools,
        array(select t.why from score_tools t where t.score_id = p.id order by t.ordinal) as reasons
    from scores p where p.session_id = $1 order by p.number desc limit $2";

impl Store {
    /// The scores of a session, the last first; none if there is no such session.
    #[tracing::instrument(name = "db.score.list", skip_all)]
    pub async fn list_scores(&self, session: SessionId) -> Result<Option<Vec<Score>>, Error> {
        let mut connection = self.pool.acquire().await?;
        let most = i64::from(super::request::MAX_SCORES);
        let scores = of_session(&mut connection, session, most).await?;
        if scores.is_empty() && self.find_session_status(session).await?.is_none() {
            return Ok(None);
        }
        Ok(Some(scores))
    }
}

/// The last score of a session, which may be under way.
pub(crate) async fn last(
    connection: &mut Connection,
    session: SessionId,
) -> Result<Option<Score>, Error> {
    Ok(of_session(connection, session, 1).await?.pop())
}

async fn of_session(
    connection: &mut Connection,
    session: SessionId,
    most: i64,
) -> Result<Vec<Score>, Error> {
    let rows =
        sqlx::query(OF_SESSION).bind(session.uuid()).bind(most).fetch_all(connection).await?;
    rows.iter().map(score).collect()
}

fn score(row: &PgRow) -> Result<Score, Error> {
    let cells = Cells::new(row, "scores");
    let (names, reasons): (Vec<String>, Vec<String>) = (cells.get("tools")?, cells.get("reasons")?);
    let tools = names.into_iter().zip(reasons);
    Ok(Score {
        id: cells.id("id")?,
        number: cells.get("number")?,
        status: cells.word("status")?,
        score: cells.get("score")?,
        model_score: cells.get("model_score")?,
        analysis: cells.maybe_text("analysis")?,
        failure_tags: cells.words("failure_tags")?,
        checks: checks_view(&cells)?,
        missing_tools: tools.map(|(name, why)| MissingTool { name, why }).collect(),
        failure: cells.maybe_word("failure")?,
        tools_failure: cells.maybe_word("tools_failure")?,
        requested_by: cells.maybe_text("requested_by")?,
        provider: cells.maybe_text("provider")?,
        model: cells.maybe_text("model_name")?,
        prompt_version: cells.maybe_text("prompt_version")?,
        llm_calls: cells.get("llm_calls")?,
        input_tokens: cells.get("input_tokens")?,
        output_tokens: cells.get("output_tokens")?,
        total_tokens: cells.get("total_tokens")?,
        cost_micro_usd: cells.get("cost_micro_usd")?,
        created_at: cells.time("created_at")?,
        finished_at: cells.maybe_time("finished_at")?,
    })
}

fn checks_view(cells: &Cells<'_>) -> Result<Option<ScoreChecksView>, Error> {
    let Some(score) = cells.get::<Option<i16>>("checks_score")? else { return Ok(None) };
    Ok(Some(ScoreChecksView {
        score,
        claims: cells.get("claims")?,
        unbacked_claims: cells.get("unbacked_claims")?,
        calls: cells.get("calls")?,
        failed_calls: cells.get("failed_calls")?,
        repeated_calls: cells.get("repeated_calls")?,
        budget_used_up: cells.get("budget_used_up")?,
        looked: cells.get("looked")?,
    }))
}

/// What was counted when the score began.
pub(super) fn checks(row: &PgRow) -> Result<ScoreChecks, Error> {
    let cells = Cells::new(row, "scores");
    let count = |column: &str| -> Result<u32, Error> {
        Ok(u32::try_from(cells.get::<i32>(column)?).unwrap_or_default())
    };
    let made = count("calls")?;
    Ok(ScoreChecks {
        claims: Part { count: count("unbacked_claims")?, of: count("claims")? },
        failed: Part { count: count("failed_calls")?, of: made },
        repeated: Part { count: count("repeated_calls")?, of: made },
        budget_used_up: cells.get("budget_used_up")?,
        looked: cells.get("looked")?,
    })
}
