//! Topics that words of an alert and of tools share.

/// A topic, and words that belong to it.
const TOPICS: &[(&str, &str)] = &[
    ("cpu", "cpu load processor processes top throttling busy steal"),
    ("memory", "memory mem oom ram swap heap leak killed"),
    (
        "disk",
        "disk disks filesystem filesystems inode inodes storage volume volumes mount mountpoint space",
    ),
    (
        "network",
        "network latency packet packets connection connections socket sockets port ports listen interface interfaces route routes",
    ),
    ("dns", "dns resolve resolves resolver lookup nxdomain domain hostname"),
    ("http", "http https endpoint url probe health website status request requests"),
    ("certificate", "certificate certificates tls ssl x509 expiry expires"),
    ("service", "service services unit units systemd process daemon journal"),
    ("kernel", "kernel dmesg oom segfault panic hardware"),
    (
        "database",
        "database postgres postgresql mysql mongodb redis sql query queries replication locks connections pool",
    ),
    ("time", "time clock ntp chrony skew drift"),
    ("log", "log logs journal error errors exception"),
    (
        "pod",
        "pod pods container containers crashloop crashlooping restart restarts kubernetes deployment",
    ),
    ("event", "event events change changes deploy"),
];

/// The topics that the words are about.
pub(crate) fn topics(words: &[String]) -> Vec<&'static str> {
    let is_about = |list: &str| list.split(' ').any(|word| words.iter().any(|one| one == word));
    TOPICS.iter().filter(|(_, list)| is_about(list)).map(|(topic, _)| *topic).collect()
}

/// Words of three letters or more that carry meaning, in small letters; CamelCase is split.
pub(crate) fn significant(text: &str) -> Vec<String> {
    const FILLER: &str = " the and for with from not has have was were are this that its into over than above below is on in at of to by an or ";
    let mut found: Vec<String> = super::policy::words(text);
    found.extend(text.split(|c: char| !c.is_alphanumeric()).map(str::to_lowercase));
    found.retain(|word| word.len() > 2 && !FILLER.contains(&format!(" {word} ")));
    found.sort();
    found.dedup();
    found
}

/// All words of these topics.
pub(crate) fn words_of_topics(of: &[&str]) -> Vec<String> {
    let lists = TOPICS.iter().filter(|(topic, _)| of.contains(topic)).map(|(_, list)| *list);
    lists.flat_map(|list| list.split(' ').map(str::to_owned)).collect()
}
