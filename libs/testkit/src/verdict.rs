//! Verdicts.

use tarsy_domain::id::VerdictId;
use tarsy_domain::verdict::{
    AffectedObject, AlertStatement, Alternative, Category, Confidence, Evidence, NotExamined,
    Outcome, Source, Verdict,
};
use tarsy_store::{Batch, Claim, Error, NewVerdict, Op, Store};

/// That the disk of the host `web-1` is full, with one of everything.
pub fn a_verdict() -> Verdict {
    Verdict {
        outcome: Outcome::CauseFound,
        alert_statement: AlertStatement::Confirmed,
        answer: "confirmed: /var is 100 % full".to_owned(),
        cause: "the disk is full".to_owned(),
        category: Category::Disk,
        object: AffectedObject {
            kind: "host".to_owned(),
            name: "web-1".to_owned(),
            namespace: None,
        },
        since: Some("3m".to_owned()),
        confidence: Confidence::High,
        evidence: vec![Evidence { call: 3, line: 17, text: "/var 40G 40G".to_owned() }],
        alternatives: vec![Alternative {
            cause: "a leak".to_owned(),
            category: Category::OutOfMemory,
            object: None,
            because: "memory is free".to_owned(),
            evidence: vec![Evidence { call: 1, line: 2, text: "Mem: 64G free".to_owned() }],
            change: None,
        }],
        charts: Vec::new(),
        change: None,
        not_examined: vec![NotExamined { what: "inodes".to_owned(), why: "it failed".to_owned() }],
        next_steps: vec!["look".to_owned(), "delete <logs>".to_owned()],
        source: Source::Model,
    }
}

/// Gives a running session its verdict.
pub async fn record_verdict(store: &Store, claim: &Claim, verdict: Verdict) -> Result<(), Error> {
    let new = NewVerdict { id: VerdictId::new(), execution_id: None, verdict };
    let id = new.id;
    let batch = Batch::new().with(Op::StoreVerdict(new)).with(Op::SetVerdict(id));
    store.commit(claim.fence, batch).await?;
    Ok(())
}
