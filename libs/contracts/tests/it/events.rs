use serde_json::json;
use tarsy_contracts::event::{Body, Event};
use tarsy_contracts::live::{Live, LiveBody, Snapshot, SnapshotRequest, StreamingText};
use tarsy_contracts::timeline::{EndTimelineEvent, NewTimelineEvent};
use tarsy_domain::claim::CheckedText;
use tarsy_domain::event::{InteractionKind, TimelineKind};
use tarsy_domain::score::ScoreStatus;
use tarsy_domain::status::{Phase, SessionStatus, TimelineStatus, WorkStatus};
use tarsy_domain::triage::Triage;

use crate::{at, golden, id};

fn event(body: Body) -> String {
    golden(&Event { session_id: id(1), timestamp: at(), body })
}

fn live(body: LiveBody) -> String {
    golden(&Live { session_id: id(1), timestamp: at(), body })
}

#[test]
fn a_timeline_grows() {
    let event_begins = NewTimelineEvent {
        id: id(5),
        stage_id: Some(id(6)),
        execution_id: Some(id(2)),
        kind: TimelineKind::LlmToolCall,
        status: TimelineStatus::Streaming,
        content: String::new(),
        metadata: Some(json!({"server_name": "host"})),
    };
    let created = Body::TimelineCreated { event: event_begins, sequence_number: Some(3) };
    insta::assert_snapshot!(event(created), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "timeline_event.created",
      "event_id": "01890000-0000-7000-8000-000000000005",
      "stage_id": "01890000-0000-7000-8000-000000000006",
      "execution_id": "01890000-0000-7000-8000-000000000002",
      "event_type": "llm_tool_call",
      "status": "streaming",
      "content": "",
      "metadata": {
        "server_name": "host"
      },
      "sequence_number": 3
    }
    "#);
    let completed = Body::TimelineCompleted(EndTimelineEvent {
        id: id(5),
        kind: TimelineKind::LlmResponse,
        status: TimelineStatus::Failed,
        content: "The load".to_owned(),
        metadata: Some(json!({"interrupted": true})),
    });
    insta::assert_snapshot!(event(completed), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "timeline_event.completed",
      "event_id": "01890000-0000-7000-8000-000000000005",
      "event_type": "llm_response",
      "status": "failed",
      "content": "The load",
      "metadata": {
        "interrupted": true
      }
    }
    "#);
}

#[test]
fn sessions_and_stages_take_steps() {
    insta::assert_snapshot!(event(Body::SessionStatus { status: SessionStatus::TimedOut }), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "session.status",
      "status": "timed_out"
    }
    "#);
    insta::assert_snapshot!(event(Body::stage(id(6), "triage", 0, WorkStatus::Active)), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "stage.status",
      "stage_id": "01890000-0000-7000-8000-000000000006",
      "stage_name": "triage",
      "stage_index": 1,
      "status": "started"
    }
    "#);
}

#[test]
fn chats_and_interactions_are_reported() {
    let chat = Body::ChatCreated { chat_id: id(7), created_by: "alice".to_owned() };
    insta::assert_snapshot!(event(chat), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "chat.created",
      "chat_id": "01890000-0000-7000-8000-000000000007",
      "created_by": "alice"
    }
    "#);
    let question = Body::ChatUserMessage {
        chat_id: id(7),
        message_id: id(8),
        content: "why?".to_owned(),
        author: "alice".to_owned(),
    };
    insta::assert_snapshot!(event(question), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "chat.user_message",
      "chat_id": "01890000-0000-7000-8000-000000000007",
      "message_id": "01890000-0000-7000-8000-000000000008",
      "content": "why?",
      "author": "alice"
    }
    "#);
    let interaction = Body::InteractionCreated {
        stage_id: Some(id(6)),
        execution_id: Some(id(2)),
        interaction_id: id(9),
        interaction_type: InteractionKind::Mcp,
    };
    insta::assert_snapshot!(event(interaction), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "interaction.created",
      "stage_id": "01890000-0000-7000-8000-000000000006",
      "execution_id": "01890000-0000-7000-8000-000000000002",
      "interaction_id": "01890000-0000-7000-8000-000000000009",
      "interaction_type": "mcp"
    }
    "#);
}

#[test]
fn text_flows() {
    let chunk = LiveBody::Chunk { event_id: id(5), delta: "é".to_owned(), offset: 7 };
    insta::assert_snapshot!(live(chunk), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "stream.chunk",
      "event_id": "01890000-0000-7000-8000-000000000005",
      "delta": "é",
      "offset": 7
    }
    "#);
    insta::assert_snapshot!(golden(&SnapshotRequest {}), @"{}");
    let streams = vec![StreamingText { event_id: id(5), content: "The load".to_owned() }];
    insta::assert_snapshot!(golden(&Snapshot { streams, others: 0 }), @r#"
    {
      "streams": [
        {
          "event_id": "01890000-0000-7000-8000-000000000005",
          "content": "The load"
        }
      ],
      "others": 0
    }
    "#);
}

#[test]
fn progress_is_reported() {
    insta::assert_snapshot!(live(LiveBody::SessionStatus { status: SessionStatus::InProgress }), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "session.status",
      "status": "in_progress"
    }
    "#);
    let session = LiveBody::SessionProgress {
        current_stage_name: "triage".to_owned(),
        current_stage_index: 1,
        total_stages: 2,
        active_executions: 1,
        status_text: "triage (1 of 2): investigating".to_owned(),
    };
    insta::assert_snapshot!(live(session), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "session.progress",
      "current_stage_name": "triage",
      "current_stage_index": 1,
      "total_stages": 2,
      "active_executions": 1,
      "status_text": "triage (1 of 2): investigating"
    }
    "#);
    let execution = LiveBody::ExecutionProgress {
        stage_id: id(6),
        execution_id: id(2),
        phase: Phase::Investigating,
        message: "thinking".to_owned(),
        event_id: None,
    };
    insta::assert_snapshot!(live(execution), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "execution.progress",
      "stage_id": "01890000-0000-7000-8000-000000000006",
      "execution_id": "01890000-0000-7000-8000-000000000002",
      "phase": "investigating",
      "message": "thinking"
    }
    "#);
    let status = LiveBody::ExecutionStatus {
        stage_id: id(6),
        execution_id: id(2),
        agent_index: 1,
        status: WorkStatus::Failed,
        error_message: Some("the model said nothing".to_owned()),
    };
    insta::assert_snapshot!(live(status), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "execution.status",
      "stage_id": "01890000-0000-7000-8000-000000000006",
      "execution_id": "01890000-0000-7000-8000-000000000002",
      "agent_index": 1,
      "status": "failed",
      "error_message": "the model said nothing"
    }
    "#);
}

#[test]
fn a_session_has_its_verdict() {
    insta::assert_snapshot!(event(Body::VerdictRecorded { verdict_id: id(7) }), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "verdict.recorded",
      "verdict_id": "01890000-0000-7000-8000-000000000007"
    }
    "#);
}

#[test]
fn the_state_of_work_changed() {
    let taken = Body::SessionTriage {
        entry_id: id(7),
        triage: Triage::Taken,
        assignee: Some("ann".to_owned()),
    };
    insta::assert_snapshot!(event(taken), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "session.triage",
      "entry_id": "01890000-0000-7000-8000-000000000007",
      "triage": "taken",
      "assignee": "ann"
    }
    "#);
    insta::assert_snapshot!(live(LiveBody::SessionTriage { triage: Triage::New }), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "session.triage",
      "triage": "new"
    }
    "#);
}

#[test]
fn a_session_has_a_score() {
    let status = ScoreStatus::Completed;
    let scored = Body::SessionScore { score_id: id(7), status, score: Some(64) };
    insta::assert_snapshot!(event(scored), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "session.score",
      "score_id": "01890000-0000-7000-8000-000000000007",
      "status": "completed",
      "score": 64
    }
    "#);
    insta::assert_snapshot!(live(LiveBody::SessionScore { status }), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "session.score",
      "status": "completed"
    }
    "#);
}

#[test]
fn a_text_was_checked() {
    let checked = Body::ClaimsChecked {
        check_id: id(7),
        text: CheckedText::ExecutiveSummary,
        execution_id: None,
        timeline_event_id: Some(id(5)),
        claims: 19,
        verified: 17,
    };
    insta::assert_snapshot!(event(checked), @r#"
    {
      "session_id": "01890000-0000-7000-8000-000000000001",
      "timestamp": "2026-01-02T03:04:05.678901Z",
      "type": "claims.checked",
      "check_id": "01890000-0000-7000-8000-000000000007",
      "text": "executive_summary",
      "timeline_event_id": "01890000-0000-7000-8000-000000000005",
      "claims": 19,
      "verified": 17
    }
    "#);
}
