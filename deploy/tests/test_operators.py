"""Objects of operators and of OpenShift on the API server, by the definitions that these publish."""

from control_plane import Answer, ControlPlane
from inventory import resources
from manifests import SOURCES, Object, definitions, is_of_kubernetes, objects, title


def made() -> list[Object]:
    return [one for source in SOURCES for one in objects(source) if not is_of_kubernetes(one)]


def test_each_of_their_kinds_is_made_and_has_its_published_definition() -> None:
    published = {(one["spec"]["group"], one["spec"]["names"]["kind"]) for one in definitions()}
    assert {(one["apiVersion"].partition("/")[0], one["kind"]) for one in made()} == published
    assert len(published) > 5


def tried(cluster: ControlPlane, item: Object) -> Answer:
    """What the API server answers to an object, all of whose fields it has to know; it keeps nothing."""
    group = item["apiVersion"].partition("/")[0]
    (name,) = (one.name for one in resources(cluster) if (one.group, one.kind) == (group, item["kind"]))
    body = item | {"metadata": item["metadata"] | {"namespace": "default"}}
    path = f"/apis/{item['apiVersion']}/namespaces/default/{name}?dryRun=All&fieldValidation=Strict"
    return cluster.ask("POST", path, body)


def test_every_field_of_their_objects_is_known_to_them(cluster: ControlPlane) -> None:
    for item in made():
        answer = tried(cluster, item)
        assert answer.status == 201, (title(item), answer.body)
        answer = tried(cluster, item | {"spec": item["spec"] | {"misspelt": True}})
        assert answer.status == 400, title(item)
        assert "misspelt" in answer.body["message"]
