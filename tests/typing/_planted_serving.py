"""Mistakes in serving an agent, which type checkers must find, among what is right."""

from __future__ import annotations

__all__ = ["PLANTED_SERVING"]

PLANTED_SERVING = """
from collections.abc import AsyncGenerator, Generator
from contextlib import asynccontextmanager, contextmanager
from typing import Any

from starlette.requests import Request

from finalturn import Agent
from finalturn.providers import Scripted
from finalturn.serve import AgentForRequest, DepsForRequest, create_app, create_router


class User:
    name: str


class Guest(User):
    pass


class Order:
    pass


plain = Agent(Scripted())
for_users = Agent(Scripted(), deps_type=User)


def user(request: Request, owner: str | None) -> User:
    return User()


def guest(request: Request, owner: str | None) -> Guest:
    return Guest()


async def later(request: Request, owner: str | None) -> User:
    return User()


def steps(request: Request, owner: str | None) -> Generator[User, None, None]:
    yield User()


async def later_steps(request: Request, owner: str | None) -> AsyncGenerator[User, None]:
    yield User()


@contextmanager
def managed(request: Request, owner: str | None) -> Generator[User, None, None]:
    yield User()


@asynccontextmanager
async def managed_later(request: Request, owner: str | None) -> AsyncGenerator[User, None]:
    yield User()


def order(request: Request, owner: str | None) -> Order:
    return Order()


async def order_steps(request: Request, owner: str | None) -> AsyncGenerator[Order, None]:
    yield Order()


def only_request(request: Request) -> User:
    return User()


create_app(plain)
create_app(for_users, deps=user)
create_app(for_users, deps=guest)
create_app(for_users, deps=later)
create_app(for_users, deps=steps)
create_app(for_users, deps=later_steps)
create_app(for_users, deps=managed)
create_app(for_users, deps=managed_later)
create_router(for_users, authenticate=None, deps=later_steps)
create_router(plain, authenticate=None)
create_app(for_users)  # wrong
create_router(for_users, authenticate=None)  # wrong
create_app(for_users, deps=order)  # wrong
create_app(for_users, deps=order_steps)  # wrong
create_app(for_users, deps=only_request)  # wrong
create_router(for_users, authenticate=None, deps=order)  # wrong
named: DepsForRequest[User] = later_steps
create_app(for_users, deps=named)


def choose(request: Request, owner: str | None) -> Agent[Any, User]:
    return for_users


async def choose_plain(request: Request, owner: str | None) -> Agent[None]:
    return plain


create_app(for_users, deps=user, agent_for=choose)
create_app(plain, agent_for=choose_plain)
create_app(plain, agent_for=choose)  # wrong
chosen: AgentForRequest[User] = choose
create_router(for_users, authenticate=None, deps=user, agent_for=chosen)
"""
