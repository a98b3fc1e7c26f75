"""Saboteurs of who may see and say what over HTTP: errors, keys, owners, input."""

from __future__ import annotations

from tools.mutants._saboteur import BODY, Edit, Saboteur

SABOTEURS = (
    # Errors.
    Saboteur(
        "an error record says what the exception said",
        ("errors-are-clean", "predicate-errors-propagate"),
        (
            Edit(
                "serve._failure:failure_of",
                "Failure('internal_error', 'Something went wrong on the server.')",
                "Failure('internal_error', str(error))",
            ),
        ),
    ),
    Saboteur(
        "an error record says what the provider said",
        ("errors-are-clean",),
        (
            Edit(
                "serve._failure:failure_of",
                "Failure('provider_failed', 'The model could not answer.', retryable)",
                "Failure('provider_failed', f'The model could not answer: {error}', retryable)",
            ),
        ),
    ),
    Saboteur(
        "a client sees what a tool raised",
        ("errors-are-clean",),
        (
            Edit(
                "serve._public:public_tool_message",
                "message.content if said else _FAILED[message.tool_failure]",
                "message.content",
            ),
        ),
    ),
    Saboteur(
        "a problem says what the exception said",
        ("errors-are-clean",),
        (
            Edit(
                "serve._route:problem_of",
                "Problem('internal_error', 'Something went wrong on the server.')",
                "Problem('internal_error', str(error))",
            ),
        ),
    ),
    Saboteur(
        "the log of a failed request has the exception's text",
        ("errors-are-clean",),
        (Edit("serve._tracebacks:without_text", BODY, "return type(error), error, error.__traceback__"),),
    ),
    # Keys.
    Saboteur(
        "the routes of a server ask for no key",
        ("auth-fails-closed", "owners-are-isolated"),
        (
            Edit(
                "serve._router:routers_of",
                "route_class(authenticate, served.config.max_body, lambda: served.runs.draining)",
                "route_class(None, served.config.max_body, lambda: served.runs.draining)",
            ),
        ),
    ),
    Saboteur(
        "the routes of sessions ask for no key",
        ("auth-fails-closed",),
        (
            Edit(
                "serve._router:routers_of",
                "SessionRoutes(served.store, served.runs, served.config.stall_timeout)"
                ".add_to(router, PROBLEMS)",
                "SessionRoutes(served.store, served.runs, 1.0).add_to(open_to_all, PROBLEMS)",
            ),
        ),
    ),
    Saboteur(
        "a route looks at the body before the key",
        ("auth-fails-closed",),
        (
            Edit(
                "serve._route:route_class",
                "request.state.finalturn_owner = (\n"
                "    None if authenticate is None else await owner_of(authenticate, request)\n)",
                "if takes_json:\n"
                "    check_json(request)\n"
                "request.state.finalturn_owner = (\n"
                "    None if authenticate is None else await owner_of(authenticate, request)\n)",
            ),
        ),
    ),
    Saboteur(
        "somebody unknown is let in as nobody",
        ("auth-fails-closed",),
        (
            Edit(
                "serve._authenticate:owner_of",
                "raise Problem('unauthorized', 'A valid key is needed.',"
                " headers={'WWW-Authenticate': 'Bearer'})",
                "return None",
            ),
        ),
    ),
    Saboteur(
        "a key is compared by its first half",
        ("auth-fails-closed",),
        (Edit("serve._keys:_digest", BODY, "return hashlib.sha256(key[:20]).digest()"),),
    ),
    Saboteur(
        "a key may stand in a header of any scheme",
        ("auth-fails-closed",),
        (
            Edit(
                "serve._keys:bearer_key",
                "match[1] if match else None",
                "match[1] if match else (found[0].split()[-1] if found and found[0].split() else None)",
            ),
        ),
    ),
    # Owners.
    Saboteur(
        "owners share their sessions",
        ("owners-are-isolated",),
        (Edit("serve._owners:prefix_of", BODY, "return ''"),),
    ),
    Saboteur(
        "a run is everybody's who knows its id",
        ("owners-are-isolated",),
        (
            Edit(
                "serve._runs:Runs.find",
                "(run.owner, run.session, run.format) != (owner, session, format)",
                "False",
            ),
        ),
    ),
    Saboteur(
        "a list of sessions is of everybody's",
        ("owners-are-isolated",),
        (
            Edit(
                "serve._session_routes:SessionRoutes.list",
                "prefix_of(owner)",
                "''",
            ),
        ),
    ),
    Saboteur(
        "a session is read without its owner",
        ("owners-are-isolated",),
        (
            Edit(
                "serve._session_routes:SessionRoutes.read",
                "stored_session(owner, session)",
                "stored_session('alice', session)",
            ),
        ),
    ),
    # What a client may say.
    Saboteur(
        "a client may say what the assistant said in a session",
        ("user-input-only",),
        (Edit("serve._requests:_message", "in_session", "False"),),
    ),
    Saboteur(
        "a front end may say what the assistant said in a session",
        ("user-input-only",),
        (
            Edit(
                "serve._front_end:take",
                "next((place + 1 for place in range(last, -1, -1) if _answers(held[place])), 0)",
                "0",
            ),
        ),
    ),
)
