//! What the search finds in which texts, and what people may type.

use tarsy_contracts::search::{SearchMatch, SearchPage};
use tarsy_domain::event::TimelineKind;
use tarsy_domain::id::VerdictId;
use tarsy_domain::status::{SessionStatus, TimelineStatus};
use tarsy_store::{
    Batch, NewQuestion, NewVerdict, Op, QuestionOutcome, SearchCursor, SearchQuery, SessionQuery,
};
use tarsy_testkit::a_verdict;

use crate::setup::{Db, alert, call_end, close, db, end};

async fn search(db: &Db, text: &str) -> SearchPage {
    let filter = SessionQuery::default();
    let query = SearchQuery { text: text.to_owned(), filter, limit: 20, after: None };
    db.store.search(&query).await.unwrap()
}

async fn matches(db: &Db, text: &str) -> Vec<SearchMatch> {
    search(db, text).await.hits.into_iter().flat_map(|hit| hit.matches).collect()
}

async fn is_found(db: &Db, text: &str) -> bool {
    !search(db, text).await.hits.is_empty()
}

fn marked(one: &SearchMatch) -> Vec<String> {
    let units: Vec<u16> = one.excerpt.encode_utf16().collect();
    let parts = one.ranges.iter().map(|range| &units[range.start..range.end]);
    parts.map(|part| String::from_utf16(part).unwrap()).collect()
}

/// A completed session with a different word in each of its texts.
async fn with_all_texts(db: &Db) {
    let mut new = alert();
    "alertword of web".clone_into(&mut new.alert_data);
    new.fields.title = Some("titleword".to_owned());
    new.fields.service = Some("serviceword".to_owned());
    db.create(new).await;
    let fence = db.claim().await.unwrap().fence;
    let work = db.begin(fence).await;
    let (shown, lost) = (work.streaming(), work.streaming());
    let finding = work.open(TimelineKind::FinalAnalysis, TimelineStatus::Streaming);
    let summary = work.open(TimelineKind::ExecutiveSummary, TimelineStatus::Streaming);
    let error = work.open(TimelineKind::Error, TimelineStatus::Streaming);
    let mut call = work.call(shown.id);
    call.tool_arguments = serde_json::json!({"pod": "argumentword"});
    let mut failed = work.call(lost.id);
    "failing_toolword".clone_into(&mut failed.tool_name);
    let mut failure = call_end(&failed, "");
    failure.error_message = Some("errorword".to_owned());
    let mut verdict = a_verdict();
    "causeword".clone_into(&mut verdict.cause);
    "evidenceword".clone_into(&mut verdict.evidence[0].text);
    let verdict = NewVerdict { id: VerdictId::new(), execution_id: None, verdict };
    let batch = Batch::new()
        .with(Op::OpenEvent(shown.clone()))
        .with(Op::OpenEvent(lost.clone()))
        .with(Op::OpenEvent(finding.clone()))
        .with(Op::OpenEvent(summary.clone()))
        .with(Op::OpenEvent(error.clone()))
        .with(Op::CallStarted(call.clone()))
        .with(Op::CallFinished(call_end(&call, "resultword")))
        .with(Op::CallStarted(failed.clone()))
        .with(Op::CallFinished(failure))
        .with(Op::CloseEvent(close(&finding, "findingword")))
        .with(Op::CloseEvent(close(&summary, "summaryword")))
        .with(Op::CloseEvent(close(&error, "troubleword")))
        .with(Op::StoreVerdict(verdict.clone()))
        .with(Op::SetVerdict(verdict.id));
    db.store.commit(fence, batch).await.unwrap();
    db.store.finish_session(fence, end(SessionStatus::Completed)).await.unwrap();
    let question = NewQuestion {
        session_id: fence.session_id,
        content: "questionword?".to_owned(),
        author: "bob".to_owned(),
        principal: None,
        agent: None,
        command: None,
    };
    let asked = db.store.insert_question(question).await.unwrap();
    assert!(matches!(asked, QuestionOutcome::Inserted { .. }), "{asked:?}");
}

#[tokio::test]
async fn every_kind_of_text_is_found_and_named() {
    let db = db().await;
    with_all_texts(&db).await;
    for (word, kind) in [
        ("alertword", "alert"),
        ("titleword", "alert"),
        ("serviceword", "alert"),
        ("argumentword", "tool_call"),
        ("resultword", "tool_call"),
        ("errorword", "tool_call"),
        ("failing_toolword", "tool_call"),
        ("kubernetes-server.pods_list", "tool_call"),
        ("findingword", "final_analysis"),
        ("summaryword", "executive_summary"),
        ("troubleword", "error"),
        ("causeword", "verdict"),
        ("evidenceword", "verdict"),
        ("questionword", "question"),
    ] {
        let found = matches(&db, word).await;
        let kinds: Vec<&str> = found.iter().map(|one| one.kind.as_str()).collect();
        assert_eq!(kinds, [kind], "{word}");
        assert_eq!(marked(&found[0]), [word], "{word}");
        let has_step = !matches!(kind, "alert" | "verdict");
        assert_eq!(found[0].timeline_event_id.is_some(), has_step, "{word}");
    }
    assert!(!is_found(&db, "resultword findingword").await, "they are in different texts");
}

#[tokio::test]
async fn parts_of_ids_are_found_by_their_beginnings_only() {
    let db = db().await;
    let id = db.pending().await.to_string();
    let parts: Vec<&str> = id.split('-').collect();
    let [upper, joined] = [id.to_uppercase(), parts[1..4].join("-")];
    for text in [id.as_str(), &upper, &joined, &id[..13], &parts[4][..5], &id[9..]] {
        assert!(is_found(&db, text).await, "{text}");
    }
    let wild = id.replacen('-', "_", 1);
    let other = format!("{}x", &id[..35]);
    for text in [&id[2..8], &id[26..], &wild, &other, "%", "_", "________-____"] {
        assert!(!is_found(&db, text).await, "{text}");
    }
}

#[tokio::test]
async fn what_is_an_operator_or_a_pattern_elsewhere_is_text_here() {
    let db = db().await;
    // The disk of web-7f9.default is full.
    db.pending().await;
    for text in [
        "\"disk full\"",
        "-disk",
        "disk:*",
        "disk & full",
        "disk <-> full",
        "!disk",
        "(disk | full)",
        "'disk'",
        "disk\\",
        "“disk” – full",
        "DISK\u{a0}FULL",
        "dis",
    ] {
        assert!(is_found(&db, text).await, "{text}");
    }
    for text in [
        "disk OR memory",
        "disk or",
        "d_sk",
        "d%sk",
        "di",
        "web_7f9",
        "web-7f9-default",
        "eb-7f9",
        "''",
        "\\",
        "$1",
        "{}",
        ":*",
        "& |",
    ] {
        assert!(!is_found(&db, text).await, "{text}");
    }
}

#[tokio::test]
async fn words_that_every_text_has_are_words() {
    let db = db().await;
    db.pending().await;
    for text in ["the", "the of", "is", "of is the"] {
        assert!(is_found(&db, text).await, "{text}");
    }
}

#[tokio::test]
async fn of_a_long_query_the_first_ten_words_count() {
    let db = db().await;
    db.pending().await;
    assert!(is_found(&db, &"disk ".repeat(10_000)).await);
    let many: Vec<String> = (0..1000).map(|number| format!("word{number}")).collect();
    let many = many.join(" ");
    assert!(!is_found(&db, &many).await);
    assert!(is_found(&db, &format!("{}{many}", "disk ".repeat(10))).await);
    assert!(!is_found(&db, &"x".repeat(100_000)).await);
    assert!(!is_found(&db, &"x-".repeat(50_000)).await);
}

#[tokio::test]
async fn words_are_found_whatever_separates_them() {
    let db = db().await;
    let mut new = alert();
    "the “oomkilled” pod—checkout\u{a0}\u{1b}[31mpanic\u{1b}[0m │node│ 磁盘，full…"
        .clone_into(&mut new.alert_data);
    db.create(new).await;
    for text in ["oomkilled", "checkout", "pod checkout", "node", "磁盘", "full"] {
        assert!(is_found(&db, &format!("{text} the")).await, "{text}");
    }
}

#[tokio::test]
async fn an_excerpt_is_short_and_marks_words_by_utf16_units() {
    let db = db().await;
    let mut new = alert();
    new.alert_data = format!("{} 💥💥 ÄRGER of disk-1\n{}", "a ".repeat(3000), "b ".repeat(3000));
    db.create(new).await;
    let found = matches(&db, "ärger disk-1").await;
    assert_eq!(marked(&found[0]), ["ÄRGER", "disk-1"]);
    assert!(found[0].excerpt.chars().count() <= 240 && !found[0].excerpt.contains('\n'));
}

#[tokio::test]
async fn what_stands_behind_the_searched_part_of_a_result_is_not_found() {
    let db = db().await;
    let work = db.working().await;
    let event = work.streaming();
    let call = work.call(event.id);
    let result = format!("begin {} behind", "x".repeat(16_384));
    let batch = Batch::new()
        .with(Op::OpenEvent(event))
        .with(Op::CallStarted(call.clone()))
        .with(Op::CallFinished(call_end(&call, &result)));
    db.store.commit(work.fence, batch).await.unwrap();
    assert!(is_found(&db, "begin").await);
    assert!(!is_found(&db, "behind").await);
}

#[tokio::test]
async fn the_list_search_of_a_filter_does_not_count() {
    let db = db().await;
    db.pending().await;
    let filter =
        SessionQuery { search: Some("nothing".to_owned()), page: 7, ..SessionQuery::default() };
    let query = SearchQuery { text: "disk".to_owned(), filter, limit: 20, after: None };
    assert_eq!(db.store.search(&query).await.unwrap().hits.len(), 1);
}

#[tokio::test]
async fn a_cursor_that_no_page_gave_is_no_error() {
    let db = db().await;
    db.pending().await;
    let id = db.pending().await;
    for (time, found) in [("0", 0), ("253402207200000000", 2)] {
        let after: SearchCursor = format!("{time}_{id}").parse().unwrap();
        let filter = SessionQuery::default();
        let query = SearchQuery { text: "disk".to_owned(), filter, limit: 20, after: Some(after) };
        assert_eq!(db.store.search(&query).await.unwrap().hits.len(), found, "{time}");
    }
    for text in ["", "_", "5_x", "-377705023201000000_", "9223372036854775807_"] {
        assert_eq!(format!("{text}{id}").parse::<SearchCursor>(), Err(()), "{text}");
    }
}

/// Words that so many documents have that the index is not asked, and a filter that lets few of them through.
#[tokio::test]
async fn a_frequent_word_is_found_behind_many_sessions_without_it() {
    let db = db().await;
    sqlx::raw_sql(
        "insert into alert_sessions (id, alert_data, chain_id, status, author, config_snapshot, created_at)
         select gen_random_uuid(), case when n <= 3 then 'frequent' else 'other' end, 'host', 'pending', 'carol', '{}',
            now() - interval '40 days' + make_interval(mins => n)
         from generate_series(1, 2600) n;
         insert into alert_sessions (id, alert_data, chain_id, status, author, config_snapshot, created_at)
         select gen_random_uuid(), 'frequent', 'host', 'pending', 'dave', '{}', now() - interval '39 days'
         from generate_series(1, 25000) n;
         analyze search_documents; analyze alert_sessions",
    )
    .execute(&db.raw)
    .await
    .unwrap();
    let filter = SessionQuery { author: Some("carol".to_owned()), ..SessionQuery::default() };
    let (mut seen, mut after, mut pages) = (Vec::new(), None, 0);
    loop {
        let text = "frequent".to_owned();
        let query = SearchQuery { text, filter: filter.clone(), limit: 20, after };
        let page = db.store.search(&query).await.unwrap();
        pages += 1;
        seen.extend(page.hits.iter().map(|hit| hit.session.id));
        let Some(next) = page.next_cursor else { break };
        after = Some(next.parse().unwrap());
    }
    assert_eq!(seen.len(), 3);
    assert_eq!(pages, 4, "a page without a hit says where to go on");
}
