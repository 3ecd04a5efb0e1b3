use super::*;

fn reading(name: &str) -> NameReading {
    read_name(name, &Family::default())
}

#[test]
fn the_leading_verb_reads_and_a_word_that_changes_wins_wherever_it_stands() {
    for name in [
        "pods_list",
        "getPod",
        "query_range",
        "search-issues",
        "listDeployments",
        "events_list",
        "list_workflow_runs",
        "get_commit",
        "get_build_log",
        "aws_ec2_describe_instances",
        "k8s_get_resources",
        "db_list_tables",
        "issue_read",
        "pull_request_read",
        "get_pod_logs",
        "list_pods_and_nodes",
        "find_files",
        "has_access",
        "list_deleted_users",
    ] {
        assert!(matches!(reading(name), NameReading::Reads(_)), "{name}: {:?}", reading(name));
    }
    for name in [
        "pods_delete",
        "getAndDelete",
        "list-restart",
        "read_write",
        "SCALE_UP",
        "promote_version",
        "mark_as_read",
        "reindex_stats",
        "acknowledge_events",
        "inspect_and_remediate",
        "find_one_and_update",
        "drop_all_tables",
        "list_and_tag",
        "check_out_branch",
        "rerun_jobs",
        "untag_resources",
        "get_or_create_index",
        "release_version",
        "github_commit",
        "commit_list",
    ] {
        assert!(matches!(reading(name), NameReading::Changes(_)), "{name}: {:?}", reading(name));
    }
}

#[test]
fn nouns_alone_and_words_that_may_be_verbs_grant_nothing() {
    for name in [
        "fetch",
        "pods",
        "disk_usage",
        "cluster_status",
        "settings",
        "gettext",
        "events",
        "logs",
        "restarts",
        "pods_log",
        "frob_list",
        "list_and_frob",
        "check_then_frobnicate",
        "",
        "get_zapify",
        "reports_frob",
        "version",
    ] {
        assert!(matches!(reading(name), NameReading::Unclear(_)), "{name}: {:?}", reading(name));
    }
}

#[test]
fn a_verb_that_is_hidden_in_a_name_reads_nothing() {
    for name in [
        "getDELETEpod",
        "listDROPtables",
        "getANDdelete",
        "get_and_deletes_user",
        "get_then_removing_pods",
        "check_or_creating",
        "deletes_pods_list",
        "list_dropall",
        "get_dropalltables",
        "list_deleteall",
        "get_podsanddelete",
        "listanddelete",
        "list_killpod",
        "find_userdelete",
        "get_records_softdelete",
        "get_dropdatabase",
        "get_shutdownstatus",
        "list_alter_tables",
        "list_und_loesche",
        "get_et_supprime",
        "deletes_get",
        "build_image_get_digest",
        "trigger_build_get_url",
        "run_get_all",
        "close_or_get_issue",
        "close_et_get_issue",
        "swap_slots",
        "disk_swap",
        "host_launch",
        "store_result",
        "list_and_store",
        "trigger_gc",
        "key_grant",
        "azure_login",
        "summarize_and_email",
        "list_then_file",
        "fetch_into_table",
        "read_into",
        "queue_read",
        "fetch_queue",
    ] {
        assert!(!matches!(reading(name), NameReading::Reads(_)), "{name}: {:?}", reading(name));
    }
    for name in [
        "get_settings",
        "list_datastores",
        "list_addresses",
        "get_dropdown",
        "list_charsets",
        "get_startup_time",
        "describe_launch_templates",
        "get_burn_rate",
        "get_gc_stats",
        "get_swap_usage",
        "get_replica_set",
        "describe_change_set",
        "list_workload_updates",
        "list_by_repo_or_project",
        "get_timestamp",
        "list_endpoints",
        "getHTTPGetStatus",
        "check_dropbox_health",
        "feature_flag_get_all",
        "release_get_definitions",
    ] {
        assert!(matches!(reading(name), NameReading::Reads(_)), "{name}: {:?}", reading(name));
    }
}

#[test]
fn the_first_words_of_a_server_with_sets_of_tools_are_names_of_sets() {
    let names = ["wiki_get_page", "work_list_teams", "advsec_get_alerts", "repo_create_branch"];
    let sets = Family::of("s", names);
    for name in ["wiki_get_page", "work_list_teams", "advsec_get_alerts"] {
        assert!(matches!(read_name(name, &sets), NameReading::Reads(_)), "{name}");
    }
    for name in ["repo_create_branch", "frob_purge", "run_list_all", "delete_list_all"] {
        assert!(!matches!(read_name(name, &sets), NameReading::Reads(_)), "{name}");
    }
}

#[test]
fn what_is_read_from_a_queue_may_leave_it() {
    for name in ["queue_get_message", "sqs_read_messages", "get_queue_messages", "get_next_job"] {
        assert!(matches!(reading(name), NameReading::Unclear(_)), "{name}: {:?}", reading(name));
    }
    for name in ["peek_queue_messages", "list_queues", "get_queue_depth", "get_message"] {
        assert!(matches!(reading(name), NameReading::Reads(_)), "{name}: {:?}", reading(name));
    }
}

#[test]
fn a_name_may_leave_it_to_a_parameter() {
    for name in ["execute_sql", "run_query", "http_request", "db_execute_statement"] {
        assert!(matches!(reading(name), NameReading::Runs(_)), "{name}: {:?}", reading(name));
    }
    for name in ["run_and_deploy", "execute_delete", "run_then_frob"] {
        assert!(!matches!(reading(name), NameReading::Runs(_)), "{name}: {:?}", reading(name));
    }
}

#[test]
fn the_words_before_the_verb_are_known_from_the_server_or_from_its_other_tools() {
    let names = ["frob_list_scans", "frob_get_scan", "other"];
    let by_verbs = Family::of("s", names);
    assert!(matches!(read_name("frob_list_scans", &by_verbs), NameReading::Reads(_)));
    let by_id = Family::of("my-frob", ["frob_list_scans"]);
    assert!(matches!(read_name("frob_list_scans", &by_id), NameReading::Reads(_)));
    let same = ["frob_list_scans", "frob_list_hosts", "frob_list_rules", "other"];
    let same = Family::of("s", same);
    assert!(matches!(read_name("frob_list_scans", &same), NameReading::Reads(_)));
    let all = ["our_frob_list", "our_frob_scans_get", "our_frob_find_scans"];
    let common = Family::of("s", all);
    assert!(matches!(read_name("our_frob_find_scans", &common), NameReading::Reads(_)));
    let alone = Family::of("s", ["frob_list_scans", "other"]);
    assert!(matches!(read_name("frob_list_scans", &alone), NameReading::Unclear(_)));
    let last = ["group_list", "group_create", "frob_key_list", "frob_delete", "vault"];
    let last = Family::of("s", last);
    for name in ["group_list", "frob_key_list"] {
        assert!(matches!(read_name(name, &last), NameReading::Reads(_)), "{name}");
        assert!(!matches!(reading(name), NameReading::Reads(_)), "{name} alone");
    }
    for name in ["run_list", "frob_purge", "purge_list", "frobnicate_list"] {
        assert!(!matches!(read_name(name, &last), NameReading::Reads(_)), "{name}");
    }
    let verbs = ["delete_list", "delete_get", "delete_find"];
    let changes = read_name("delete_list", &Family::of("delete", verbs));
    assert!(matches!(changes, NameReading::Changes(_)), "{changes:?}");
}

#[test]
fn names_of_tools_that_return_secrets_are_known() {
    for name in [
        "get_secret_value",
        "listSecrets",
        "read_api_key",
        "get_access_token",
        "kubeconfig_get",
        "count_and_list_secrets",
        "validate_get_password",
        "storage_account_list_account_keys",
        "getConnectionString",
        "browser_get_cookies",
        "get_signing_key",
        "get_totp",
        "get_login_link",
        "create_magic_link",
    ] {
        assert!(secret_word(name).is_some(), "{name}");
    }
    for name in ["delete_secret", "count_tokens", "get_token_usage", "list_keys", "get_user"] {
        assert_eq!(secret_word(name), None, "{name}");
    }
}

#[test]
fn a_value_that_chooses_an_operation_reads_by_its_verb() {
    for value in ["GET", "head", "list_jobs", "get"] {
        assert!(is_reading_operation(value), "{value}");
    }
    for value in ["DELETE", "POST", "restart", "frob", "", "get_and_clear", "list; sh x"] {
        assert!(!is_reading_operation(value), "{value}");
    }
}
