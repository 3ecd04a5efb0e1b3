//! The facts of a postmortem, numbered: all that a model is given to write its prose from.

use tarsy_contracts::postmortem::{Postmortem, PostmortemFact, PostmortemMoment, PostmortemTime};
use tarsy_domain::postmortem::CauseState;

use super::words::{alerts, duration, line, time};

/// Facts of one postmortem. Of a timeline for which no place is left, the middle is left out.
const MOST: usize = 120;
/// Characters of a fact.
const LONGEST: usize = 400;

/// Where facts come from that are no moment.
const RECORD: &str = "the record";

/// Facts under their numbers, those of the timeline last.
pub(crate) fn facts(postmortem: &Postmortem) -> Vec<PostmortemFact> {
    let mut facts = Facts::default();
    impact(&mut facts, postmortem);
    cause(&mut facts, postmortem);
    for (what, texts) in [("Helped", &postmortem.helped), ("Missing", &postmortem.missing)] {
        for text in texts {
            facts.add(format!("{what}: {text}"), RECORD);
        }
    }
    for action in &postmortem.actions {
        facts.add(format!("Left to do: {}", action.text), &action.because);
    }
    for one in &postmortem.questions {
        if let Some(answer) = &one.answer {
            facts.add(format!("{} asked: {} Answer: {answer}", one.author, one.question), RECORD);
        }
    }
    timeline(&mut facts, &postmortem.timeline);
    facts.0
}

fn timeline(facts: &mut Facts, moments: &[PostmortemMoment]) {
    let left = MOST.saturating_sub(facts.0.len());
    let end = left.min(moments.len()) / 2;
    let (first, last) = (left.min(moments.len()) - end, moments.len() - end);
    for (place, moment) in moments.iter().enumerate() {
        if place < first || place >= last {
            facts.add(format!("{} UTC: {}", time(moment.at), moment.text), &moment.source);
        }
    }
}

#[derive(Default)]
struct Facts(Vec<PostmortemFact>);

impl Facts {
    fn add(&mut self, text: impl Into<String>, source: &str) {
        if self.0.len() < MOST {
            let id = format!("F{}", self.0.len() + 1);
            let (text, source) = (line(&text.into(), LONGEST), line(source, LONGEST));
            self.0.push(PostmortemFact { id, text, source });
        }
    }
}

fn impact(facts: &mut Facts, postmortem: &Postmortem) {
    let impact = &postmortem.impact;
    facts.add(format!("The alert: {}", postmortem.title), RECORD);
    for (name, value) in [
        ("Severity", &impact.severity),
        ("Service", &impact.service),
        ("Namespace", &impact.namespace),
        ("Cluster", &impact.cluster),
    ] {
        if let Some(value) = value {
            facts.add(format!("{name}: {value}"), "the alert");
        }
    }
    let mut stated = |name: &str, at: &Option<PostmortemTime>| {
        if let Some(stated) = at {
            facts.add(format!("{name}: {} UTC", time(stated.at)), &stated.stated_by);
        }
    };
    stated("The incident began", &impact.began);
    stated("It was noticed", &impact.noticed);
    stated("It was over", &impact.ended);
    for (name, seconds) in [
        ("The incident lasted", impact.seconds),
        ("From its beginning to the first alert", impact.seconds_to_notice),
        ("From the first alert to a stated cause", impact.seconds_to_cause),
    ] {
        if let Some(seconds) = seconds {
            facts.add(format!("{name}: {}", duration(seconds)), RECORD);
        }
    }
    facts.add(format!("Alerts: {}", alerts(impact)), RECORD);
    for one in &impact.dependents {
        facts.add(format!("Depends on it: {one}"), RECORD);
    }
}

fn cause(facts: &mut Facts, postmortem: &Postmortem) {
    let cause = &postmortem.cause;
    let (state, source) = match cause.state {
        CauseState::Reviewed => ("Cause, as a person reviewed it", cause.review.as_deref()),
        CauseState::Stated => ("Cause, as the investigation states it; nobody reviewed it", None),
        CauseState::NotFound => ("No cause was found", None),
    };
    facts.add(format!("{state}: {}", cause.text), source.unwrap_or("TARSy"));
    for (name, value) in [
        ("Kind of cause", &cause.category),
        ("The cause is in", &cause.object),
        ("Confidence", &cause.confidence),
        ("What the alert states", &cause.alert_statement),
    ] {
        if let Some(value) = value {
            facts.add(format!("{name}: {value}"), "TARSy");
        }
    }
    for one in &cause.evidence {
        facts.add(one.text.clone(), &one.source);
    }
    for other in &cause.alternatives {
        facts.add(format!("Ruled out, or ranked lower: {other}"), "TARSy");
    }
}
