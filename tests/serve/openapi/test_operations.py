from __future__ import annotations

from finalturn._serve.openapi.operations import OPERATIONS, TAGS
from finalturn._serve.problems.failure import STATUS


def test_each_has_a_name_of_its_own() -> None:
    names = [operation.id for operation in OPERATIONS.values()]
    assert len(set(names)) == len(names)
    assert all(name.isalnum() and name[0].islower() for name in names)


def test_each_is_in_a_group_and_each_group_has_one() -> None:
    assert {operation.tag for operation in OPERATIONS.values()} == set(TAGS)


def test_every_failure_is_one_of_some_route_or_of_all_or_of_a_stream() -> None:
    said = {code for one in OPERATIONS.values() for code in (*one.codes, *one.session_codes)}
    of_all = {"internal_error", "unauthorized", "forbidden_origin"}
    # Of a method that no route has, of a stream that has begun, and where the application may refuse a turn.
    elsewhere = {"method_not_allowed", "stopped", "refused"}
    assert said | of_all | elsewhere == set(STATUS)
    assert not said & (of_all | elsewhere)


def test_no_failure_is_said_twice() -> None:
    for operation in OPERATIONS.values():
        codes = [*operation.codes, *operation.session_codes]
        assert len(set(codes)) == len(codes)


def test_links_lead_to_routes() -> None:
    names = {operation.id for operation in OPERATIONS.values()}
    for operation in OPERATIONS.values():
        assert {link["operationId"] for link in operation.links.values()} <= names
