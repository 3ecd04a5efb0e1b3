//! What is asked of the lists, the search, the overview and the page of prevention: every filter in every order, every pair of
//! filters, and words of all frequencies with every filter.

use tarsy_domain::memory::MemoryState;
use tarsy_store::{Meaning, MemoryQuery, SearchQuery, SessionQuery, SortBy};

use crate::many_sessions::ListRequest;
use crate::many_sessions::filters::{FILTERS, Filter, WORDS};

const ORDERS: [(&str, SortBy); 6] = [
    ("created_at", SortBy::CreatedAt),
    ("status", SortBy::Status),
    ("alert_type", SortBy::AlertType),
    ("author", SortBy::Author),
    ("duration", SortBy::Duration),
    ("score", SortBy::Score),
];
const DIRECTIONS: [(&str, bool); 2] = [("desc", true), ("asc", false)];
/// Texts for the search over alerts, findings and calls.
const TEXTS: [(&str, &str); 12] = [
    ("frequent word", "error"),
    ("two frequent words", "503 error"),
    ("rare word", "oomkilled"),
    ("unknown word", "qqqqq"),
    ("frequent and rare word", "error word4711"),
    ("frequent beginning", "wor"),
    ("rare beginning", "c4ca4"),
    ("name", "service-7"),
    ("name of a quarter", "cluster-2"),
    ("address", "10.7.3.0"),
    ("frequent words that are no name", "error-503-http"),
    ("one call of 100", "timeout word33"),
];

/// Requests that are alike.
#[derive(Clone, Debug)]
pub struct RequestGroup {
    pub name: String,
    pub requests: Vec<(String, ListRequest)>,
}

impl RequestGroup {
    fn new(name: impl Into<String>, requests: Vec<(String, ListRequest)>) -> Self {
        Self { name: name.into(), requests }
    }
}

/// All requests to the sessions of [`super::seed_sessions`], each with a name of its own in its group.
pub fn list_requests() -> Vec<RequestGroup> {
    let mut groups = vec![
        RequestGroup::new("filter options", vec![(String::new(), ListRequest::FilterOptions)]),
        RequestGroup::new("active sessions", vec![(String::new(), ListRequest::Active)]),
        RequestGroup::new("providers", vec![(String::new(), ListRequest::Providers)]),
        RequestGroup::new("list of all", in_all_orders(&SessionQuery::default())),
        RequestGroup::new("list, other pages", pages()),
    ];
    for (name, set) in FILTERS {
        groups.push(RequestGroup::new(format!("list {name}"), in_all_orders(&only(set))));
    }
    for (place, filter) in FILTERS.into_iter().enumerate().take(FILTERS.len() - 1) {
        let others = FILTERS.get(place + 1..).unwrap_or_default();
        groups.push(RequestGroup::new(format!("list {} and", filter.0), pairs(filter, others)));
    }
    for (frequency, words) in WORDS {
        let name = format!("list with a word {frequency}");
        groups.push(RequestGroup::new(name, with_words(words)));
    }
    groups.extend(
        TEXTS.map(|(name, text)| RequestGroup::new(format!("search {name}"), search(text))),
    );
    // Ids of the same weeks begin alike.
    let id = uuid::Uuid::now_v7().to_string();
    groups.extend(
        [("id", &id[..]), ("8 digits of an id", &id[..8]), ("4 digits of an id", &id[..4])]
            .map(|(name, text)| RequestGroup::new(format!("search {name}"), search(text))),
    );
    groups.push(RequestGroup::new("list with an id", with_words(&id)));
    groups.push(RequestGroup::new("list with the beginning of an id", with_words(&id[..4])));
    groups.push(RequestGroup::new("memories", memories()));
    groups.push(RequestGroup::new("prevention", vec![(String::new(), ListRequest::Prevention)]));
    groups.extend(
        [("1 h", 1), ("1 d", 24), ("7 d", 7 * 24), ("30 d", 30 * 24), ("90 d", 90 * 24)].map(
            |(name, hours)| {
                let requests = vec![(String::new(), ListRequest::Overview(hours))];
                RequestGroup::new(format!("overview {name}"), requests)
            },
        ),
    );
    groups.extend([("1 day", 0), ("30 days", 29), ("92 days", 91)].map(|(name, days)| {
        let requests = vec![(String::new(), ListRequest::Scores(days))];
        RequestGroup::new(format!("scores of {name}"), requests)
    }));
    groups
}

fn memories() -> Vec<(String, ListRequest)> {
    let list = |text: Option<&str>, state| {
        let text = text.map(str::to_owned);
        let query = MemoryQuery { text, state, limit: 50, ..MemoryQuery::default() };
        ListRequest::Memories(Box::new(query))
    };
    // As long as those of the seed, near to none of them and to some of them.
    let meaning = |min_similarity| Meaning {
        model: "seed".to_owned(),
        vector: (0..256_u16).map(|number| f32::from(number % 17) - 8.0).collect(),
        min_similarity,
    };
    let requests = [
        ("list", list(None, None)),
        ("list of retired ones", list(None, Some(MemoryState::Retired))),
        ("list with a frequent word", list(Some("pool"), None)),
        ("list with a rare word", list(Some("word4711"), None)),
        ("list of a session", ListRequest::MemoriesOfSession),
        ("recall by a frequent word", ListRequest::Recall("the pool", None)),
        ("recall by a rare word", ListRequest::Recall("word4711", None)),
        ("recall by meaning", ListRequest::Recall("qqqqq", Some(meaning(-1.0)))),
        ("recall by words and meaning", ListRequest::Recall("pool", Some(meaning(-1.0)))),
        ("recall for an alert", ListRequest::RecallForAlert(None)),
        ("recall for an alert by meaning", ListRequest::RecallForAlert(Some(meaning(0.9)))),
    ];
    requests.map(|(name, request)| (name.to_owned(), request)).into()
}

fn only(set: fn(&mut SessionQuery)) -> SessionQuery {
    let mut query = SessionQuery::default();
    set(&mut query);
    query
}

fn sessions(name: String, query: SessionQuery) -> (String, ListRequest) {
    (name, ListRequest::Sessions(Box::new(query)))
}

fn in_all_orders(query: &SessionQuery) -> Vec<(String, ListRequest)> {
    let orders =
        ORDERS.into_iter().flat_map(|order| DIRECTIONS.map(|direction| (order, direction)));
    orders
        .map(|((by, sort_by), (direction, descending))| {
            let query = SessionQuery { sort_by, descending, ..query.clone() };
            sessions(format!("by {by} {direction}"), query)
        })
        .collect()
}

fn pages() -> Vec<(String, ListRequest)> {
    let page = |page, page_size| SessionQuery { page, page_size, ..SessionQuery::default() };
    let mut pages = vec![
        sessions("of 100".to_owned(), page(1, 100)),
        sessions("page 40".to_owned(), page(40, 25)),
        sessions("page 400".to_owned(), page(400, 25)),
        sessions("page 100 of 100".to_owned(), page(100, 100)),
    ];
    for (by, sort_by) in ORDERS {
        let query = SessionQuery { sort_by, ..page(400, 25) };
        pages.push(sessions(format!("page 400 by {by}"), query));
    }
    pages
}

fn pairs(first: Filter, others: &[Filter]) -> Vec<(String, ListRequest)> {
    let mut pairs = Vec::new();
    for (name, set) in others {
        let mut query = only(first.1);
        set(&mut query);
        let by_duration = SessionQuery { sort_by: SortBy::Duration, ..query.clone() };
        pairs.push(sessions((*name).to_owned(), query));
        pairs.push(sessions(format!("{name} by duration"), by_duration));
    }
    pairs
}

/// A filter of lists with words, in all orders; with another filter by time and by duration.
fn with_words(words: &str) -> Vec<(String, ListRequest)> {
    let with = |query: SessionQuery| SessionQuery { search: Some(words.to_owned()), ..query };
    let mut requests = in_all_orders(&with(SessionQuery::default()));
    for (name, set) in FILTERS {
        let query = with(only(set));
        let by_duration = SessionQuery { sort_by: SortBy::Duration, ..query.clone() };
        requests.push(sessions(format!("and {name}"), query));
        requests.push(sessions(format!("and {name} by duration"), by_duration));
    }
    requests
}

fn search(text: &str) -> Vec<(String, ListRequest)> {
    let query = |filter| SearchQuery { text: text.to_owned(), filter, limit: 20, after: None };
    let mut requests = vec![(String::new(), query(SessionQuery::default()))];
    requests.extend(FILTERS.map(|(name, set)| (format!("and {name}"), query(only(set)))));
    requests.into_iter().map(|(name, query)| (name, ListRequest::Search(Box::new(query)))).collect()
}
