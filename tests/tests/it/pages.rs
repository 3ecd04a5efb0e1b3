//! Every page and the search, in Chromium, on the real stack: apart from the other browser tests, of which these take longest.

use crate::browser::{answering, passes};

#[tokio::test]
async fn an_operator_uses_every_page_on_any_screen_and_with_the_keyboard_alone()
-> anyhow::Result<()> {
    let stack = answering("The disk is full [call 1].").await?;
    passes(&stack, "pages", Some("ledger")).await
}

#[tokio::test]
async fn an_operator_searches_sessions_and_saves_filters() -> anyhow::Result<()> {
    let stack = answering("The disk is full [call 1].").await?;
    passes(&stack, "search", Some("ledger")).await
}

#[tokio::test]
async fn an_operator_filters_and_counts_sessions() -> anyhow::Result<()> {
    let stack = answering("The disk is full [call 1].").await?;
    passes(&stack, "history", Some("ledger")).await?;
    passes(&stack, "overview", Some("ledger")).await
}
