//! A mark says that a claim is wrong: what may be true all the same is counted.

use tarsy_evidence::{Call, Evidence, Report};

fn check(result: &str, text: &str) -> Report {
    let call =
        Call { number: 1, tool: "host.run", arguments: "{}", text: result, answered_at: None };
    Evidence::new(&[call], &[]).check(text)
}

fn marks(result: &str, text: &str) -> usize {
    check(result, text).flagged().count()
}

const QUEUES: &str = "NAME      READY   UNACKED   CONSUMERS\nmail      18422   250       1\nretry     3121    0         0\nthumbs    74      12        6\n";

#[test]
fn a_sentence_with_one_number_states_a_reading() {
    assert_eq!(marks(QUEUES, "`mail` has 3121 ready messages [call 1]."), 1);
    assert_eq!(marks(QUEUES, "The lag is 48117 messages [call 1]."), 1);
}

#[test]
fn a_sentence_with_several_may_compute_them() {
    assert_eq!(marks(QUEUES, "18422 messages are 85 % of all, and 250 are in flight [call 1]."), 0);
    // What nothing gives is invented, in whichever sentence.
    assert_eq!(
        marks(QUEUES, "`mail` has 18422 messages, and 7,731,509 bytes are paged [call 1]."),
        1
    );
}

#[test]
fn the_value_of_another_object_is_a_contradiction_in_any_sentence() {
    let text = "`retry` has 18422 ready messages while `thumbs` has 6 consumers [call 1].";
    let report = check(QUEUES, text);
    let shown: Vec<_> = report.flagged().filter_map(|one| one.instead.as_deref()).collect();
    assert_eq!(shown, ["READY of retry: 3121"]);
}

#[test]
fn a_quotation_may_leave_words_out_and_change_none() {
    let log = "10:00:01 kernel: Memory cgroup out of memory: Killed process 2213 (python3) total-vm:440kB\n";
    assert_eq!(marks(log, "It says `out of memory: Killed process (python3)` [call 1]."), 0);
    assert_eq!(marks(log, "It says `out of memory: Spared process (python3)` [call 1]."), 1);
    let list = "4) 1) \"KEYS\"\n   2) \"cart:*\"\n";
    assert_eq!(marks(list, "`KEYS cart:*` is slow [call 1]."), 0);
}

#[test]
fn a_name_may_leave_its_hash_and_its_ending_out() {
    let table = "NAME                        STATUS    VERSION\nmail-5c9d8b7f6-q8w4n        Running   v1.29.3-eks-ae9a62a\n";
    assert_eq!(marks(table, "`mail-q8w4n` runs, on 1.29.3 [call 1]."), 0);
    assert_eq!(marks(table, "`mail-x7r2k` runs, on 1.29.8 [call 1]."), 2);
}

#[test]
fn a_product_is_no_identifier_and_a_state_is_one() {
    assert_eq!(marks(QUEUES, "RabbitMQ and ZooKeeper are healthy [call 1]."), 0);
    assert_eq!(marks(QUEUES, "The broker was OOMKilled [call 1]."), 1);
}

#[test]
fn a_clock_may_be_a_duration() {
    let rows = "  pid  |  state  |    xact_age\n-------+---------+-----------------\n 31907 | active  | 00:00:19.800531\n";
    assert_eq!(marks(rows, "It has waited for `00:00:19.8` [call 1]."), 0);
    assert_eq!(marks("waited=19.8s\n", "It has waited for `00:00:19.8` [call 1]."), 0);
    assert_eq!(marks(rows, "It began at 07:31:44 [call 1]."), 1);
}

#[test]
fn a_duration_in_two_parts_is_one() {
    let rows = "slot=replica-b lag=00:14:32 sent=5368709120\n";
    assert_eq!(marks(rows, "It lags by 5 GiB or 14 and a half minutes [call 1]."), 0);
    assert_eq!(marks(rows, "Its lag is 14 minutes and 32 seconds [call 1]."), 0);
    assert_eq!(marks(rows, "Its lag is 14 minutes and 51 seconds [call 1]."), 1);
}

#[test]
fn a_unit_a_sum_and_the_time_between_two_times_are_known() {
    let top = "NAME     MEMORY(bytes)\nmail-0   5121Mi\nmail-1   5098Mi\nmail-2   61Mi\n";
    assert_eq!(marks(top, "The pods use 10280 MiB [call 1]."), 0);
    let log = "09:12:19 begin\n09:14:50 load\n09:16:06 end\n";
    assert_eq!(marks(log, "It was gone after 227 seconds [call 1]."), 0);
}
