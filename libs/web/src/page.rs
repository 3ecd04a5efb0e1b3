//! Pages of a list.

use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where a page stands in its list.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
pub struct Pagination {
    /// The page, from 1.
    pub page: i64,
    /// How many items a page holds.
    pub page_size: i64,
    /// How many pages can be asked for.
    pub total_pages: i64,
    /// How many items there are; an estimate if there are thousands.
    pub total_items: i64,
}

impl Pagination {
    /// The place of this page in a list of so many items, of which pages reach the first ones.
    pub fn new(page: i64, page_size: i64, total_items: i64, reachable: i64) -> Self {
        let size = page_size.max(1);
        let total = total_items.max(0);
        let total_pages = if total > reachable {
            reachable / size
        } else {
            total / size + i64::from(total % size > 0)
        };
        Self { page, page_size, total_pages, total_items: total }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rest_fills_one_more_page() {
        for (items, pages) in [(0, 0), (1, 1), (25, 1), (26, 2), (50, 2)] {
            assert_eq!(Pagination::new(1, 25, items, 10_000).total_pages, pages, "{items}");
        }
    }

    #[test]
    fn pages_end_where_they_reach_no_further() {
        for (size, items, pages) in [(25, 100, 4), (25, 1_000, 4), (30, 100, 4), (30, 101, 3)] {
            assert_eq!(Pagination::new(1, size, items, 100).total_pages, pages, "{size}, {items}");
        }
    }
}
