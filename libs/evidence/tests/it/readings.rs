//! What is read from each format.

use tarsy_evidence::{Reading, read};

/// `object | field | value` of each reading.
fn rows(text: &str) -> Vec<String> {
    let row = |reading: &Reading| {
        format!("{} | {} | {}", reading.object, reading.field, reading.value.text)
    };
    read(text).iter().map(row).collect()
}

fn has(text: &str, row: &str) {
    let rows = rows(text);
    assert!(rows.iter().any(|found| found == row), "{row} is not in\n{}", rows.join("\n"));
}

#[test]
fn a_table_of_kubectl_gives_each_cell_to_its_object() {
    let text = "NAMESPACE   NAME    READY   STATUS    RESTARTS      AGE\nshop        web-1   0/1     Error     5 (3m ago)    2d\n";
    has(text, "shop / web-1 | RESTARTS | 5");
    has(text, "shop / web-1 | last restarts age | 3m");
    has(text, "shop / web-1 | AGE | 2d");
}

#[test]
fn a_description_gives_containers_their_own_fields() {
    let text = "Name:       web-1\nNamespace:  shop\nContainers:\n  app:\n    Restart Count:  5\n    Limits:\n      memory:  512Mi\n";
    has(text, "shop / web-1 / app | Restart Count | 5");
    has(text, "shop / web-1 / app | Limits.memory | 512Mi");
}

#[test]
fn json_and_python_name_their_objects_by_their_keys() {
    has("{\"pods\": [{\"name\": \"a\", \"cpu\": {\"used\": 3}}]}", "a | cpu.used | 3");
    has(
        "[{'name': 'a', 'ok': True, 'since': datetime.datetime(2026, 1, 2, 3, 4)}]",
        "a | since | 2026-01-02T03:04:00",
    );
    has("{\"output\": \"NAME  CPU\\nweb-1  3\\n\"}", "web-1 | CPU | 3");
    has("{\"a\": 1}\n{\"a\": 2}\n", " | a | 2");
    has("{\"disks\": {\"nvme0\": {\"used\": 5}, \"nvme1\": {\"used\": 9", "nvme1 | used | 9");
}

#[test]
fn yaml_keeps_lines_and_paths() {
    let text = "kind: Pod\nmetadata:\n  name: web-1\nspec:\n  containers:\n  - name: app\n    resources:\n      limits:\n        memory: 1Gi\n";
    has(text, "web-1 / app | resources.limits.memory | 1Gi");
    let memory =
        read(text).into_iter().find(|reading| reading.field.ends_with("memory")).expect("a limit");
    assert_eq!(memory.line, 9);
}

#[test]
fn a_text_of_yaml_that_its_writer_broke_is_one_value() {
    let long =
        "Back-off restarting failed container web in pod web-7d9cb9ff55-aaaaa_shop(c5acb201-cee0)";
    let broken = format!("- Message: {long}\n    by the kubelet\n  Reason: BackOff\n");
    let documents = tarsy_evidence::documents(&broken);
    let [document] = documents.as_slice() else { panic!("{documents:?}") };
    let event = document.items().first().expect("an event");
    assert_eq!(
        event.at(&["Message"]).and_then(|one| one.text()),
        Some(&*format!("{long} by the kubelet"))
    );
    assert_eq!(event.at(&["Reason"]).map(|one| one.line), Some(3));
    for prose in [
        "Note: it is down\n  since noon\n",
        "Events:\n  Type     Reason   Age    From     Message of the object that is concerned here\n  Warning  BackOff  2m     kubelet  again\n",
    ] {
        assert!(tarsy_evidence::documents(prose).is_empty(), "{prose}");
    }
}

#[test]
fn series_of_prometheus_have_their_labels_as_object() {
    has("up{job=\"api\", pod=\"a-1\"} 0 @[1795435200]", "api / a-1 | up | 0");
    let json = "{\"result\":[{\"metric\":{\"__name__\":\"up\",\"pod\":\"a-1\"},\"value\":[1795435200,\"0\"]}]}";
    has(json, "a-1 | up | 0");
    assert!(read(json).iter().any(|reading| reading.time.is_some()));
}

#[test]
fn tables_of_databases_and_records_are_read() {
    has(
        " pid | state  | waits\n-----+--------+-------\n  17 | active |   250\n(1 row)\n",
        "17 | waits | 250",
    );
    has(
        "+------+-------+\n| name | count |\n+------+-------+\n| jobs |    12 |\n+------+-------+\n",
        "jobs | count | 12",
    );
    has(
        "*************************** 1. row ***************************\n  Name: jobs\n  Rows: 12\n",
        "jobs | Rows | 12",
    );
}

#[test]
fn tables_with_small_headings_are_read() {
    has(
        "Filesystem  Size  Used Avail Use% Mounted on\n/dev/sda1    59G   31G   26G  55% /\n",
        "/dev/sda1 / / | Use% | 55%",
    );
    has(
        "               total        used        free\nMem:            15Gi        14Gi       212Mi\n",
        "Mem | used | 14Gi",
    );
}

#[test]
fn units_and_log_pairs_have_objects() {
    has(
        "● web.service - Web\n     Loaded: loaded\n   Main PID: 1204 (web)\n",
        "web.service | Main PID | 1204 (web)",
    );
    has("2026-11-23T14:00:00Z level=info service=api latency_ms=12", "api | latency_ms | 12");
    has("api.example.com. 300 IN A 10.0.0.1", "api.example.com | A | 10.0.0.1");
}

#[test]
fn columns_begin_where_the_rule_below_their_headings_does() {
    let text = "  Name   CPU Requests  Memory Limits\n  ----   ------------  -------------\n  web-1  500m (3%)     1Gi (1%)\n";
    has(text, "web-1 | CPU Requests | 500m");
    has(text, "web-1 | Memory Limits percent | 1%");
}

#[test]
fn cells_between_commas_belong_to_the_row_that_they_name() {
    let text = "# pxname,svname,qcur,chkfail\nbe_id,id-2,0,311\n";
    has(text, "be_id / id-2 | chkfail | 311");
    assert!(read("one, two and three\n1, 2 and 3\n").is_empty());
}

#[test]
fn keys_and_values_are_fields_of_one_object() {
    has("Key        Value\n---        -----\nThreshold  3\n", " | Threshold | 3");
    has("Total:  29318\nTCP:    31877 (estab 1204, timewait 27840)\n", " | estab | 1204");
    has("process_open_fds 1021\n", " | process_open_fds | 1021");
}

#[test]
fn texts_inside_streams_belong_to_what_wrote_them() {
    let text = r#"{"result":[{"stream":{"pod":"web-1"},"values":[["1795348981000000000","{\"took_ms\":3021}"]]}]}"#;
    has(text, "web-1 | took_ms | 3021");
    let took = read(text).into_iter().find(|reading| &*reading.field == "took_ms");
    assert!(took.expect("a reading").time.is_some());
}

#[test]
fn units_stand_beside_values_and_keys_without_quotes() {
    let text = r#"[{"Label": "Free", "Points": [{"Average": 1024, "Unit": "Bytes"}]}]"#;
    let average = read(text).into_iter().find(|reading| reading.field.ends_with("Average"));
    assert_eq!(average.and_then(|one| one.value.quantity).map(|one| one.unit.as_str()), Some("B"));
    has(
        "{ name: 'db-0', health: 1, at: ISODate('2026-11-20T03:11:02Z') }",
        "db-0 | at | 2026-11-20T03:11:02Z",
    );
}

#[test]
fn answers_of_servers_are_read_in_their_own_forms() {
    has(
        "{\"columns\": [\"table\", \"parts\"], \"rows\": [[\"events\", 3004]]}",
        "events | parts | 3004",
    );
    has("service\thost\tstatus\nmedia\ti-0f3a\terror\n", "media / i-0f3a | status | error");
    has("Variable_name,Value\nThreads_connected,18\n", " | Threads_connected | 18");
    has("[{'pid': 17, 'age': datetime.timedelta(days=1, seconds=5)}]", "17 | age | 86405 s");
    has("[TextContent(type='text', text='NAME   CPU\\nweb-1  3\\n')]", "web-1 | CPU | 3");
    has(
        "The following pods were found:\n- kind: Pod\n  metadata:\n    name: web-1\n",
        "web-1 | kind | Pod",
    );
}
