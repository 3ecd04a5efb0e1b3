//! Scores: asked for by the end of a session or by a person, made under a lease of their own, and kept.

use jiff::civil::date;
use serde_json::json;
use tarsy_contracts::score::MissingTool;
use tarsy_domain::id::SessionId;
use tarsy_domain::review::Review;
use tarsy_domain::score::{Part, ScoreChecks, ScoreDimension, ScoreFailure, ScoreStatus};
use tarsy_domain::status::SessionStatus;
use tarsy_store::{
    Error, MAX_SCORES, NewReview, NewScore, NewSession, ReviewOutcome, ScoreClaim, ScoreDays,
    ScoreEnd, ScoreRequest, SessionQuery, SortBy,
};
use tarsy_testkit::{a_judgement, a_score_call, answer_score, begin_score};

use crate::setup::{Db, LEASE, alert, db, end, payload};

/// A session that ended so, of a chain that wants scores.
async fn ended(db: &Db, status: SessionStatus) -> SessionId {
    let snapshot = json!({"stages": [], "scoring": {"agent": "ScoringAgent"}});
    let id = db.create(NewSession { config_snapshot: snapshot, ..alert() }).await;
    let fence = db.claim().await.unwrap().fence;
    db.store.finish_session(fence, end(status)).await.unwrap();
    id
}

async fn request(db: &Db, session_id: SessionId) -> ScoreRequest {
    let judge = json!({"agent": "Other"});
    let new = NewScore { session_id, judge, requested_by: "rosa".to_owned() };
    db.store.request_score(new).await.unwrap()
}

async fn claim(db: &Db) -> Option<ScoreClaim> {
    db.store.claim_score("judge-1", LEASE).await.unwrap()
}

async fn lose(db: &Db) {
    sqlx::query("update scores set lease_expires_at = now() - interval '1 second' where status = 'in_progress'")
        .execute(&db.raw)
        .await
        .unwrap();
}

fn completed() -> ScoreEnd {
    ScoreEnd::Completed(Ok(Vec::new()))
}

#[tokio::test]
async fn a_session_that_completed_is_scored_if_its_chain_is_set_so() {
    let db = db().await;
    for status in [SessionStatus::Failed, SessionStatus::TimedOut] {
        ended(&db, status).await;
    }
    let plain = db.claimed().await;
    db.store.finish_session(plain.fence, end(SessionStatus::Completed)).await.unwrap();
    assert!(claim(&db).await.is_none(), "nobody asked");
    let id = ended(&db, SessionStatus::Completed).await;
    let claimed = claim(&db).await.unwrap();
    assert_eq!((claimed.session.id, claimed.attempts), (id, 1));
    assert_eq!(claimed.judge, json!({"agent": "ScoringAgent"}));
    assert!(claimed.judgement.is_none() && claim(&db).await.is_none());
    let shown = db.store.list_scores(id).await.unwrap().unwrap();
    assert_eq!((shown[0].status, &shown[0].requested_by), (ScoreStatus::InProgress, &None));
}

#[tokio::test]
async fn an_answer_survives_its_owner_and_is_not_asked_for_again() {
    let db = db().await;
    let id = ended(&db, SessionStatus::Completed).await;
    let first = begin_score(&db.store).await.unwrap();
    let judged = db.store.judge_score(first.fence, a_judgement(72), a_score_call()).await.unwrap();
    assert_eq!(judged[0].kind, "interaction.created");
    assert!(db.store.is_judged(first.fence).await.unwrap());
    lose(&db).await;
    let second = claim(&db).await.unwrap();
    assert_eq!((second.judgement, second.attempts), (Some(a_judgement(72)), 2));
    // The first owner is not dead: nothing that it writes counts.
    let late = db.store.judge_score(first.fence, a_judgement(1), a_score_call()).await;
    assert!(matches!(late, Err(Error::Fenced { session }) if session == id), "{late:?}");
    let late = db.store.finish_score(first.fence, completed(), Some(a_score_call())).await;
    assert!(matches!(late, Err(Error::Fenced { .. })), "{late:?}");
    assert!(db.store.renew_score(first.fence, LEASE).await.unwrap_err().is_fenced());
    db.store.renew_score(second.fence, LEASE).await.unwrap();
    let tool = MissingTool { name: "traces".to_owned(), why: "they show the slow hop".to_owned() };
    let end = ScoreEnd::Completed(Ok(vec![tool.clone()]));
    let events = db.store.finish_score(second.fence, end, Some(a_score_call())).await.unwrap();
    let last = payload(events.last().unwrap());
    assert_eq!(
        (&last["type"], &last["status"], &last["score"]),
        (&json!("session.score"), &json!("completed"), &json!(20))
    );
    let shown = db.store.find_session_detail(id).await.unwrap().unwrap();
    let score = shown.scoring.unwrap();
    assert_eq!((score.model_score, score.score, shown.item.score), (Some(72), Some(20), Some(20)));
    assert_eq!((score.missing_tools, score.llm_calls), (vec![tool], 2));
    assert_eq!((score.total_tokens, score.cost_micro_usd), (240, 60));
    // What judges is no part of what the investigation used.
    assert_eq!((shown.budget.llm_calls.used, shown.budget.tokens.used), (0, 0));
    assert_eq!(shown.item.total_tokens, 240);
}

#[tokio::test]
async fn a_score_that_is_given_back_costs_no_attempt() {
    let db = db().await;
    ended(&db, SessionStatus::Completed).await;
    let first = claim(&db).await.unwrap();
    db.store.release_score(first.fence).await.unwrap();
    let again = claim(&db).await.unwrap();
    assert_eq!(again.attempts, 1);
    db.store.add_score_usage(again.fence, a_score_call()).await.unwrap();
    db.store
        .finish_score(again.fence, ScoreEnd::Failed(ScoreFailure::Invalid), None)
        .await
        .unwrap();
    let shown = db.store.list_scores(again.session.id).await.unwrap().unwrap().remove(0);
    assert_eq!((shown.status, shown.score), (ScoreStatus::Failed, None));
    assert_eq!((shown.failure, shown.llm_calls), (Some(ScoreFailure::Invalid), 1));
}

#[tokio::test]
async fn scores_are_asked_for_one_after_the_other_kept_and_bounded() {
    let db = db().await;
    let id = ended(&db, SessionStatus::Failed).await;
    assert!(matches!(request(&db, id).await, ScoreRequest::Added { .. }));
    assert_eq!(request(&db, id).await, ScoreRequest::Running);
    answer_score(&db.store, 10, completed()).await.unwrap();
    assert!(matches!(request(&db, id).await, ScoreRequest::Added { .. }));
    answer_score(&db.store, 0, ScoreEnd::Failed(ScoreFailure::Failed)).await.unwrap();
    let shown = db.store.list_scores(id).await.unwrap().unwrap();
    assert_eq!(shown.iter().map(|one| one.number).collect::<Vec<_>>(), [2, 1]);
    // One that failed does not take the place of one that has a number.
    let listed = db.store.find_session_detail(id).await.unwrap().unwrap().item;
    assert_eq!(listed.score, Some(10));
    sqlx::query("update scores set number = $1 where number = 2")
        .bind(MAX_SCORES)
        .execute(&db.raw)
        .await
        .unwrap();
    assert_eq!(request(&db, id).await, ScoreRequest::TooMany);
    let running = db.claimed().await.session.id;
    let refused = request(&db, running).await;
    assert_eq!(refused, ScoreRequest::NotEnded(SessionStatus::InProgress));
    assert_eq!(request(&db, SessionId::new()).await, ScoreRequest::NotFound);
    assert_eq!(db.store.list_scores(SessionId::new()).await.unwrap(), None);
}

#[tokio::test]
async fn code_counts_what_the_record_has_without_the_questions_about_it() {
    let db = db().await;
    let work = db.working().await;
    let (stage, session) = (work.stage, work.fence.session_id);
    sqlx::raw_sql(sqlx::AssertSqlSafe(format!(
        "update alert_sessions set claims = 12, verified_claims = 9, degraded_reasons = '{{budget_used_up}}' where id = '{session}';
         insert into mcp_interactions (id, session_id, stage_id, status, call_id, interaction_type, server_name, tool_name,
            call_number, answered_from)
         select gen_random_uuid(), '{session}', '{stage}', s, gen_random_uuid(), 'tool_call', 'k8s', 'pods', n, a
         from (values (1, 'completed', null), (2, 'failed', null), (3, 'completed', 1)) v (n, s, a)"
    )))
    .execute(&db.raw)
    .await
    .unwrap();
    let checks = db.store.find_score_checks(session).await.unwrap();
    let expected = ScoreChecks {
        claims: Part { count: 3, of: 12 },
        failed: Part { count: 1, of: 3 },
        repeated: Part { count: 1, of: 3 },
        budget_used_up: true,
        looked: true,
    };
    assert_eq!(checks, expected);
    // What is left is what TARSy answers itself: of the system it shows nothing.
    sqlx::query("update mcp_interactions set server_name = 'tarsy', tool_name = 'recall'")
        .execute(&db.raw)
        .await
        .unwrap();
    let blind = db.store.find_score_checks(session).await.unwrap();
    assert_eq!(blind, ScoreChecks { looked: false, ..expected });
    let unknown = db.store.find_score_checks(SessionId::new()).await;
    assert!(matches!(unknown, Err(Error::NotFound { .. })));
}

#[tokio::test]
async fn days_are_summed_up_with_the_last_score_of_each_session() {
    let db = db().await;
    let first = ended(&db, SessionStatus::Completed).await;
    answer_score(&db.store, 10, completed()).await.unwrap();
    let second = ended(&db, SessionStatus::Completed).await;
    answer_score(&db.store, 20, completed()).await.unwrap();
    request(&db, first).await;
    answer_score(&db.store, 14, completed()).await.unwrap();
    let days = ScoreDays { from: date(2020, 1, 1), to: date(2100, 1, 1) };
    let overview = db.store.find_score_overview(days).await.unwrap();
    let of = |dimension: ScoreDimension| {
        let group = overview.groups.iter().find(|one| one.dimension == dimension).unwrap();
        (group.name.as_str(), group.sessions, group.mean, group.low, group.days.len())
    };
    assert_eq!(of(ScoreDimension::All), ("", 2, 17, 2, 1));
    assert_eq!(of(ScoreDimension::Chain), ("kubernetes", 2, 17, 2, 1));
    let none = ScoreDays { from: date(2020, 1, 1), to: date(2020, 1, 2) };
    assert!(db.store.find_score_overview(none).await.unwrap().groups.is_empty());
    let list = SessionQuery { sort_by: SortBy::Score, ..SessionQuery::default() };
    let page = db.store.list_sessions(list.clone()).await.unwrap();
    assert_eq!(page.items.iter().map(|one| one.id).collect::<Vec<_>>(), [second, first]);
    let least = SessionQuery { min_score: Some(15), ..list };
    assert_eq!(db.store.list_sessions(least).await.unwrap().items.len(), 1);
}

#[tokio::test]
async fn reviews_are_compared_with_scores() {
    let db = db().await;
    for review in [Review::Wrong, Review::Accurate] {
        let session_id = ended(&db, SessionStatus::Completed).await;
        answer_score(&db.store, 5, completed()).await.unwrap();
        let new = NewReview {
            session_id,
            review,
            actual_cause: None,
            object: None,
            category: None,
            reviewer: "rosa".to_owned(),
        };
        let outcome = db.store.insert_review(new).await.unwrap();
        assert!(matches!(outcome, ReviewOutcome::Added(_)), "{outcome:?}");
    }
    let days = ScoreDays { from: date(2020, 1, 1), to: date(2100, 1, 1) };
    let agreement = db.store.find_score_overview(days).await.unwrap().agreement;
    assert_eq!((agreement.sessions, agreement.agreeing, agreement.kappa), (2, 1, None));
}
