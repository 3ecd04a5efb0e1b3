//! An MCP server over standard input and output that misbehaves as its arguments configure: in the
//! ways that other servers were observed to misbehave.

use std::io::Write as _;
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

const NAMES: [&str; 10] =
    ["echo", "exit", "huge", "huge_reversed", "silent", "shapeless", "pid", "ask", "steps", "raw"];

struct Odd {
    ways: Vec<String>,
}

fn main() -> anyhow::Result<()> {
    let odd = Odd { ways: std::env::args().skip(1).collect() };
    if odd.is("complains") {
        writeln!(std::io::stderr(), "warning: this is odd")?;
    }
    if odd.is("mark") {
        std::io::stdout().write_all(b"\xEF\xBB\xBF")?;
    }
    if odd.is("noise") {
        writeln!(
            std::io::stdout(),
            "Starting up ...\n{{\"level\":\"info\",\"id\":1}}\n[not, json"
        )?;
    }
    if odd.is("orphan") {
        // It stays although its parent leaves at the end of its input.
        sleeper("sleep")?;
    }
    if odd.is("escape") {
        // It leaves the process group, and even the session.
        sleeper("setsid")?;
    }
    std::thread::sleep(Duration::from_millis(odd.number("late=")));
    loop {
        let mut line = String::new();
        if std::io::stdin().read_line(&mut line)? == 0 {
            break;
        }
        let message: Value = serde_json::from_str(&line)?;
        if let Some(answer) = odd.answer(&message)? {
            let mut line = serde_json::to_string(&answer)?;
            line.push('\n');
            std::io::stdout().write_all(line.as_bytes())?;
            std::io::stdout().flush()?;
        }
    }
    if odd.is("lingers") {
        std::thread::sleep(Duration::from_mins(5));
    }
    Ok(())
}

impl Odd {
    fn is(&self, way: &str) -> bool {
        self.ways.iter().any(|known| known == way)
    }

    fn number(&self, way: &str) -> u64 {
        let value = self.ways.iter().find_map(|known| known.strip_prefix(way));
        value.and_then(|value| value.parse().ok()).unwrap_or(0)
    }

    fn answer(&self, message: &Value) -> anyhow::Result<Option<Value>> {
        let Some(id) = message.get("id") else { return Ok(None) };
        let params = message.get("params").unwrap_or(&Value::Null);
        let result = match text(message, "method") {
            "initialize" => {
                let wanted = text(params, "protocolVersion");
                if self.is("strict") && wanted != "2025-11-25" {
                    let error = json!({"code": -32602, "message": format!("no version {wanted}")});
                    return Ok(Some(json!({"jsonrpc": "2.0", "id": id, "error": error})));
                }
                let version = if self.is("old") { "2024-11-05" } else { "2025-11-25" };
                json!({
                    "protocolVersion": version,
                    "capabilities": {"tools": {}},
                    "serverInfo": {"name": "odd", "version": "1"},
                })
            }
            "tools/list" => self.page(text(params, "cursor")),
            "tools/call" => return Self::call(id, params),
            method => {
                let error = json!({"code": -32601, "message": format!("no method {method}")});
                return Ok(Some(json!({"jsonrpc": "2.0", "id": id, "error": error})));
            }
        };
        Ok(Some(json!({"jsonrpc": "2.0", "id": id, "result": result})))
    }

    fn page(&self, cursor: &str) -> Value {
        let mut tools: Vec<Value> = NAMES
            .map(|name| json!({"name": name, "inputSchema": {"type": "object"}, "annotations": {"readOnlyHint": true}}))
            .into();
        tools.push(json!({
            "name": "typed",
            "inputSchema": {
                "type": "object",
                "properties": {"name": {"type": "string"}, "limit": {"type": "integer"}},
                "required": ["name"],
            },
        }));
        if self.is("broken-tool") {
            tools.insert(1, json!({"name": "broken", "description": "It has no schema."}));
            tools.insert(3, json!({"description": "It has no name.", "inputSchema": {}}));
        }
        if self.is("twice") {
            tools.push(json!({"name": "echo", "description": "Another.", "inputSchema": {"type": "object"}}));
        }
        let page: u64 = cursor.parse().unwrap_or(0);
        if page > 0 {
            tools =
                vec![json!({"name": format!("more_{page}"), "inputSchema": {"type": "object"}})];
        }
        let next = (page + 1).to_string();
        if self.is("same-cursor") {
            return json!({"tools": tools, "nextCursor": "1"});
        }
        if self.is("empty-page") && page < 2 {
            // An empty page is not the end.
            return json!({"tools": if page == 1 { Vec::new() } else { tools }, "nextCursor": next});
        }
        if self.is("endless") {
            return json!({"tools": tools, "nextCursor": next});
        }
        json!({"tools": tools})
    }

    fn call(id: &Value, params: &Value) -> anyhow::Result<Option<Value>> {
        let text = match text(params, "name") {
            "exit" => anyhow::bail!("it is over"),
            "silent" => return Ok(None),
            "ask" => return ask(id, params).map(Some),
            "steps" => {
                steps(params)?;
                "done".to_owned()
            }
            "raw" => return raw(id, params).map(|()| None),
            "shapeless" => {
                return Ok(Some(json!({"jsonrpc": "2.0", "id": id, "error": "something"})));
            }
            "pid" => std::process::id().to_string(),
            "huge" => "x".repeat(33 * 1024 * 1024),
            "huge_reversed" => {
                // As servers write it whose answers end with the id.
                let text = "x".repeat(33 * 1024 * 1024);
                writeln!(
                    std::io::stdout(),
                    r#"{{"result":{{"content":[{{"type":"text","text":"{text}"}}]}},"jsonrpc":"2.0","id":{id}}}"#
                )?;
                return Ok(None);
            }
            _ => params.get("arguments").unwrap_or(&Value::Null).to_string(),
        };
        let result = json!({"content": [{"type": "text", "text": text}]});
        Ok(Some(json!({"jsonrpc": "2.0", "id": id, "result": result})))
    }
}

fn text<'a>(value: &'a Value, name: &str) -> &'a str {
    value.get(name).and_then(Value::as_str).unwrap_or_default()
}

/// Writes an answer as it is given, with the id of the call in place of ID; hexadecimal, because it may be no text.
fn raw(id: &Value, params: &Value) -> anyhow::Result<()> {
    let digits = params.pointer("/arguments/answer").and_then(Value::as_str).unwrap_or_default();
    let bytes: Vec<u8> = (0..digits.len() / 2)
        .map(|at| u8::from_str_radix(digits.get(2 * at..2 * at + 2).unwrap_or("20"), 16))
        .collect::<Result<_, _>>()?;
    let id = id.to_string();
    let mut rest = bytes.as_slice();
    let mut output = std::io::stdout().lock();
    while let Some(at) = rest.windows(2).position(|two| two == b"ID") {
        output.write_all(rest.get(..at).unwrap_or_default())?;
        output.write_all(id.as_bytes())?;
        rest = rest.get(at + 2..).unwrap_or_default();
    }
    output.write_all(rest)?;
    output.write_all(b"\n")?;
    Ok(output.flush()?)
}

/// Asks the client for something, and answers with its reply.
fn ask(id: &Value, params: &Value) -> anyhow::Result<Value> {
    let method = params.get("arguments").map_or("", |arguments| text(arguments, "method"));
    let params = json!({
        "message": "Which?",
        "requestedSchema": {"type": "object", "properties": {}},
        "messages": [],
        "maxTokens": 5,
    });
    let asked = json!({"jsonrpc": "2.0", "id": "asked", "method": method, "params": params});
    writeln!(std::io::stdout(), "{asked}")?;
    loop {
        let mut line = String::new();
        anyhow::ensure!(std::io::stdin().read_line(&mut line)? > 0, "the client left");
        let reply: Value = serde_json::from_str(&line)?;
        if text(&reply, "id") == "asked" {
            let result = json!({"content": [{"type": "text", "text": reply.to_string()}]});
            return Ok(json!({"jsonrpc": "2.0", "id": id, "result": result}));
        }
    }
}

/// Tells how far it has come, and a secret with it.
fn steps(params: &Value) -> anyhow::Result<()> {
    let token = params.pointer("/_meta/progressToken").unwrap_or(&Value::Null);
    let total = params.pointer("/arguments/steps").and_then(Value::as_u64).unwrap_or(1);
    for step in 1..=total {
        let notification = json!({
            "progressToken": token,
            "progress": step,
            "total": total,
            "message": "reading postgres://admin:hunter2secret@db.example/x",
        });
        let notice =
            json!({"jsonrpc": "2.0", "method": "notifications/progress", "params": notification});
        writeln!(std::io::stdout(), "{notice}")?;
        std::thread::sleep(Duration::from_millis(150));
    }
    Ok(())
}

/// Starts a process that stays; its command line is found by the folder's name.
fn sleeper(program: &str) -> std::io::Result<()> {
    let marker =
        std::env::args().skip(1).find(|argument| argument.starts_with('/')).unwrap_or_default();
    let mut command = Command::new(program);
    if program == "setsid" {
        command.arg("sh");
    } else {
        command = Command::new("sh");
    }
    let quiet = command.args(["-c", "sleep 300; true", &marker]);
    let quiet = quiet.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null());
    quiet.spawn().map(|_| ())
}
