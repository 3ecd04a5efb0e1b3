//! What is said to an agent that concludes without a look.

use minijinja::context;

use super::Prompts;
use super::fence::{fenced, line};

/// What an agent has not looked at, though it could.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Unseen {
    /// No call of a tool was answered.
    Everything,
    /// These tools, as `server.tool`, which the chain requires.
    Tools(Vec<String>),
}

/// What is reported of a conclusion, under a heading that says what it does not rest on; `unseen` is as it is stored.
pub(crate) fn headed(unseen: Option<&[String]>, reported: String) -> String {
    let heading = match unseen {
        None => return reported,
        Some([]) => "**No tool was called** that answered. What follows rests on the alert alone, and is not verified.".to_owned(),
        Some(names) => {
            let names: Vec<String> = names.iter().map(|name| line(name)).collect();
            format!("**No tool was called** of these, which the chain requires: {}.", names.join(", "))
        }
    };
    format!("> {heading}\n\n{reported}")
}

impl Unseen {
    /// As it is stored.
    pub(crate) fn into_names(self) -> Vec<String> {
        match self {
            Self::Everything => Vec::new(),
            Self::Tools(names) => names,
        }
    }
}

impl Prompts {
    /// Sends an agent back; `tools` are those to begin with.
    pub(crate) fn look(&self, tools: &[String], by_text: bool) -> String {
        let tools: Vec<String> = tools.iter().map(|tool| line(tool)).collect();
        self.render("look", context! { tools, by_text })
    }

    /// What the timeline says when the offline analyst looks for a model.
    pub(crate) fn gathering(&self) -> String {
        self.render("gathering", context! {}).trim().to_owned()
    }

    /// Requests a conclusion from what the offline analyst found.
    pub(crate) fn gathered(&self, report: &str, by_text: bool) -> String {
        self.render("gathered", context! { report => fenced(report), by_text })
    }
}
