"""The chart and the overlays make the same objects."""

import copy

import pytest
from manifests import Object, chart, normal, overlay, title


def by_title(items: tuple[Object, ...]) -> dict[str, Object]:
    found = {title(one): one for one in (normal(copy.deepcopy(item)) for item in items)}
    assert len(found) == len(items), "two objects have one name"
    return found


@pytest.mark.parametrize("name", ["plain", "openshift"])
def test_the_chart_and_the_overlay_make_the_same_objects(name: str) -> None:
    from_chart, from_overlay = by_title(chart(name)), by_title(overlay(name))
    # Helm makes the namespace by `--create-namespace`.
    del from_overlay["Namespace/tarsy"]
    # Of `helm test`; the documentation has the command for a pod that runs.
    del from_chart["Job/doctor"]
    assert sorted(from_chart) == sorted(from_overlay)
    for key, expected in from_overlay.items():
        assert from_chart[key] == expected, key
