"""Which tools the analyst takes for read-only."""

import pytest

from llm_service.providers.offline.policy import is_read_only
from llm_service.turn import Tool


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("host.disk_usage", ""),
        ("host.http_probe", "Sends one GET and reports status and time."),
        ("k8s.pods_list", "List pods"),
        ("k8s.podsLog", "Get logs"),
        ("x.list_restart_events", "Lists restarts"),
        ("x.get_deploy_history", "Shows what was deployed"),
        ("x.inventory", "Returns the inventory"),
        ("prometheus.query", "Runs an instant query. Read-only."),
    ],
)
def test_reading_tools_may_be_called(name: str, description: str) -> None:
    assert is_read_only(Tool(name, description))


@pytest.mark.parametrize(
    ("name", "description"),
    [
        ("k8s.pods_delete", "Deletes a pod"),
        ("k8s.pods_exec", ""),
        ("k8s.resources_create_or_update", ""),
        ("k8s.scale_deployment", ""),
        ("x.restart_service", ""),
        ("x.restartService", "read-only they say"),
        ("x.get_or_create_ticket", ""),
        ("x.get_and_delete", "Gets"),
        ("x.list_and_restart", "Lists"),
        ("x.run_command", "Runs a command"),
        ("x.get_secret", "Gets a secret"),
        ("x.pods", "Deletes pods that match"),
        ("x.frobnicate", "Does something"),
        ("x.write_log", ""),
        ("x.", ""),
    ],
)
def test_tools_that_may_change_something_are_not(name: str, description: str) -> None:
    assert not is_read_only(Tool(name, description))
