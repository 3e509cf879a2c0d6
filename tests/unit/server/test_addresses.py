"""Spellings of a URI: which of them could lead to the same resource, and which cannot."""

import pytest

from avow.server.addresses import could_match, readings, spelled
from avow.server.frameworks import template_matches

SAME = [
    "notes://h/secret",
    "notes://h/SECRET",
    "notes://h/%73ecret",
    "notes://h/%2573ecret",
    "notes://h/secret/",
    "notes://h//secret",
    "notes://h/./secret",
    "notes://h/a/../secret",
    "notes://h/../secret",
    "notes://h/a%2f..%2fsecret",
    "notes://h\\secret",
    "notes://h/secret#x",
    "notes://h/secret?",
    "notes://h/secret?x=1#y",
    "notes://h/secret%23x",
    "notes://h/secret%20",
]
OTHERS = ["notes://h/secrets", "notes://h/a", "notes://other/secret", "notes://h/a/secret", "notes://h/"]


@pytest.mark.parametrize("uri", SAME)
def test_what_could_mean_a_resource_is_read_as_it(uri: str) -> None:
    assert spelled("notes://h/secret") in readings(uri)


@pytest.mark.parametrize("uri", OTHERS)
def test_another_resource_stays_another(uri: str) -> None:
    assert spelled("notes://h/secret") not in readings(uri)


def test_an_ordinary_uri_has_one_reading() -> None:
    assert readings("notes://h/a") == {"notes://h/a"}


@pytest.mark.parametrize("uri", ["note://a/../secret", "a/../secret"])
def test_a_host_can_be_a_step_of_a_path(uri: str) -> None:
    assert {"note://secret", "secret"} & readings(uri)


def test_a_query_of_its_own_belongs_to_a_resource() -> None:
    assert spelled("notes://h/all?secret=1") in readings("notes://h/all?secret=1#top")
    assert spelled("notes://h/all?secret=1") not in readings("notes://h/all?secret=2")


@pytest.mark.parametrize(
    "uri",
    [
        "notes://h/Admin/{Id}".replace("{Id}", "1"),
        "notes://h/%41dmin/a%20b",
        "notes://h/admin%2f1",
        "notes://h/admin/./1/",
        "notes://h/admin/1#x",
    ],
)
def test_a_template_could_serve_every_spelling(uri: str) -> None:
    assert could_match("notes://h/Admin/{Id}", readings(uri), template_matches)


@pytest.mark.parametrize("uri", ["notes://h/public/1", "notes://h/admin/1/2", "notes://h/admin"])
def test_a_template_serves_nothing_else(uri: str) -> None:
    assert not could_match("notes://h/Admin/{Id}", readings(uri), template_matches)
