//! Keeps one replica connected: a connection to each of its workers, each checked again and again.

use std::sync::Arc;

use futures::future::join_all;
use tokio::time::{Instant, sleep_until};

use super::address::Address;
use super::connect::{Connector, check};
use super::connection::Connection;
use super::metrics::Reason;
use super::pool::Pool;
use super::timing::Timing;

/// Attempts to reach a worker that has no connection yet, in one go: the kernel chooses who gets a connection, and of
/// `n` workers each is chosen with the chance 1/n.
const ATTEMPTS_PER_WORKER: usize = 4;
const ATTEMPTS: usize = 8;

/// Runs until it is aborted.
pub(crate) async fn keep(pool: Arc<Pool>, address: Address, connector: Connector, timing: Timing) {
    let Some(signals) = pool.signals(&address) else { return };
    loop {
        match fill(&pool, &address, &connector).await {
            Ok(()) => pool.filled(&address),
            Err(reason) => pool.attempt_failed(&address, reason),
        }
        let mut check_at = Instant::now() + timing.check_every;
        loop {
            let retry_at = pool.retry_at(&address);
            tokio::select! {
                () = signals.attempt.notified() => break,
                () = signals.rescheduled.notified() => {}
                () = sleep_until(retry_at.unwrap_or(check_at)), if retry_at.is_some() => break,
                () = sleep_until(check_at) => {
                    check_all(&pool, &address, timing).await;
                    if pool.retry_at(&address).is_none() {
                        // Workers that were not found the last time.
                        break;
                    }
                    check_at = Instant::now() + timing.check_every;
                }
            }
        }
    }
}

/// Opens connections until each worker has one, or the attempts are used up; fails if one cannot be opened.
async fn fill(pool: &Pool, address: &Address, connector: &Connector) -> Result<(), String> {
    let mut attempts = 0;
    loop {
        let (open, wanted) = pool.connections(address);
        if open.len() >= wanted || attempts >= wanted * ATTEMPTS_PER_WORKER + ATTEMPTS {
            return Ok(());
        }
        let (channel, worker) = connector.open(address).await?;
        pool.add(address, channel, worker);
        attempts += 1;
    }
}

async fn check_all(pool: &Pool, address: &Address, timing: Timing) {
    let (open, _) = pool.connections(address);
    join_all(open.iter().map(|connection| check_one(pool, address, connection, timing))).await;
}

async fn check_one(pool: &Pool, address: &Address, connection: &Connection, timing: Timing) {
    match check(&connection.channel, timing.check).await {
        Ok(worker) if worker.id == connection.worker => {}
        // The channel has connected again by itself.
        Ok(_) => pool.replace_connection(address, connection.id),
        Err(reason) => pool.drop_connection(address, connection.id, Reason::Check, reason),
    }
}
