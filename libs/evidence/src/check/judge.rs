//! The verdict on each claim.

use super::context::{Context, Judge, Look};
use super::evidence::Evidence;
use super::number_claim::{NumberClaim, other_numbers};
use super::scan::{Match, Scan};
use super::{Checked, Ground, Place, Report, Verdict, computed, names, numbers, times};
use crate::claim::{Claim, Content, Document, is_name};
use crate::quantity::{Fit, Precision, Quantity};

/// A verdict and what it rests on.
#[derive(Clone, Debug)]
pub(super) struct Judgement {
    pub(super) verdict: Verdict,
    pub(super) place: Option<Place>,
    pub(super) instead: Option<String>,
    /// What a mark rests on.
    pub(super) ground: Option<Ground>,
}

impl Evidence {
    /// Checks the claims of a Markdown text.
    pub fn check(&self, text: &str) -> Report {
        let document = Document::parse(text);
        let scan = Scan::new(self, &document);
        let judge = Judge { evidence: self, document: &document, scan: &scan };
        let claims = document.claims.iter().enumerate();
        let mut report = Report::default();
        for (index, claim) in claims {
            let Some(judgement) = judge.claim(index, claim) else { continue };
            let Judgement { verdict, place, instead, ground } = judgement;
            if ground.is_some_and(|ground| !judge.is_certain(index, claim, ground)) {
                report.open += 1;
            } else {
                report.claims.push(Checked {
                    claim: claim.clone(),
                    verdict,
                    place,
                    instead,
                    ground,
                });
            }
        }
        report
    }
}

impl Judge<'_> {
    /// Nothing, if the claim only repeats what the session was given.
    pub(super) fn claim(&self, index: usize, claim: &Claim) -> Option<Judgement> {
        if let Content::Citation { call, line } = claim.content {
            return Some(self.citation(call, line));
        }
        let statement = self.document.statements.get(claim.statement)?;
        let context = self.context(claim, statement);
        let cited: Vec<usize> = statement
            .calls
            .iter()
            .filter_map(|call| self.evidence.by_number.get(call).copied())
            .collect();
        let others: Vec<usize> =
            (0..self.evidence.sources.len()).filter(|source| !cited.contains(source)).collect();
        let is_number = matches!(claim.content, Content::Quantity(_));
        if is_number && computed::is_no_reading(&context) {
            return None;
        }
        let near = self.look(index, claim, &context, &cited);
        if let Look::Found(place) = near {
            return Some(judgement(Verdict::Supported, place));
        }
        // What the cited result shows otherwise is not made good by another one.
        let in_cited = |found: &Match| cited.contains(&found.source);
        let present = self.scan.matches.get(index).is_some_and(|found| found.iter().any(in_cited));
        if let Look::Contradicted(place, instead, ground) = &near
            && (present || !matches!(claim.content, Content::Quantity(_)))
            && !self.is_given(claim)
        {
            return Some(contradicted(*place, instead, *ground));
        }
        let far = self.look(index, claim, &context, &others);
        if let Look::Found(place) = far {
            let cites_itself = statement.cites;
            if cites_itself && self.is_given(claim) {
                return None;
            }
            if cites_itself {
                let ground = Some(Ground::Elsewhere);
                return Some(Judgement { ground, ..judgement(Verdict::SupportedElsewhere, place) });
            }
            return Some(judgement(Verdict::Uncited, place));
        }
        if self.is_given(claim) {
            return None;
        }
        let is_unclear = near == Look::Unclear || far == Look::Unclear;
        for look in [near, far] {
            if let Look::Contradicted(place, instead, ground) = look {
                return Some(contradicted(place, &instead, ground));
            }
        }
        if is_unclear || self.is_beyond_reading(index, claim, &context) {
            return None;
        }
        let is_near = |one: &Match| one.fit > Fit::Dropped;
        let is_there = self.scan.matches.get(index).is_some_and(|found| found.iter().any(is_near));
        let ground = Some(if is_there { Ground::Taken } else { Ground::Absent });
        Some(Judgement { verdict: Verdict::Unsupported, place: None, instead: None, ground })
    }

    fn citation(&self, call: u32, line: Option<usize>) -> Judgement {
        let source =
            self.evidence.by_number.get(&call).and_then(|index| self.evidence.sources.get(*index));
        let verdict = match source {
            None => Verdict::NoSuchCall,
            Some(source) if line.is_some_and(|line| line > source.search.lines().max(1)) => {
                Verdict::Unsupported
            }
            Some(_) => Verdict::Supported,
        };
        let place = source.map(|_| Place { call, line: line.unwrap_or(1) });
        let ground = verdict.is_flagged().then_some(Ground::Citation);
        Judgement { verdict, place, instead: None, ground }
    }

    /// Whether nothing can be said of a claim that no result shows: it may be computed, or is a word of general knowledge in a
    /// statement that rests on no call, such as a command.
    fn is_beyond_reading(&self, index: usize, claim: &Claim, context: &Context<'_>) -> bool {
        let all: Vec<usize> = (0..self.evidence.sources.len()).collect();
        match &claim.content {
            Content::Quantity(quantity) => {
                computed::may_be(&self.number((index, claim), *quantity, context, &all))
            }
            Content::Time(moment) => computed::time_may_be(self, context, moment),
            Content::Name(name) => {
                context.statement.calls.is_empty() && (!is_name(name) || is_key(name))
            }
            Content::Quotation(_) | Content::Citation { .. } => false,
        }
    }

    pub(super) fn number<'n>(
        &'n self,
        (index, claim): (usize, &'n Claim),
        quantity: Quantity,
        context: &'n Context<'n>,
        sources: &'n [usize],
    ) -> NumberClaim<'n> {
        let others = Vec::new();
        let mut number =
            NumberClaim { judge: self, context, quantity, claim, index, sources, others };
        number.others = other_numbers(&number);
        number
    }

    fn look(&self, index: usize, claim: &Claim, context: &Context<'_>, sources: &[usize]) -> Look {
        match &claim.content {
            Content::Quantity(quantity) => {
                numbers::look(&self.number((index, claim), *quantity, context, sources))
            }
            Content::Time(moment) => times::look(self, (index, claim), context, *moment, sources),
            Content::Quotation(text) => names::look_for_quotation(self, text, context, sources),
            Content::Name(name) => names::look_for_name(self, name, context, sources),
            Content::Citation { .. } => Look::Nothing,
        }
    }

    /// Whether the alert, the question or the runbook has the same.
    fn is_given(&self, claim: &Claim) -> bool {
        let given = &self.evidence.given;
        match &claim.content {
            Content::Quantity(quantity) => {
                given.numbers.iter().any(|other| is_same(quantity, other))
            }
            Content::Time(moment) => {
                let slack = super::scan::slack(claim.precision);
                given.moments.iter().any(|other| moment.fits(other, slack))
            }
            Content::Quotation(text) | Content::Name(text) => {
                let parts = super::scan::fragments(text);
                !given.text.is_empty()
                    && parts.iter().all(|part| given.text.contains(part.as_str()))
            }
            Content::Citation { .. } => false,
        }
    }
}

fn judgement(verdict: Verdict, place: Place) -> Judgement {
    Judgement { verdict, place: Some(place), instead: None, ground: None }
}

fn contradicted(place: Place, instead: &str, ground: Ground) -> Judgement {
    let instead = Some(instead.to_owned());
    Judgement { instead, ground: Some(ground), ..judgement(Verdict::Contradicted, place) }
}

/// Whether a name is written as settings and metrics are (`pm.max_children`), which people know without a result.
fn is_key(name: &str) -> bool {
    name.contains('_')
        && name.bytes().all(|byte| byte.is_ascii_lowercase() || matches!(byte, b'_' | b'.'))
}

/// Whether two numbers are written alike; what is only near is not repeated.
fn is_same(one: &Quantity, other: &Quantity) -> bool {
    let fits = |one: &Quantity, other: &Quantity| one.fits(other, Precision::AsWritten) > Fit::No;
    fits(one, other) && fits(other, one)
}
