//! Builds of Jenkins that ended, as the plugins Notification, CloudEvents, `Outbound WebHook` and Global Build Notification send
//! them.

use serde_json::Value;

use super::fields::{event, first, short_commit, text, time_at};
use crate::change::Change;
use crate::received::Ignored;

/// Names that a branch has where a job is the branch of a multibranch project.
const BRANCHES: [&str; 5] = ["main", "master", "trunk", "develop", "production"];

pub(super) fn read(payload: &Value) -> Result<Change, Ignored> {
    let payload = payload.get("data").filter(|data| data.is_object()).unwrap_or(payload);
    if payload.get("build").is_some_and(Value::is_object) { build(payload) } else { flat(payload) }
}

/// A build with its job around it.
fn build(payload: &Value) -> Result<Change, Ignored> {
    let phase = text(payload, "/build/phase").unwrap_or_else(|| "COMPLETED".to_owned());
    let status = text(payload, "/build/status").unwrap_or_default();
    // Whichever of the two is sent: the second one has the same id.
    let is_complete = matches!(phase.as_str(), "COMPLETED" | "FINALIZED");
    if !is_complete || status.is_empty() || status == "NOT_BUILT" {
        return Err(event(format!("phase {phase} {status}")));
    }
    let named = first(payload, &["/display_name", "/displayName", "/name"]);
    let named = named.ok_or_else(|| event("no job"))?;
    let url = first(payload, &["/build/full_url", "/build/fullUrl", "/build/url", "/url"]);
    let job = url.as_deref().and_then(path_of).unwrap_or_else(|| named.clone());
    let number = text(payload, "/build/number").unwrap_or_default();
    let parameter = |names: &[&str]| {
        let parameters = payload.pointer("/build/parameters")?.as_object()?;
        parameters.iter().find_map(|(name, value)| {
            names.contains(&name.to_lowercase().as_str()).then(|| value.as_str())?
        })
    };
    let commit = text(payload, "/build/scm/commit").unwrap_or_default();
    let branch = text(payload, "/build/scm/branch").unwrap_or_default();
    let version = parameter(&["version", "tag", "image_tag"]).map(|tag| format!(" of {tag}"));
    let culprit = payload.pointer("/build/scm/culprits/0").and_then(Value::as_str);
    Ok(Change {
        service: parameter(&["service", "app", "application", "component"])
            .map(str::to_owned)
            .or_else(|| Some(service(&job, &branch))),
        namespace: parameter(&["namespace"]).map(str::to_owned),
        environment: parameter(&["environment", "env", "stage"]).map(str::to_owned),
        author: parameter(&["user", "build_user", "author"]).or(culprit).map(str::to_owned),
        link: url.filter(|url| url.starts_with("http")),
        text: format!(
            "build {number} of {job}{} ended as {status}, {branch} {}",
            version.unwrap_or_default(),
            short_commit(&commit)
        )
        .trim_end_matches([' ', ','])
        .to_owned(),
        occurred_at: time_at(payload, &["/build/timestamp"]),
        ..of_job(&job, &number)
    })
}

/// A build in one object, without what it was built from.
fn flat(payload: &Value) -> Result<Change, Ignored> {
    let status = first(payload, &["/result", "/status", "/event"]).unwrap_or_default();
    let status = status.to_uppercase();
    if !matches!(status.as_str(), "SUCCESS" | "FAILURE" | "FAILED" | "UNSTABLE" | "ABORTED") {
        return Err(event(format!("build {status}")));
    }
    let url = first(payload, &["/buildUrl", "/url"]);
    let named = first(payload, &["/jobName", "/projectName", "/name"]);
    let job = url.as_deref().and_then(path_of).or(named).ok_or_else(|| event("no job"))?;
    let of_url = url.as_deref().and_then(|url| url.trim_end_matches('/').rsplit('/').next());
    let number = first(payload, &["/number", "/buildNumber"]);
    let number = number.or_else(|| of_url.map(str::to_owned)).unwrap_or_default();
    let causes = text(payload, "/causes").map(|causes| format!(": {causes}")).unwrap_or_default();
    Ok(Change {
        service: Some(service(&job, "")),
        link: url.filter(|url| url.starts_with("http")),
        text: format!("build {number} of {job} ended as {status}{causes}"),
        occurred_at: time_at(payload, &["/timestamp"]),
        ..of_job(&job, &number)
    })
}

fn of_job(job: &str, number: &str) -> Change {
    Change {
        source_id: Some(format!("{job}/{number}")),
        kind: "deployment".to_owned(),
        object: Some(format!("job/{job}")),
        ..Change::default()
    }
}

/// `shop/checkout/main`, from the address of a job or of a build of it: `…/job/shop/job/checkout/job/main/7/`.
fn path_of(url: &str) -> Option<String> {
    let mut parts = url.split('/').skip_while(|part| *part != "job");
    let mut names = Vec::new();
    while let (Some("job"), Some(name)) = (parts.next(), parts.next()) {
        names.push(name);
    }
    (!names.is_empty()).then(|| names.join("/"))
}

/// The job's own name; of the branch of a multibranch project that of the project.
fn service(job: &str, branch: &str) -> String {
    let mut names = job.rsplit('/');
    let last = names.next().unwrap_or_default();
    let is_branch = BRANCHES.contains(&last) || (!last.is_empty() && branch.ends_with(last));
    let project = names.next().filter(|_| is_branch);
    project.unwrap_or(last).to_owned()
}
