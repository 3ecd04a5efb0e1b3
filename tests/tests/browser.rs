//! The operator's path, in Chromium, on the real stack.

use tarsy_e2e::{Llm, Stack, StackOptions};

#[tokio::test]
async fn an_operator_submits_on_the_page_watches_the_text_and_reads_the_analysis()
-> anyhow::Result<()> {
    let stack =
        Stack::start(StackOptions { llm: Llm::Offline(150), ..StackOptions::default() }).await?;
    let output = tokio::process::Command::new("node")
        .arg("e2e/journey.mjs")
        .current_dir(tarsy_testkit::workspace().join("dashboard"))
        .env("TARSY_URL", stack.url())
        .output()
        .await?;
    let text = String::from_utf8_lossy(&output.stdout);
    let problems = String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "{text}\n{problems}\n{}", stack.logs());
    assert!(text.contains("passed, 0 failed"), "{text}");
    Ok(())
}
