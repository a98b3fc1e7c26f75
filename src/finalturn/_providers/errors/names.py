"""Classifies the names that vendors give to errors.

Sources, all of the vendors' own pages: Anthropic, "Errors"; Google, ``google.rpc.Code``; "Amazon Bedrock API
Reference", the errors of Converse and ConverseStream; OpenAI, "Error codes"; Groq, "Tool use" and
"Structured outputs"; Azure OpenAI, "Content filtering"; OpenRouter, "Errors and debugging"; Alibaba Model
Studio and Zhipu, "Error codes"; DeepSeek, Anthropic and xAI for the words of refusals that have no name.
"""

from __future__ import annotations

import re
from collections.abc import Iterable

# The HTTP status that a vendor's pages give for a name. Names that a vendor uses with several are missing.
_STATUS = {
    "abortedexception": 409,
    "accessdeniedexception": 403,
    "apierror": 500,
    "authenticationerror": 401,
    "billingerror": 402,
    "dataloss": 500,
    "deadlineexceeded": 504,
    "failedprecondition": 400,
    "insufficientquota": 429,
    "internal": 500,
    "internalservererror": 500,
    "internalserverexception": 500,
    "invalidapikey": 401,
    "invalidargument": 400,
    "modelerrorexception": 424,
    "modelnotreadyexception": 429,
    "modelnotfound": 404,
    "modeltimeoutexception": 408,
    "notfounderror": 404,
    "outofrange": 400,
    "overloadederror": 529,
    "permissiondenied": 403,
    "permissionerror": 403,
    "ratelimiterror": 429,
    "ratelimitexceeded": 429,
    "requesttoolarge": 413,
    "resourceexhausted": 429,
    "resourcenotfoundexception": 404,
    "servicequotaexceededexception": 400,
    "serverisoverloaded": 503,
    "serviceunavailable": 503,
    "serviceunavailableexception": 503,
    "throttlingexception": 429,
    "timeouterror": 504,
    "unauthenticated": 401,
    "toomanyrequests": 429,
    "unavailable": 503,
    "unimplemented": 501,
    "validationexception": 400,
}

# Words in a name that mean that asking again changes nothing.
_FINAL = re.compile(
    r"invalid|not_found|permission|authenti|unauthorized|context|quota|billing|policy|unsupported"
)

_REFUSED = re.compile(
    r"contentfilter(?:ed)?|datainspectionfailed|promptblocked|cyberpolicy|\w*sensitivecontentdetected"
    r"|safety|prohibitedcontent"
    r"|\w*(?:policy|guardrails?|moderation|safety)(?:violation|violated|blocked|intervened|flagged|triggered)"
)
_REFUSED_WORDS = re.compile(
    r"blocked by (?:the |our |a )?(?:content filter|guardrail)|content management policy|content exists risk"
    r"|content violates usage guidelines|unsafe or sensitive content|不安全或敏感内容"
    r"|flagged as potentially violating|may contain inappropriate content"
    r"|violates? google's responsible ai practices",
    re.IGNORECASE,
)

_MALFORMED = re.compile(
    r"tool(?:use|call)failed|malformed(?:functioncall|tooluse|toolcall|modeloutput|response)"
    r"|unexpectedtoolcall|(?:jsonvalidate|outputparse|toolcallparse|toolcallvalidation)(?:failed|error)"
    r"|invalid(?:model(?:output|response)|toolcall)"
)
# They stand at the beginning: what the model wrote follows, and may hold anything.
_MALFORMED_WORDS = re.compile(
    r"\W*(?:failed to (?:parse input at pos \d|call a function|generate json|validate json)"
    r"|error parsing tool call\b|tool call validation failed\b|malformed (?:function|tool) call\b"
    r"|(?:the )?model (?:did not (?:output|produce|generate) valid|(?:generated|produced|output|wrote) an? "
    r"(?:invalid|malformed))\b"
    r"|model produced invalid sequence as part of tooluse"
    r"|\d+ validation errors? for list\[function-wrap|unexpected tokens remaining in message header)",
    re.IGNORECASE,
)


def status_of(names: Iterable[str]) -> int | None:
    """The HTTP status that the first known name stands for."""
    return next(filter(None, (_STATUS.get(_plain(name)) for name in names)), None)


def is_final(names: Iterable[str]) -> bool:
    """Whether a name says that asking again changes nothing."""
    return any(_FINAL.search(name.lower()) for name in names)


def is_refusal(names: Iterable[str], message: str) -> bool:
    """Whether a safety filter has stopped the request or the answer."""
    by_name = any(_REFUSED.fullmatch(_plain(name)) for name in names)
    return by_name or _REFUSED_WORDS.search(message) is not None


def is_malformed(names: Iterable[str], message: str) -> bool:
    """Whether the model has written a call or an answer that its own server could not read."""
    by_name = any(_MALFORMED.fullmatch(_plain(name)) for name in names)
    return by_name or _MALFORMED_WORDS.match(message) is not None


def _plain(name: str) -> str:
    return re.sub(r"[^a-z0-9]", "", name.lower())
