"""What Schemathesis is told about this API; it loads this file itself.

Failures are dropped for a rule that no schema can express, and for nothing else.
"""

from __future__ import annotations

import json
import os
from typing import Any

import schemathesis

from finalturn._core.type_guards import is_dict

WITHOUT_LAST_EVENT_ID = "FINALTURN_WITHOUT_LAST_EVENT_ID"
"""An environment variable: with it, a POST is described without that header."""

_RESUME = "GET /v1/chat/stream/{run_id}"


@schemathesis.hook  # pyright: ignore[reportUnknownMemberType]
def before_load_schema(context: Any, raw_schema: dict[str, Any]) -> None:
    """Where steps follow each other, let streams be the first of them.

    By its name, Schemathesis takes the header Last-Event-ID for the id of something that another request has
    to make, and would never begin a stream.
    """
    if os.environ.get(WITHOUT_LAST_EVENT_ID):
        for operations in raw_schema["paths"].values():
            if post := operations.get("post"):
                parameters = post.get("parameters", [])
                post["parameters"] = [one for one in parameters if one.get("name") != "Last-Event-ID"]


@schemathesis.hook  # pyright: ignore[reportUnknownMemberType]
def map_headers(context: Any, headers: Any) -> Any:
    """Ask for records that a run has: of any nine digits, hardly one is the number of a record."""
    last: Any = headers.get("Last-Event-ID") if headers else None
    if context.operation.label == _RESUME and isinstance(last, str) and last.isascii() and last.isdigit():
        headers["Last-Event-ID"] = str(int(last) % 4)
    return headers


@schemathesis.hook  # pyright: ignore[reportUnknownMemberType]
def map_query(context: Any, query: Any) -> Any:
    """Ask for runs without a session too: hardly ever is one that was made up the session of the run."""
    session: Any = query.get("session") if query else None
    if context.operation.label == _RESUME and isinstance(session, str) and len(session) % 2:
        del query["session"]
    return query


@schemathesis.hook  # pyright: ignore[reportUnknownMemberType]
def filter_failure(context: Any, failure: Any, case: Any, response: Any) -> bool:
    """Keep a failure, unless it is that of a rule which JSON Schema cannot express."""
    if type(failure).__name__ != "RejectedPositiveData":
        return True
    if response.status_code == 422:
        problem = json.loads(response.content)
        return not (_does_not_end_with_the_user(case, problem) or _is_no_message_of_its_format(case, problem))
    if response.status_code == 410:
        return not _asks_for_records_that_are_not_there(case)
    return True


def _does_not_end_with_the_user(case: Any, problem: Any) -> bool:
    """The last of several messages must be of the user, and say something: a schema knows no last item."""
    body: object = case.body
    messages: Any = body.get("input") if is_dict(body) else None
    if isinstance(messages, str) or not messages:
        return False
    last = messages[-1]
    where = [one["field"] for one in problem["errors"]]
    if last["role"] == "assistant":
        return where == ["/input"]
    says_nothing = not last.get("content", "").strip() and not last.get("content_parts")
    return says_nothing and where == [f"/input/{len(messages) - 1}"]


def _is_no_message_of_its_format(case: Any, problem: Any) -> bool:
    """What a message of a front end's format is, its own documentation says: the document links to it."""
    wrong = [one["field"] for one in problem["errors"]]
    return case.operation.path in ("/ag-ui", "/ai-sdk") and all(one.startswith("/messages") for one in wrong)


def _asks_for_records_that_are_not_there(case: Any) -> bool:
    """Which runs there were, and which numbers each has had, is known to nobody but its client."""
    return "Last-Event-ID" in (case.headers or {})
