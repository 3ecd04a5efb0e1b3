//! The budgets of tokens of one day, of all sessions together and of each sender.

use tarsy_catalog::Limits as Quotas;
use tarsy_store::DailyUsage;

use crate::engine::budget::{Limit, Reached};

/// The budgets of a day; none is no limit.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct DailyBudget {
    total: Option<u32>,
    of_sender: Option<u32>,
}

impl DailyBudget {
    pub(crate) fn new(quotas: Quotas) -> Self {
        Self {
            total: Quotas::on(quotas.daily_tokens),
            of_sender: Quotas::on(quotas.daily_tokens_per_sender),
        }
    }

    pub(crate) const fn is_off(self) -> bool {
        self.total.is_none() && self.of_sender.is_none()
    }

    /// The budget that is used up.
    pub(crate) fn reached(self, usage: DailyUsage) -> Option<Reached> {
        let budgets = [
            (Limit::DailyTokensOfSender, self.of_sender, usage.of_sender),
            (Limit::DailyTokens, self.total, usage.total),
        ];
        budgets.into_iter().find_map(|(limit, maximum, used)| {
            let (maximum, used) = (u64::from(maximum?), u64::try_from(used).unwrap_or_default());
            (used >= maximum).then_some(Reached { limit, maximum, used })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_budget_of_a_day_is_that_of_the_sender_or_of_all() {
        let usage = DailyUsage { total: 100, of_sender: 40 };
        let limit = |total, of_sender| {
            DailyBudget { total, of_sender }.reached(usage).map(|reached| reached.limit)
        };
        assert_eq!(limit(None, None), None);
        assert_eq!(limit(Some(101), Some(41)), None);
        assert_eq!(limit(Some(100), Some(41)), Some(Limit::DailyTokens));
        assert_eq!(limit(Some(100), Some(40)), Some(Limit::DailyTokensOfSender));
    }
}
