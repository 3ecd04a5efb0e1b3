use serde_json::json;
use tarsy_contracts::mcp::{
    Ack, CallRequest, CallResult, Caller, CancelRequest, FailedServer, LeaseRequest, OpenRequest,
    OpenedLease, Outcome, OutcomeRequest, ProbeRequest, ServerGrant, Tool, ToolCallRequest,
    ToolList, TrialRequest,
};
use tarsy_contracts::reply::{Refusal, Reply};
use tarsy_contracts::status::{Instance, McpServerStatus, ToolBrief, Warning};
use tarsy_domain::code::Code;

use crate::{at, golden, id};

fn tool() -> Tool {
    Tool {
        server: "host".to_owned(),
        name: "load".to_owned(),
        description: "The load of the machine.".to_owned(),
        input_schema: json!({"type": "object"}),
        read_only: true,
        idempotent: false,
        terms: tarsy_contracts::mcp::ToolTerms::default(),
    }
}

fn failed() -> FailedServer {
    FailedServer { server: "kubernetes-server".to_owned(), error: "npx: not found".to_owned() }
}

fn result(blob: Option<&str>) -> CallResult {
    CallResult {
        call_id: id(4),
        is_error: false,
        content: if blob.is_some() { String::new() } else { "0.4".to_owned() },
        blob: blob.map(str::to_owned),
        masked: 2,
        refused_by_policy: false,
        duration_ms: 17,
    }
}

#[test]
fn a_lease_is_opened() {
    let request = OpenRequest {
        lease_id: id(3),
        session_id: id(1),
        execution_id: id(2),
        servers: vec![
            ServerGrant { server: "host".to_owned(), tools: None },
            ServerGrant { server: "git".to_owned(), tools: Some(vec!["log".to_owned()]) },
        ],
        caller: Caller::Model { alert_hosts: vec!["shop.example".to_owned()] },
        wait_ms: 1_000,
    };
    insta::assert_snapshot!(golden(&request), @r#"
    {
      "lease_id": "01890000-0000-7000-8000-000000000003",
      "session_id": "01890000-0000-7000-8000-000000000001",
      "execution_id": "01890000-0000-7000-8000-000000000002",
      "servers": [
        {
          "server": "host"
        },
        {
          "server": "git",
          "tools": [
            "log"
          ]
        }
      ],
      "caller": {
        "by": "model",
        "alert_hosts": [
          "shop.example"
        ]
      },
      "wait_ms": 1000
    }
    "#);
    let opened = OpenedLease {
        lease_id: id(3),
        instance: "gateway-1".to_owned(),
        ttl_ms: 60_000,
        tools: vec![tool()],
        failed: vec![failed()],
    };
    insta::assert_snapshot!(golden(&opened), @r#"
    {
      "lease_id": "01890000-0000-7000-8000-000000000003",
      "instance": "gateway-1",
      "ttl_ms": 60000,
      "tools": [
        {
          "server": "host",
          "name": "load",
          "description": "The load of the machine.",
          "input_schema": {
            "type": "object"
          },
          "read_only": true,
          "idempotent": false
        }
      ],
      "failed": [
        {
          "server": "kubernetes-server",
          "error": "npx: not found"
        }
      ]
    }
    "#);
}

#[test]
fn a_tool_is_called() {
    let request = CallRequest {
        lease_id: id(3),
        call: ToolCallRequest {
            call_id: id(4),
            name: "host.load".to_owned(),
            arguments: "{}".to_owned(),
            display: None,
            permit: None,
        },
        timeout_ms: 45_000,
    };
    let written = serde_json::to_string(&request).unwrap();
    assert_eq!(serde_json::from_str::<CallRequest>(&written).unwrap(), request);
    insta::assert_snapshot!(golden(&request), @r#"
    {
      "lease_id": "01890000-0000-7000-8000-000000000003",
      "call_id": "01890000-0000-7000-8000-000000000004",
      "name": "host.load",
      "arguments": "{}",
      "timeout_ms": 45000
    }
    "#);
    insta::assert_snapshot!(golden(&result(None)), @r#"
    {
      "call_id": "01890000-0000-7000-8000-000000000004",
      "is_error": false,
      "content": "0.4",
      "masked": 2,
      "duration_ms": 17
    }
    "#);
    insta::assert_snapshot!(golden(&result(Some("01890000"))), @r#"
    {
      "call_id": "01890000-0000-7000-8000-000000000004",
      "is_error": false,
      "content": "",
      "blob": "01890000",
      "masked": 2,
      "duration_ms": 17
    }
    "#);
    let cancel = CancelRequest { call_id: id(4), reason: "no longer needed".to_owned() };
    insta::assert_snapshot!(golden(&cancel), @r#"
    {
      "call_id": "01890000-0000-7000-8000-000000000004",
      "reason": "no longer needed"
    }
    "#);
}

#[test]
fn a_lease_is_renewed_listed_and_given_back() {
    insta::assert_snapshot!(golden(&LeaseRequest { lease_id: id(3) }), @r#"
    {
      "lease_id": "01890000-0000-7000-8000-000000000003"
    }
    "#);
    insta::assert_snapshot!(golden(&Ack {}), @"{}");
    let list = ToolList { tools: vec![tool()], failed: vec![failed()] };
    insta::assert_snapshot!(golden(&list), @r#"
    {
      "tools": [
        {
          "server": "host",
          "name": "load",
          "description": "The load of the machine.",
          "input_schema": {
            "type": "object"
          },
          "read_only": true,
          "idempotent": false
        }
      ],
      "failed": [
        {
          "server": "kubernetes-server",
          "error": "npx: not found"
        }
      ]
    }
    "#);
}

#[test]
fn the_outcome_of_a_call_is_asked_for() {
    insta::assert_snapshot!(golden(&OutcomeRequest { call_id: id(4), wait_ms: 20_000 }), @r#"
    {
      "call_id": "01890000-0000-7000-8000-000000000004",
      "wait_ms": 20000
    }
    "#);
    insta::assert_snapshot!(golden(&Outcome::Running), @r#"
    {
      "state": "running"
    }
    "#);
    insta::assert_snapshot!(golden(&Outcome::Unknown), @r#"
    {
      "state": "unknown"
    }
    "#);
    insta::assert_snapshot!(golden(&Outcome::Result { result: result(None) }), @r#"
    {
      "state": "result",
      "result": {
        "call_id": "01890000-0000-7000-8000-000000000004",
        "is_error": false,
        "content": "0.4",
        "masked": 2,
        "duration_ms": 17
      }
    }
    "#);
}

#[test]
fn servers_are_probed() {
    let one = ProbeRequest { server: Some("host".to_owned()), timeout_ms: 45_000 };
    insta::assert_snapshot!(golden(&one), @r#"
    {
      "server": "host",
      "timeout_ms": 45000
    }
    "#);
    insta::assert_snapshot!(golden(&ProbeRequest { server: None, timeout_ms: 1 }), @r#"
    {
      "timeout_ms": 1
    }
    "#);
    let trial = TrialRequest { url: "http://tools.example/mcp".to_owned(), timeout_ms: 20_000 };
    insta::assert_snapshot!(golden(&trial), @r#"
    {
      "url": "http://tools.example/mcp",
      "timeout_ms": 20000
    }
    "#);
    let status = McpServerStatus {
        id: "host".to_owned(),
        healthy: false,
        last_check: at(),
        tools: vec![ToolBrief {
            name: "load".to_owned(),
            description: "The load.".to_owned(),
            input_schema: Some(json!({"type": "object"})),
            read_only: true,
            idempotent: false,
            terms: tarsy_contracts::mcp::ToolTerms::default(),
        }],
        error: Some("no answer within 30 s".to_owned()),
        not_configured: false,
        fault: None,
    };
    insta::assert_snapshot!(golden(&status), @r#"
    {
      "id": "host",
      "healthy": false,
      "last_check": "2026-01-02T03:04:05.678901Z",
      "tools": [
        {
          "name": "load",
          "description": "The load.",
          "input_schema": {
            "type": "object"
          },
          "read_only": true,
          "idempotent": false
        }
      ],
      "error": "no answer within 30 s"
    }
    "#);
}

#[test]
fn operators_are_warned() {
    let warning = Warning {
        id: "mcp_health.host".to_owned(),
        category: "mcp_health".to_owned(),
        message: "The MCP server host does not answer.".to_owned(),
        details: "no answer within 30 s".to_owned(),
        server_id: Some("host".to_owned()),
        created_at: at(),
    };
    insta::assert_snapshot!(golden(&warning), @r#"
    {
      "id": "mcp_health.host",
      "category": "mcp_health",
      "message": "The MCP server host does not answer.",
      "details": "no answer within 30 s",
      "server_id": "host",
      "created_at": "2026-01-02T03:04:05.678901Z"
    }
    "#);
}

#[test]
fn a_service_reports_itself() {
    let instance = Instance {
        service: "orchestrator".to_owned(),
        instance: "web-1".to_owned(),
        version: "0.1.0".to_owned(),
        config_hash: "9f86d081".to_owned(),
        capacity: 5,
        load: 2,
        seen_at: at(),
        clock_offset_ms: None,
    };
    insta::assert_snapshot!(golden(&instance), @r#"
    {
      "service": "orchestrator",
      "instance": "web-1",
      "version": "0.1.0",
      "config_hash": "9f86d081",
      "capacity": 5,
      "load": 2,
      "seen_at": "2026-01-02T03:04:05.678901Z"
    }
    "#);
}

#[test]
fn a_request_is_answered_or_refused() {
    insta::assert_snapshot!(golden(&Reply::Ok(Ack {})), @r#"
    {
      "ok": {}
    }
    "#);
    let refused: Reply<Ack> = Reply::Error(Refusal::new(Code::RateLimited, "busy"));
    insta::assert_snapshot!(golden(&refused), @r#"
    {
      "error": {
        "code": "rate_limited",
        "message": "busy"
      }
    }
    "#);
}

#[test]
fn a_gateway_refuses_a_caller_that_it_does_not_know() {
    assert_eq!(serde_json::to_string(&Caller::Replay).unwrap(), r#"{"by":"replay"}"#);
    assert!(serde_json::from_str::<Caller>(r#"{"by":"later"}"#).is_err());
}
