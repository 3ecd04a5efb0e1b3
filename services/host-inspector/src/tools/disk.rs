//! `disk_usage`.

use std::time::Duration;

use nix::sys::statvfs::{Statvfs, statvfs};
use serde_json::{Value, json};

use crate::args::{DiskArgs, text};
use crate::error::{ToolError, ToolResult};
use crate::host::{Host, parsed, text_of};
use crate::proc::mounts::{Mount, holding, real_mounts};
use crate::proc::percent;

/// How long one file system may take to answer; a network file system whose server is gone never does.
const ANSWER_LIMIT: Duration = Duration::from_secs(1);
/// How many file systems are asked.
const MAX_MOUNTS: usize = 64;

/// Space and inodes of the file systems, or of the one that holds a path.
pub(crate) async fn usage(host: &Host, args: DiskArgs) -> ToolResult {
    let path = text("path", args.path, 4096)?;
    let mounts = parsed("/proc/self/mountinfo", |text| Some(real_mounts(text)))?;
    let chosen: Vec<Mount> = match path {
        None => mounts,
        Some(path) if !path.starts_with('/') => {
            return Err(ToolError::invalid(
                format!("{path:?} is not an absolute path"),
                "start it with /",
            ));
        }
        Some(path) => vec![holding_mount(&mounts, &path)?],
    };
    let file_systems = ask(host, &chosen).await;
    Ok(json!({ "file_systems": file_systems }))
}

fn holding_mount(mounts: &[Mount], path: &str) -> Result<Mount, ToolError> {
    let resolved = std::fs::canonicalize(path).map_err(|error| {
        ToolError::not_found(
            format!("{path} cannot be resolved: {error}"),
            "name an existing path, or leave it out",
        )
    })?;
    holding(mounts, &resolved.to_string_lossy()).cloned().ok_or_else(|| {
        ToolError::not_found(
            format!("{path} lies on a file system of the kernel, without a size"),
            "leave out path to see all file systems",
        )
    })
}

/// The same, as short as the overview wants it.
pub(crate) async fn summary(host: &Host) -> Value {
    let mounts = text_of("/proc/self/mountinfo").map(|text| real_mounts(&text)).unwrap_or_default();
    let short: Vec<Value> = ask(host, &mounts)
        .await
        .into_iter()
        .map(|full| {
            let keep = |key: &str| full.get(key).cloned();
            json!({
                "mount": keep("mount"),
                "used_percent": keep("used_percent"),
                "available_bytes": keep("available_bytes"),
                "inodes_used_percent": keep("inodes_used_percent"),
                "problem": keep("problem"),
            })
        })
        .collect();
    Value::from(short)
}

/// Asks each file system; the fullest comes first.
async fn ask(host: &Host, mounts: &[Mount]) -> Vec<Value> {
    let mut answers: Vec<(f64, Value)> = Vec::new();
    for mount in mounts.iter().take(MAX_MOUNTS) {
        let point = mount.point.clone();
        let answer =
            host.query_mount(&mount.point, ANSWER_LIMIT, move || statvfs(point.as_str())).await;
        let problem = match answer {
            Some(Ok(stat)) => {
                answers.extend(describe(mount, &stat));
                continue;
            }
            Some(Err(error)) => format!("cannot be read: {error}"),
            None => "does not answer (a lost network file system?)".to_owned(),
        };
        answers.push((101.0, json!({ "mount": mount.point, "type": mount.kind, "source": mount.source, "problem": problem })));
    }
    answers.sort_by(|(a, _), (b, _)| b.total_cmp(a));
    answers.into_iter().map(|(_, value)| value).collect()
}

/// Counts as `df` does: the share of what ordinary users can use.
#[expect(clippy::useless_conversion, reason = "the C types differ between platforms")]
fn describe(mount: &Mount, stat: &Statvfs) -> Option<(f64, Value)> {
    let unit = u64::from(stat.fragment_size());
    let bytes = |blocks: u64| blocks.saturating_mul(unit);
    let (blocks, free, available) = (
        u64::from(stat.blocks()),
        u64::from(stat.blocks_free()),
        u64::from(stat.blocks_available()),
    );
    if blocks == 0 {
        return None;
    }
    let used = blocks.saturating_sub(free);
    let used_percent = percent(used, used + available);
    let (inodes, inodes_free) = (u64::from(stat.files()), u64::from(stat.files_free()));
    let inodes_used = inodes.saturating_sub(inodes_free);
    let value = json!({
        "mount": mount.point,
        "type": mount.kind,
        "source": mount.source,
        "size_bytes": bytes(blocks),
        "used_bytes": bytes(used),
        "available_bytes": bytes(available),
        "used_percent": used_percent,
        "inodes": inodes,
        "inodes_used": inodes_used,
        "inodes_used_percent": percent(inodes_used, inodes),
        "read_only": mount.read_only,
    });
    Some((used_percent, value))
}
