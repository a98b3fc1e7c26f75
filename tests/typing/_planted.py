"""Mistakes that a type checker must find."""

from __future__ import annotations

# A line that ends in ``# wrong`` must be an error; no other line may be one.
PLANTED = """
from collections.abc import Iterator, Sequence
from dataclasses import replace
from typing import Annotated, Any, assert_never, assert_type

from pydantic import BaseModel, TypeAdapter

from finalturn import (
    Agent,
    AgentResult,
    Message,
    ModelRequest,
    RunContext,
    RunOptions,
    StreamChunk,
    StructuredOutputConfig,
    SyncBatch,
    ToolCall,
    tool,
)
from finalturn.providers import Scripted


class Ticket(BaseModel):
    topic: str


provider = Scripted()
agent = Agent(provider, response_format=Ticket)
plain = Agent(provider)

agent.run("go").parsed.topic  # wrong
agent.run("go").unwrap().amount  # wrong
number: int = agent.run("go").content  # wrong
assert_type(agent.run("go", response_format=None), AgentResult[Ticket])  # wrong
plain.run("go", response_format="a ticket")  # wrong
plain.run("go", response_format=f"{Ticket.__name__}")  # wrong
plain.run("go", response_format=[Ticket])  # wrong
plain.run("go", response_format=(Ticket, int))  # wrong
plain.run("go", response_format=Ticket(topic="a"))  # wrong
plain.run("go", response_format=7)  # wrong
Agent(provider, response_format="a ticket")  # wrong
Agent(provider, response_format=[Ticket])  # wrong
plain.stream("go", response_format=Ticket | None).result.unwrap().topic  # wrong
plain.astream("go", response_format=[Ticket])  # wrong
assert_type(plain.run("go", response_format=Annotated[Ticket | int, "words"]).unwrap(), Ticket | int)
assert_type(Agent(provider, response_format=Ticket | int), Agent[Ticket])  # wrong
wrong: Agent[int] = Agent(provider, response_format=TypeAdapter(str))  # wrong
plain.run(7)  # wrong
plain.run([{"role": "user", "content": "go"}])  # wrong
plain.run("go", stream_handler=lambda a, b: None)  # wrong
plain.astream("go", stream_handler=print)  # wrong
Agent(provider, sessions={})  # wrong
Agent(object())  # wrong
agent.run("go").content = ""  # wrong
StreamChunk("Hello").content = ""  # wrong
replace(StreamChunk("Hello"), content=7)  # wrong for mypy
replace(StreamChunk("Hello"), text="")  # wrong for mypy
changed: StreamChunk = replace(StreamChunk("Hello"), content="Bye")
message = replace(Message.user("Hello"), content="Bye", structured=None)
Message.user("Hello").tool_calls.append(ToolCall("look"))  # wrong
ToolCall("look").arguments["order"] = "A"  # wrong


class MyChunk(StreamChunk):  # wrong
    pass



class NoStream:
    def stream(self, request: ModelRequest) -> Iterator[str]:
        yield "text"


Agent(NoStream())  # wrong


def no_bool(messages: Sequence[Message], text: str) -> str:
    return text


StructuredOutputConfig(final_turn_only=True, should_finalize=no_bool)  # wrong


@tool
def look(order: str) -> int:
    return 1


look(1)  # wrong
text: str = look("A")  # wrong
Agent(provider, tools=[print])  # wrong


def incomplete(item: StreamChunk | AgentResult[Ticket]) -> None:
    match item:
        case AgentResult():
            pass
        case StreamChunk(content=str(shown)) if shown:
            pass
        case _:
            assert_never(item)  # wrong


def fine(result: AgentResult[Any]) -> None:
    print(result.unwrap().whatever)


class User:
    name: str


class Order:
    pass


@tool
def of_user(ctx: RunContext[User], order: str) -> str:
    return ctx.deps.name


@tool(name="of_order")
async def of_order(ctx: RunContext[Order]) -> str:
    return ""


@tool
def of_anybody(ctx: RunContext) -> str:
    return ctx.run_id


def user_prompt(ctx: RunContext[User]) -> str:
    return ctx.deps.name


class Desk:
    @tool
    def method(self, ctx: RunContext[User], order: str) -> str:
        return ""


of_users = [of_user, Desk().method]
for_users = Agent(provider, deps_type=User, tools=of_users, system_prompt=user_prompt)
Agent(provider, deps_type=User, tools=[of_user, of_anybody, Desk().method])
assert_type(for_users, Agent[None, User])
assert_type(for_users.run("go", deps=User(), response_format=Ticket).parsed, Ticket | None)
assert_type(Agent(provider, deps_type=User, response_format=Ticket), Agent[Ticket, User])
assert_type(Agent(provider, response_format=Ticket), Agent[Ticket])
for_users.run("go")  # wrong
for_users.stream("go", deps=Order())  # wrong
for_users.run("go", deps=User(), tools=[of_order])  # wrong
for_users.run("go", deps=User(), tools=[of_user])
for_users.run("go", deps=User(), setings=None)  # wrong
for_users.map(["go"])  # wrong
for_users.map(["go"], deps=Order())  # wrong
for_users.amap(["go"], deps=User(), at_once=8)  # wrong
assert_type(for_users.map(["go"], deps=User(), response_format=Ticket), SyncBatch[Ticket])
agent.map(["go"], deps=User())  # wrong
agent.map([7])  # wrong
Agent(provider, deps_type=User, tools=[of_order])  # wrong
Agent(provider, tools=[of_user])  # wrong
Agent(provider, system_prompt=user_prompt)  # wrong
agent.run("go", deps=User())  # wrong
options: RunOptions[User] = {"session": "s-1"}
for_users.run("go", deps=User(), **options)
of_user(RunContext(User(), "run-1"), "A")
of_user("A")  # wrong


def takes_any(agent: Agent[Any, Any]) -> None:
    pass


takes_any(agent)
takes_any(for_users)
"""
