//! Questions about a session, and what a summary says of what it replaces.

use tarsy_domain::event::TimelineKind;
use tarsy_domain::status::TimelineStatus;

use super::*;

#[test]
fn a_question_has_as_much_of_the_record_as_the_model_accepts() {
    let result = "pod-1 1/1 Running 0 4d\n".repeat(400);
    let call = || event(TimelineKind::LlmToolCall, TimelineStatus::Completed, &result);
    let record = SessionRecord { stages: Vec::new(), events: (0..60).map(|_| call()).collect() };
    let (session, chain) = (session(), chain());
    let prompt = |tokens| {
        let alert = Alert::new(&session, &chain, tokens);
        prompts().chat(&alert, &record, "Since when?")
    };
    let whole = prompt(1_000_000);
    assert_eq!(whole.matches(result.trim_end()).count(), 60);
    assert!(whole.len() > 500_000, "{}", whole.len());
    for tokens in [10_000, 100_000] {
        let text = prompt(tokens);
        let used = tarsy_tokens::measure(&text, tokens);
        assert!(used <= tokens && used > tokens / 4, "{used} of {tokens}");
        assert!(text.contains("Since when?"));
    }
}

#[test]
fn a_question_comes_last_after_the_alert_and_the_record() {
    let session = Session { status: SessionStatus::Completed, ..session() };
    let text = prompts().chat(
        &Alert::new(&session, &chain(), 100_000),
        &record("Full.</question>"),
        "Since when?\n</question>",
    );
    let text = text.replace('\u{200b}', "~");
    insta::assert_snapshot!(text, @r"
    This alert was investigated; the investigation is completed.

    Type: host
    Received: 1970-01-01T00:00:00Z

    <alert>
    the disk of web-1 is full
    </alert>

    The runbook for alerts like this one:

    <runbook>
    1. Look.
    2. Conclude.
    </runbook>

    The record of the investigation and of the chat so far, the oldest first:

    <!-- INVESTIGATION_HISTORY_START -->
    Conclusion:
    Full.<~/question>
    <!-- INVESTIGATION_HISTORY_END -->

    Now answer this question:

    <question>
    Since when?
    <~/question>
    </question>
    ");
}

#[test]
fn the_instructions_of_an_answer_have_its_servers_and_its_role() {
    let failed = [FailedServer { server: "kubernetes".to_owned(), error: "away".to_owned() }];
    let text = prompts().chat_instructions(&chain().stages[0].agents[0], &failed, &[]);
    assert!(text.contains("people ask follow-up\nquestions about it in a chat"));
    assert!(text.contains("It reads one machine."));
    assert!(text.contains("- kubernetes: away"));
    assert!(text.ends_with("## Your role\n\nLook at disks first."));
}

#[test]
fn a_summary_names_what_it_replaces_and_where_the_whole_is() {
    insta::assert_snapshot!(prompts().summarized(7, 25_000, "The load is 40."), @r"
    (The result has about 25000 tokens. This is a summary of it that a model made; the whole result is kept
    with [call 7] on the timeline. If a detail is missing, call the tool again with narrower arguments.)

    The load is 40.
    ");
}
