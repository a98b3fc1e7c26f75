"""The AWS region of Bedrock requests, and their authentication: an API key, or AWS signatures."""

from __future__ import annotations

import os
import re
from threading import Lock
from typing import Any, NamedTuple, Protocol

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._providers.bedrock.aws import part_of_botocore
from finalturn._providers.http.client import HttpClient

KEY_VARIABLE = "AWS_BEARER_TOKEN_BEDROCK"
# The first is what AWS's tools read, but for botocore, which reads the second.
REGION_VARIABLES = ("AWS_REGION", "AWS_DEFAULT_REGION")

_REGION = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_SERVICE = "bedrock"
# Of the regions in China, and of the European Sovereign Cloud.
_DOMAINS = {"cn": "amazonaws.com.cn", "eusc": "amazonaws.eu"}


class AwsSession(Protocol):
    """What is used of ``botocore.session.Session``."""

    def get_credentials(self) -> Any: ...

    def get_config_variable(self, logical_name: str, /) -> Any: ...


class Signed(NamedTuple):
    """The headers of a signed request, and what of them must not be shown."""

    headers: dict[str, str]
    secret: str


def new_session() -> AwsSession:
    """A session that reads the environment, the shared files and what else AWS's tools read."""
    session: AwsSession = part_of_botocore("session").Session()
    return session


def find_region(region: str | None, session: AwsSession | None) -> str:
    """The region: what is given, that of the session, the environment's, or that of the user's profile.

    Raises:
        ConfigurationError: there is none, or it is none.
    """
    chosen: object = region
    if region is None:
        chosen = None if session is None else _configured_region(session)
        chosen = chosen or next(filter(None, map(os.environ.get, REGION_VARIABLES)), None)
        if not chosen and session is None:
            chosen = _configured_region(new_session())
        if not chosen:
            raise ConfigurationError(
                f"there is no region: give region, or set the environment variable {REGION_VARIABLES[0]}"
            )
    if not isinstance(chosen, str) or not _REGION.fullmatch(chosen):
        raise ConfigurationError("the region must be one of AWS, such as eu-central-1")
    return chosen


def _configured_region(session: AwsSession) -> object:
    try:
        region: object = session.get_config_variable("region")
    except Exception as error:
        problem = f"the AWS configuration could not be read: {type(error).__name__}"
        raise ConfigurationError(problem) from None
    return region


def base_url_of(region: str) -> str:
    """The service's address in a region that is not cut off from the internet."""
    domain = _DOMAINS.get(region.partition("-")[0], "amazonaws.com")
    return f"https://bedrock-runtime.{region}.{domain}"


def authenticates(client: HttpClient | None) -> bool:
    """Whether the user's own client says who asks."""
    if client is None:
        return False
    return "authorization" in client.headers or getattr(client, "auth", None) is not None


class Signer:
    """Signs requests with AWS's Signature Version 4, as botocore does it.

    Its methods may wait for files and for other services: they are to be called in a thread.

    Args:
        region: where the requests go.
        session: where the credentials come from; by default a new one.
    """

    def __init__(self, region: str, session: AwsSession | None) -> None:
        self._region = region
        self._session = session
        self._credentials: Any = None
        # One search is enough: it may take seconds, where it asks the machine's own service for a role.
        self._lock = Lock()

    def signed(self, url: str, headers: dict[str, str], body: bytes) -> Signed:
        """The headers with which to POST now. They hold the time, and are good for some minutes.

        Raises:
            ConfigurationError: there are no credentials.
            ProviderError: they could not be had.
        """
        frozen = self._frozen()
        request = part_of_botocore("awsrequest").AWSRequest("POST", url, headers=headers, data=body)
        part_of_botocore("auth").SigV4Auth(frozen, _SERVICE, self._region).add_auth(request)
        return Signed(dict(request.headers.items()), frozen.token or frozen.secret_key)

    def _frozen(self) -> Any:
        try:
            with self._lock:
                if self._credentials is None:
                    self._session = self._session or new_session()
                    self._credentials = self._session.get_credentials()
            # Those of a role are fetched anew when they are about to expire.
            credentials = None if self._credentials is None else self._credentials.get_frozen_credentials()
        except ConfigurationError:
            raise
        except Exception as error:
            problem = "the provider was not asked: the AWS credentials could not be had"
            raise ProviderError(problem, detail=type(error).__name__) from error
        if credentials is None or not credentials.access_key or not credentials.secret_key:
            raise ConfigurationError(
                f"there are no AWS credentials: set the environment variable {KEY_VARIABLE}, or"
                " AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY, or a profile; or give api_key"
            )
        return credentials
