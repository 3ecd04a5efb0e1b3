//! Which connection gets a call, and which replica is tried when there is none: functions of values.

use tokio::time::Instant;

/// The position of the connection with the fewest calls in flight; `turn` decides between equal ones.
pub(crate) fn fewest(calls: &[usize], turn: usize) -> Option<usize> {
    let least = calls.iter().min()?;
    let equal = calls.iter().filter(|count| *count == least).count();
    let equals = calls.iter().enumerate().filter(|(_, count)| *count == least);
    equals.map(|(position, _)| position).nth(turn.checked_rem(equal)?)
}

/// The position of the replica that failed least recently; one that never failed comes first.
pub(crate) fn least_recently_failed(failed: &[Option<Instant>]) -> Option<usize> {
    let all = failed.iter().enumerate();
    all.min_by_key(|(_, failed_at)| **failed_at).map(|(position, _)| position)
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn the_fewest_calls_win_and_equal_ones_take_turns() {
        assert_eq!(fewest(&[], 0), None);
        assert_eq!(fewest(&[2, 1, 3], 7), Some(1));
        let turns: Vec<_> = (0..4).filter_map(|turn| fewest(&[1, 0, 0], turn)).collect();
        assert_eq!(turns, [1, 2, 1, 2]);
    }

    #[tokio::test]
    async fn who_never_failed_is_tried_before_who_failed_long_ago() {
        let now = Instant::now();
        let before = Some(now.checked_sub(Duration::from_secs(1)).unwrap());
        assert_eq!(least_recently_failed(&[]), None);
        assert_eq!(least_recently_failed(&[Some(now), before]), Some(1));
        assert_eq!(least_recently_failed(&[Some(now), before, None]), Some(2));
    }
}
