"""Regions, credentials and signatures."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import httpx2
import pytest

from finalturn._core.errors import ConfigurationError, ProviderError
from finalturn._providers.bedrock.access import (
    Signer,
    authenticates,
    base_url_of,
    find_region,
    new_session,
)
from tests.providers._bedrock_signature import is_signed, scope

ID, SECRET = "AKIDEXAMPLE", "secret-SENTINEL"
URL = "http://127.0.0.1:8080/model/amazon.nova-v1%3A0/converse"


class Frozen(NamedTuple):
    access_key: str | None = ID
    secret_key: str | None = SECRET
    token: str | None = None


class Credentials:
    def __init__(self, *frozen: Frozen | Exception) -> None:
        self.frozen = list(frozen)

    def get_frozen_credentials(self) -> Frozen:
        found = self.frozen.pop(0) if len(self.frozen) > 1 else self.frozen[0]
        if isinstance(found, Exception):
            raise found
        return found


class Session:
    """A session with these credentials and settings."""

    def __init__(self, credentials: Any = None, region: Any = None) -> None:
        self.credentials = credentials
        self.region = region
        self.searches = 0

    def get_credentials(self) -> Any:
        self.searches += 1
        if isinstance(self.credentials, Exception):
            raise self.credentials
        return self.credentials

    def get_config_variable(self, logical_name: str, /) -> Any:
        assert logical_name == "region"
        if isinstance(self.region, Exception):
            raise self.region
        return self.region


@pytest.fixture(autouse=True)
def _no_aws(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    for name in ("AWS_REGION", "AWS_DEFAULT_REGION", "AWS_PROFILE", "AWS_ACCESS_KEY_ID", "AWS_SESSION_TOKEN"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("AWS_EC2_METADATA_DISABLED", "true")
    monkeypatch.setenv("AWS_CONFIG_FILE", str(tmp_path / "config"))
    monkeypatch.setenv("AWS_SHARED_CREDENTIALS_FILE", str(tmp_path / "credentials"))


class TestRegion:
    def test_what_is_given_counts_most(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        assert find_region("eu-west-1", Session(region="ap-south-1")) == "eu-west-1"

    def test_then_the_session_that_is_given(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        assert find_region(None, Session(region="ap-south-1")) == "ap-south-1"
        assert find_region(None, Session()) == "us-east-1"

    def test_then_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_DEFAULT_REGION", "us-west-2")
        assert find_region(None, None) == "us-west-2"
        monkeypatch.setenv("AWS_REGION", "us-east-1")
        assert find_region(None, None) == "us-east-1"

    def test_then_the_user_s_profile(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        (tmp_path / "config").write_text("[profile work]\nregion = eu-north-1\n", encoding="utf-8")
        monkeypatch.setenv("AWS_PROFILE", "work")
        assert find_region(None, None) == "eu-north-1"

    @pytest.mark.parametrize("session", [None, Session()])
    def test_without_any_a_message_says_how_to_give_one(self, session: Session | None) -> None:
        with pytest.raises(ConfigurationError, match="AWS_REGION"):
            find_region(None, session)

    def test_a_profile_that_is_not_there_is_an_error(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_PROFILE", "nobody")
        with pytest.raises(ConfigurationError, match="ProfileNotFound"):
            find_region(None, None)

    @pytest.mark.parametrize("region", ["evil.example/", "eu_west", "EU-WEST-1", "eu-west-1.evil", "-", "@x"])
    def test_it_cannot_make_another_address(self, region: str) -> None:
        with pytest.raises(ConfigurationError, match="region"):
            find_region(region, None)

    @pytest.mark.parametrize(
        ("region", "url"),
        [
            ("eu-central-1", "https://bedrock-runtime.eu-central-1.amazonaws.com"),
            ("us-gov-west-1", "https://bedrock-runtime.us-gov-west-1.amazonaws.com"),
            ("cn-north-1", "https://bedrock-runtime.cn-north-1.amazonaws.com.cn"),
            ("eusc-de-east-1", "https://bedrock-runtime.eusc-de-east-1.amazonaws.eu"),
        ],
    )
    def test_it_has_the_address_that_the_vendor_s_client_knows(self, region: str, url: str) -> None:
        assert base_url_of(region) == url
        session: Any = new_session()
        assert session.create_client("bedrock-runtime", region_name=region).meta.endpoint_url == url


def test_a_client_may_authenticate() -> None:
    assert not authenticates(None)
    assert not authenticates(httpx2.AsyncClient(verify=False))
    assert authenticates(httpx2.AsyncClient(verify=False, auth=("a", "b")))
    assert authenticates(httpx2.AsyncClient(verify=False, headers={"Authorization": "Bearer own"}))


class TestSigner:
    def signed(self, session: Session, body: bytes = b"{}") -> dict[str, str]:
        found = Signer("eu-west-1", session).signed(URL, {"Content-Type": "application/json"}, body)
        return {name.lower(): value for name, value in found.headers.items()}

    @pytest.mark.parametrize("token", [None, "token-SENTINEL"])
    def test_a_signature_is_one(self, token: str | None) -> None:
        headers = self.signed(Session(Credentials(Frozen(token=token))), b'{"x":1}')
        assert scope(headers) == (ID, "eu-west-1", "bedrock")
        assert headers.get("x-amz-security-token") == token
        received = {"host": "127.0.0.1:8080", **headers}
        target = URL.removeprefix("http://127.0.0.1:8080")
        assert is_signed(target, received, b'{"x":1}', SECRET)
        assert not is_signed(target, received, b'{"x":2}', SECRET)
        assert not is_signed(target.replace("nova", "titan"), received, b'{"x":1}', SECRET)

    def test_what_must_not_be_shown(self) -> None:
        for frozen, secret in [(Frozen(token="t"), "t"), (Frozen(), SECRET)]:
            assert Signer("r", Session(Credentials(frozen))).signed(URL, {}, b"").secret == secret

    def test_credentials_are_searched_for_once_and_fetched_each_time(self) -> None:
        session = Session(Credentials(Frozen(token="one"), Frozen(token="two")))
        signer = Signer("eu-west-1", session)
        assert [signer.signed(URL, {}, b"").secret for _ in range(2)] == ["one", "two"]
        assert session.searches == 1

    @pytest.mark.parametrize(
        "credentials",
        [None, Credentials(Frozen(None)), Credentials(Frozen("", "")), Credentials(Frozen(secret_key=""))],
    )
    def test_without_any_a_message_says_how_to_give_them(self, credentials: Any) -> None:
        with pytest.raises(ConfigurationError, match=r"AWS_ACCESS_KEY_ID.*api_key"):
            Signer("eu-west-1", Session(credentials)).signed(URL, {}, b"")

    def test_what_is_missing_to_search_for_them_is_said(self) -> None:
        with pytest.raises(ConfigurationError, match="no botocore"):
            Signer("eu-west-1", Session(ConfigurationError("no botocore"))).signed(URL, {}, b"")

    def test_they_may_come_later(self) -> None:
        session = Session()
        signer = Signer("eu-west-1", session)
        with pytest.raises(ConfigurationError):
            signer.signed(URL, {}, b"")
        session.credentials = Credentials(Frozen())
        assert signer.signed(URL, {}, b"").secret == SECRET

    @pytest.mark.parametrize(
        "credentials", [OSError("SENTINEL"), Credentials(RuntimeError("SENTINEL"))], ids=["search", "fetch"]
    )
    def test_those_that_cannot_be_had_are_an_error_without_their_words(self, credentials: Any) -> None:
        with pytest.raises(ProviderError) as caught:
            Signer("eu-west-1", Session(credentials)).signed(URL, {}, b"")
        assert not caught.value.retryable
        assert caught.value.detail in ("OSError", "RuntimeError")
        assert "SENTINEL" not in str(caught.value)


class TestNewSession:
    def test_it_reads_the_environment(self, monkeypatch: pytest.MonkeyPatch) -> None:
        monkeypatch.setenv("AWS_ACCESS_KEY_ID", ID)
        monkeypatch.setenv("AWS_SECRET_ACCESS_KEY", SECRET)
        assert Signer("eu-west-1", None).signed(URL, {}, b"").secret == SECRET

    def test_it_reads_the_shared_files(self, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
        lines = [
            "[work]",
            f"aws_access_key_id = {ID}",
            f"aws_secret_access_key = {SECRET}",
            "aws_session_token = t",
        ]
        (tmp_path / "credentials").write_text("\n".join(lines), encoding="utf-8")
        monkeypatch.setenv("AWS_PROFILE", "work")
        found = new_session().get_credentials().get_frozen_credentials()
        assert (found.access_key, found.token) == (ID, "t")
