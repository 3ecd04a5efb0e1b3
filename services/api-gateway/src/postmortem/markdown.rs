//! A postmortem as Markdown. Texts of others are shown letter by letter: they format, mention and link nothing.

use std::fmt::Write as _;

use tarsy_contracts::postmortem::{
    Postmortem, PostmortemCause, PostmortemImpact, PostmortemMoment, PostmortemTime,
};
use tarsy_domain::postmortem::{CauseState, ProseSection};

use super::plain::{address, code, plain};
use super::prose;
use super::words::{alerts, between, duration, sentence, time};

/// Stands where a person has to write.
const TO_DO: &str = "**TO DO**";

pub(crate) fn markdown(postmortem: &Postmortem) -> String {
    let mut text = format!("# Postmortem: {}\n\n", plain(&postmortem.title));
    let sessions = postmortem.sessions.len();
    let noun = if sessions == 1 { "session" } else { "sessions" };
    line(
        &mut text,
        &format!(
            "> Made by rules from the records of {sessions} {noun} of TARSy. Times are in UTC. Verify it, and replace each {TO_DO}."
        ),
    );
    let prose = postmortem.prose.as_ref().filter(|prose| prose.is_shown());
    if let Some(prose) = prose {
        line(&mut text, &format!(">\n{}", prose::byline(prose)));
    }
    let written = |part| prose.and_then(|prose| prose::section(prose, part));
    let by_rules = || plain(&postmortem.summary.join(" "));
    let shown = written(ProseSection::Summary).unwrap_or_else(by_rules);
    section(&mut text, "Summary", &summary(postmortem, shown));
    section(&mut text, "Impact", &impact(&postmortem.impact));
    if let Some(happened) = written(ProseSection::WhatHappened) {
        section(&mut text, "What happened", &happened);
    }
    section(&mut text, "Timeline", &timeline(postmortem));
    section(&mut text, "Cause", &cause(&postmortem.cause));
    let nothing = |of: &str| format!("The records show nothing that {of}.");
    section(
        &mut text,
        "What helped",
        &listed(&postmortem.helped).unwrap_or_else(|| nothing("helped")),
    );
    let missing = listed(&postmortem.missing).unwrap_or_else(|| nothing("was missing"));
    section(&mut text, "What was missing", &missing);
    if let Some(lessons) = written(ProseSection::Lessons) {
        section(&mut text, "Lessons", &lessons);
    }
    section(&mut text, "Actions", &actions(postmortem));
    if !postmortem.questions.is_empty() {
        section(&mut text, "Questions and answers", &questions(postmortem));
    }
    let open: Vec<_> =
        postmortem.to_fill.iter().map(|one| format!("- [ ] {}", plain(one))).collect();
    section(&mut text, "Still to write", &open.join("\n"));
    if let Some(facts) = prose.and_then(prose::facts) {
        section(&mut text, "Facts", &facts);
    }
    section(&mut text, "Records", &records(postmortem));
    text
}

fn summary(postmortem: &Postmortem, mut text: String) -> String {
    if let Some(written) = &postmortem.executive_summary {
        let _ =
            write!(text, "\n\nThe executive summary of the investigation:\n\n> {}", plain(written));
    }
    text
}

fn impact(impact: &PostmortemImpact) -> String {
    let stated = |time: &Option<PostmortemTime>| {
        time.as_ref().map_or(TO_DO.to_owned(), |stated| {
            format!("{} (stated by {})", self::time(stated.at), plain(&stated.stated_by))
        })
    };
    let place = [
        ("Severity", &impact.severity),
        ("Service", &impact.service),
        ("Namespace", &impact.namespace),
        ("Cluster", &impact.cluster),
    ];
    let mut lines: Vec<_> = place
        .into_iter()
        .filter_map(|(name, value)| Some(format!("- {name}: {}", plain(value.as_ref()?))))
        .collect();
    lines.push(format!("- Who was affected: {TO_DO}"));
    lines.push(format!("- Began: {}", stated(&impact.began)));
    lines.push(format!("- Noticed: {}", stated(&impact.noticed)));
    lines.push(format!("- Over: {}", stated(&impact.ended)));
    let to_end = impact.noticed.as_ref().zip(impact.ended.as_ref());
    let spans = [
        ("Lasted", impact.seconds),
        ("From its beginning to the first alert", impact.seconds_to_notice),
        ("From the first alert to a stated cause", impact.seconds_to_cause),
        ("From the first alert to its end", to_end.and_then(|(one, end)| between(one.at, end.at))),
    ];
    let spans = spans
        .into_iter()
        .filter_map(|(name, seconds)| Some(format!("- {name}: {}", duration(seconds?))));
    lines.extend(spans);
    lines.push(format!("- Alerts: {}", alerts(impact)));
    if !impact.dependents.is_empty() {
        lines.push(format!("- What depends on it: {}", plain(&impact.dependents.join(", "))));
    }
    lines.join("\n")
}

fn timeline(postmortem: &Postmortem) -> String {
    let rows: Vec<_> = postmortem.timeline.iter().map(row).collect();
    if rows.is_empty() {
        return format!("{TO_DO}: the records state no times.");
    }
    let mut text =
        format!("| Time | What happened | Stated by |\n|---|---|---|\n{}", rows.join("\n"));
    if postmortem.moments_left_out > 0 {
        let _ =
            write!(text, "\n\n{} moments of the middle are left out.", postmortem.moments_left_out);
    }
    text
}

fn row(moment: &PostmortemMoment) -> String {
    let link = moment.link.as_ref().map(|link| format!(" ([page](<{}>))", address(link)));
    let what = format!("{}{}", plain(&moment.text), link.unwrap_or_default());
    format!("| {} | {what} | {} |", time(moment.at), plain(&moment.source))
}

fn cause(cause: &PostmortemCause) -> String {
    let mut parts = vec![format!("**{}**", plain(&sentence(&cause.text)))];
    let claims = cause.claims.map(|claims| {
        format!("{} of {} statements are backed by a result", claims.verified, claims.total)
    });
    let facts = [
        ("Review", cause.review.clone()),
        ("Kind", cause.category.clone()),
        ("Affected", cause.object.clone()),
        ("Since", cause.since.clone()),
        ("Explained by", cause.change.as_ref().map(explained)),
        ("Confidence", cause.confidence.clone()),
        ("What the alert states", cause.alert_statement.clone()),
        ("Hint", cause.hint.clone()),
        ("Checked", claims),
    ];
    let facts =
        facts.into_iter().filter_map(|(name, value)| Some(format!("- {name}: {}", plain(&value?))));
    parts.push(facts.collect::<Vec<_>>().join("\n"));
    if cause.state != CauseState::Reviewed {
        parts.push(format!("{TO_DO}: a person confirms or corrects it."));
    }
    let evidence =
        cause.evidence.iter().map(|one| format!("- {}: {}", plain(&one.source), code(&one.text)));
    let lists = [
        ("Evidence", (!cause.evidence.is_empty()).then(|| evidence.collect::<Vec<_>>().join("\n"))),
        ("Other causes considered", listed(&cause.alternatives)),
        ("What the other sessions found", listed(&cause.others)),
    ];
    for (title, list) in lists {
        parts.extend(list.map(|list| format!("### {title}\n\n{list}")));
    }
    parts.retain(|part| !part.is_empty());
    parts.join("\n\n")
}

/// A change with its time and its source.
fn explained(change: &PostmortemMoment) -> String {
    format!("{} at {} UTC (stated by {})", change.text, time(change.at), change.source)
}

fn actions(postmortem: &Postmortem) -> String {
    let prevention = format!("| {TO_DO}: what prevents it from happening again | | | |");
    let rows = postmortem.actions.iter().map(|one| {
        let owner = one.owner.as_deref().map_or_else(String::new, plain);
        format!("| {} | {} | {owner} | |", plain(&one.text), plain(&one.because))
    });
    let rows: Vec<_> = rows.chain([prevention]).collect();
    format!("| Action | Because | Owner | Due |\n|---|---|---|---|\n{}", rows.join("\n"))
}

fn questions(postmortem: &Postmortem) -> String {
    let asked = postmortem.questions.iter().map(|one| {
        let answer = one.answer.as_deref().map_or_else(|| "no answer yet".to_owned(), plain);
        format!("- {} asked: {}\n\n  {answer}", plain(&one.author), plain(&one.question))
    });
    asked.collect::<Vec<_>>().join("\n")
}

fn records(postmortem: &Postmortem) -> String {
    let sessions = postmortem.sessions.iter().map(|one| {
        let ended = one.completed_at.map(|at| format!(", ended {}", time(at)));
        let (page, begun) = (address(&one.page), time(one.created_at));
        format!(
            "- [{}](<{page}>): {}, begun {begun}{}",
            one.id,
            one.status,
            ended.unwrap_or_default()
        )
    });
    let related = postmortem.related.iter().map(|one| {
        let why = if one.because == "same_alert" {
            "the same alert"
        } else {
            "an alert of the same group"
        };
        let title = one.title.as_deref().unwrap_or("an alert without a title");
        format!(
            "- Not part of it: {}, {} at {} ({})",
            one.id,
            why,
            time(one.created_at),
            plain(title)
        )
    });
    sessions.chain(related).collect::<Vec<_>>().join("\n")
}

fn listed(texts: &[String]) -> Option<String> {
    let lines: Vec<_> = texts.iter().map(|text| format!("- {}", plain(text))).collect();
    (!lines.is_empty()).then(|| lines.join("\n"))
}

fn section(text: &mut String, title: &str, content: &str) {
    line(text, &format!("\n## {title}\n\n{content}"));
}

fn line(text: &mut String, line: &str) {
    // Writing into a text cannot fail.
    let _ = writeln!(text, "{line}");
}
