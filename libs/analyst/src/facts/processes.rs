//! Processes as `top` and `ps aux` list them.

use super::host::{Host, Place, Process};
use super::model::Source;

/// Processes of one result; a bound on memory.
const MOST_PROCESSES: usize = 2_000;

/// The places of the columns that count.
struct Columns {
    id: usize,
    state: Option<usize>,
    cpu: usize,
    memory: usize,
    command: usize,
}

/// Adds the processes of a table.
pub(super) fn add(host: &mut Host, source: &Source<'_>) {
    let mut columns: Option<Columns> = None;
    for (at, line) in source.lines.iter().enumerate() {
        if let Some(found) = heading(line) {
            columns = Some(found);
        } else if line.trim().is_empty() {
            columns = None;
        } else if let Some(found) = &columns
            && host.processes.len() < MOST_PROCESSES
        {
            let place = Place { result: source.result, line: at + 1 };
            host.processes.extend(process(line, found, place));
        }
    }
}

/// The columns of a heading, of which the command is the last.
fn heading(line: &str) -> Option<Columns> {
    let names: Vec<&str> = line.split_whitespace().collect();
    let place = |wanted: &[&str]| names.iter().position(|name| wanted.contains(name));
    let command = place(&["COMMAND", "CMD"])?;
    (command + 1 == names.len()).then_some(())?;
    Some(Columns {
        id: place(&["PID"])?,
        state: place(&["S", "STAT"]),
        cpu: place(&["%CPU"])?,
        memory: place(&["%MEM"])?,
        command,
    })
}

fn process(line: &str, columns: &Columns, place: Place) -> Option<Process> {
    let words: Vec<&str> = line.split_whitespace().collect();
    let word = |at: usize| words.get(at).copied();
    let number = |at: usize| word(at)?.parse::<f64>().ok();
    let id = word(columns.id).filter(|id| id.bytes().all(|byte| byte.is_ascii_digit()))?;
    let program = word(columns.command)?.trim_end_matches(':');
    let state = columns.state.and_then(word).and_then(|state| state.chars().next());
    Some(Process {
        id: id.to_owned(),
        parent: String::new(),
        name: program.rsplit('/').next().unwrap_or(program).to_owned(),
        state: match state {
            Some('R') => "running",
            Some('Z') => "zombie",
            _ => "sleeping",
        }
        .to_owned(),
        cpu_percent: number(columns.cpu)?,
        memory_percent: number(columns.memory)?,
        place,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::verdict::Target;

    #[test]
    fn the_tables_of_top_and_ps_are_read() {
        for text in [
            "top - 10:00:02 up 11 days\n\n    PID USER      PR  NI    VIRT    RES    SHR S  %CPU  %MEM     TIME+ COMMAND\n   4121 media     20   0 1822300 411200  21000 R 396.7   5.1  88:12.01 ffmpeg\n",
            "USER         PID %CPU %MEM    VSZ   RSS TTY      STAT START   TIME COMMAND\nmedia       4121 396.7  5.1 1822300 411200 ?      Rl   09:00  88:12 /usr/bin/ffmpeg -i a.mp4\n",
        ] {
            let lines: Vec<String> = text.lines().map(str::to_owned).collect();
            let (subject, mut host) = (Target::default(), Host::default());
            let source =
                Source { result: 0, tool: "s.run", command: "", subject: &subject, lines: &lines };
            add(&mut host, &source);
            let [one] = host.processes.as_slice() else { panic!("{:?}", host.processes) };
            assert_eq!((&*one.id, &*one.name, &*one.state), ("4121", "ffmpeg", "running"));
            assert_eq!((one.cpu_percent, one.memory_percent), (396.7, 5.1));
        }
    }
}
