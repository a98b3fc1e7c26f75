"""The tool itself: a function, and what a model is told about it."""

from __future__ import annotations

import functools
import inspect
import re
import types
from collections.abc import Awaitable, Callable, Mapping
from typing import TYPE_CHECKING, Any, Concatenate, Generic, ParamSpec, TypeAlias, cast, overload

from typing_extensions import TypeVar

from finalturn._core.described import described
from finalturn._core.errors import ConfigurationError
from finalturn._core.messages import ToolCall
from finalturn._core.model import ToolSpec
from finalturn._core.run_context import RunContext
from finalturn._support.keywords import known_keywords
from finalturn._tools.arguments import Arguments, ArgumentsError
from finalturn._tools.context_parameter import ContextParameter, context_parameter, with_context
from finalturn._tools.function import is_method, source
from finalturn._tools.seconds import checked_seconds
from finalturn.stability import stable

if TYPE_CHECKING:
    from finalturn._tools.shown import OpenActivity

__all__ = [
    "DEFAULT_TIMEOUT",
    "Available",
    "Tool",
    "activity_of",
    "availability",
    "context_of_tool",
    "prepare",
]

P = ParamSpec("P")
Q = ParamSpec("Q")
R = TypeVar("R")
S = TypeVar("S")
InstanceT = TypeVar("InstanceT")
DepsT = TypeVar("DepsT")
DepsT_contra = TypeVar("DepsT_contra", contravariant=True, default=object)

DEFAULT_TIMEOUT = 60.0

Available: TypeAlias = Callable[[RunContext[DepsT]], bool | Awaitable[bool]]
"""Says whether a turn offers a tool."""

_NAME = re.compile(r"[A-Za-z0-9_-]{1,64}")


@stable(since="0.1.0")
class Tool(Generic[P, R, DepsT_contra]):
    """A function that a model may call. Still callable like the function itself.

    The arguments' JSON Schema comes from the signature: every parameter needs an annotation, and may
    carry pydantic metadata (``Annotated[int, Field(ge=1)]``). What the model sends is validated with
    pydantic, in JSON mode, before the function runs; an argument that it does not have is an error that
    the model is told. The description is the docstring's first paragraph, and an ``Args:`` section (or
    its NumPy or Sphinx form) describes the arguments.

    A synchronous function runs in a worker thread, with the caller's context variables; an ``async`` one
    runs on the event loop. What it returns becomes text for the model: ``None`` is ``""``, a ``str``
    stays, and everything else becomes JSON (pydantic models, dataclasses, dates; NaN is ``null``). Raise
    `ToolError` to tell the model, and the person, what went wrong; any other exception goes to the model.

    A function whose first parameter is a `RunContext` gets that of the turn: it is no part of the schema. An
    agent takes only tools that ask for deps of its own type.

    In a class body, a tool is a method: ``shop.lookup`` is a tool of that instance.

    Args:
        fn: a function, method, ``functools.partial`` or other callable, sync or async. What a partial has
            bound is hidden from the model.
        name: what the model calls it by, ``[A-Za-z0-9_-]{1,64}``. By default the function's name.
        description: what it is for. By default the docstring's first paragraph.
        timeout: seconds that one call may take, 60 by default; ``None`` for no limit. An async function is
            cancelled then, and must not resist; a sync one is abandoned in its thread, where
            ``anyio.from_thread.check_cancelled()`` tells a long one to stop.
        terminal: a call that succeeds ends the turn, once its batch is over.
        available: asked once a turn, with the context, whether the model is offered the tool in it; sync or
            async. ``None`` for always.

    Raises:
        ConfigurationError: a model could not call it; the message names the function, the parameter and
            the remedy.
    """

    __name__: str
    __wrapped__: Callable[P, R]
    _activity: Callable[..., Any] | None = None
    _agent: object = None

    @overload
    def __init__(
        self: Tool[Concatenate[RunContext[DepsT], Q], S, DepsT],
        fn: Callable[Concatenate[RunContext[DepsT], Q], S],
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        terminal: bool = False,
        available: Available[DepsT] | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Tool[Concatenate[InstanceT, RunContext[DepsT], Q], S, DepsT],
        fn: Callable[Concatenate[InstanceT, RunContext[DepsT], Q], S],
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        terminal: bool = False,
        available: Available[DepsT] | None = None,
    ) -> None: ...
    @overload
    def __init__(
        self: Tool[Q, S, DepsT],
        fn: Callable[Q, S],
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        terminal: bool = False,
        available: Available[DepsT],
    ) -> None: ...
    @overload
    def __init__(
        self: Tool[Q, S, object],
        fn: Callable[Q, S],
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        terminal: bool = False,
        available: None = None,
    ) -> None: ...
    @known_keywords("Tool")
    def __init__(
        self,
        fn: Callable[..., Any],
        /,
        *,
        name: str | None = None,
        description: str | None = None,
        timeout: float | None = DEFAULT_TIMEOUT,
        terminal: bool = False,
        available: Available[Any] | None = None,
    ) -> None:
        from finalturn._tools.docstring import summary
        from finalturn._tools.signature_arguments import SignatureArguments

        label = _checked_function(fn)
        function = source(fn)
        arguments = SignatureArguments(fn, label)
        self._set_up(
            fn,
            _checked_name(getattr(function, "__name__", label) if name is None else name, label),
            summary(function.__doc__) if description is None else description,
            arguments,
            arguments.context,
            checked_seconds(f"tool {label}: timeout", timeout),
            terminal,
            _checked_available(available, label),
        )

    @classmethod
    @known_keywords("Tool.from_schema")
    def from_schema(
        cls,
        name: str,
        description: str,
        parameters: Mapping[str, Any],
        fn: Callable[..., S],
        *,
        timeout: float | None = DEFAULT_TIMEOUT,
        terminal: bool = False,
        available: Available[Any] | None = None,
    ) -> Tool[..., S, Any]:
        """A tool whose arguments are described by a JSON Schema instead of a signature.

        Args:
            name: what the model calls it by, ``[A-Za-z0-9_-]{1,64}``.
            description: what it is for.
            parameters: a JSON Schema (draft 2020-12) of an object; a remote ``$ref`` is refused.
            fn: is called with the object's keys as keyword arguments, plain JSON values; and with the
                context first, when its first parameter is a `RunContext`.
            timeout: seconds that one call may take, 60 by default; ``None`` for no limit.
            terminal: a call that succeeds ends the turn, once its batch is over.
            available: as for `Tool`.

        Raises:
            ConfigurationError: the name, the schema or the timeout is not one.
        """
        from finalturn._tools.schema_arguments import SchemaArguments

        tool: Tool[..., S, Any] = object.__new__(cast("type[Tool[..., S, Any]]", cls))
        label = _checked_function(fn)
        tool._set_up(
            fn,
            _checked_name(name, label),
            description,
            SchemaArguments(parameters, name),
            context_parameter(fn, f"tool {label}"),
            checked_seconds(f"tool {label}: timeout", timeout),
            terminal,
            _checked_available(available, label),
        )
        return tool

    def _set_up(
        self,
        fn: Callable[P, R],
        name: str,
        description: str,
        arguments: Arguments,
        context: ContextParameter | None,
        timeout: float | None,
        terminal: bool,
        available: Available[Any] | None,
    ) -> None:
        functools.update_wrapper(self, source(fn), updated=())
        self.__wrapped__ = fn
        self._fn = fn
        self._arguments = arguments
        self._context = context
        self._available = available
        self._unbound = is_method(fn)
        self._name = name
        self._description = description
        self._timeout = timeout
        self._terminal = terminal
        # One object for all turns, which keeps what providers make of it.
        self._spec = ToolSpec(name, description, arguments.schema)

    @property
    def name(self) -> str:
        """What the model calls it by."""
        return self._name

    @property
    def description(self) -> str:
        """What it is for, in words for the model."""
        return self._description

    @property
    def parameters(self) -> Mapping[str, Any]:
        """A JSON Schema (draft 2020-12) of the object that holds its arguments. Deep-frozen."""
        return self._arguments.schema

    @property
    def timeout(self) -> float | None:
        """Seconds that one call may take; ``None`` for no limit."""
        return self._timeout

    @property
    def terminal(self) -> bool:
        """Whether a call that succeeds ends the turn."""
        return self._terminal

    @property
    def spec(self) -> ToolSpec:
        """The tool as a provider sees it.

        Raises:
            ConfigurationError: it is a method without an instance.
        """
        if self._unbound:
            raise ConfigurationError(
                f"tool {self.name!r} is a method without an instance; take it from one, as in "
                f"'shop.{self.name}'"
            )
        return self._spec

    def __call__(self, /, *args: P.args, **kwargs: P.kwargs) -> R:
        """Call the function itself: nothing is validated, timed or turned into text.

        Args:
            *args: as the function takes them.
            **kwargs: as the function takes them.
        """
        return self._fn(*args, **kwargs)

    @overload
    def __get__(self, instance: None, owner: type | None = None, /) -> Tool[P, R, DepsT_contra]: ...
    @overload
    def __get__(
        self: Tool[Concatenate[Any, Q], S, DepsT], instance: object, owner: type | None = None, /
    ) -> Tool[Q, S, DepsT]: ...
    def __get__(self, instance: object, owner: type | None = None, /) -> Tool[Any, Any, Any]:
        """The tool of an instance, as a method is one.

        Args:
            instance: the object that the tool is looked up on; ``None`` for the class.
            owner: its class.
        """
        if instance is None or not self._unbound:
            return self
        bound: Tool[..., R, Any] = object.__new__(cast("type[Tool[..., R, Any]]", Tool))
        bound._set_up(
            types.MethodType(self._fn, instance),
            self._name,
            self._description,
            self._arguments,
            self._context,
            self._timeout,
            self._terminal,
            self._available,
        )
        return bound

    def __repr__(self) -> str:
        return f"<Tool {self._name!r}>"


def prepare(
    tool: Tool[..., R, Any], call: ToolCall, context: Callable[[], RunContext[Any]]
) -> functools.partial[R]:
    """Validate a call's arguments; what is returned runs the tool with them.

    Args:
        tool: what is called.
        call: what the model wrote.
        context: makes the context of the call, for a tool that asks for it.

    Raises:
        ArgumentsError: they do not fit.
    """
    try:
        text = call.arguments_json()
    except Exception as error:
        raise ArgumentsError(f"- they cannot be read: {type(error).__name__}") from None
    # No text at all is how some servers send no arguments.
    values = tool._arguments.read(text if text.strip() else "{}")  # pyright: ignore[reportPrivateUsage]
    fn = with_context(tool._fn, tool._context, context)  # pyright: ignore[reportPrivateUsage]
    return functools.partial(fn, *values.positional, **values.named)


def context_of_tool(tool: Tool[..., Any, Any]) -> ContextParameter | None:
    """How a tool asks for the context; ``None`` when it does not."""
    return tool._context  # pyright: ignore[reportPrivateUsage]


def activity_of(tool: Tool[..., Any, Any]) -> OpenActivity | None:
    """What opens a call of a tool that shows what it does; ``None`` for any other tool."""
    activity: OpenActivity | None = tool._activity  # pyright: ignore[reportPrivateUsage]
    return activity


def availability(tool: Tool[..., Any, Any]) -> Available[Any] | None:
    """What is asked whether a turn offers the tool; ``None`` for a tool that is always offered."""
    return tool._available  # pyright: ignore[reportPrivateUsage]


def _checked_available(available: object, label: str) -> Any:
    if available is not None and not callable(available):
        raise ConfigurationError(
            f"tool {label}: available must be a function of a RunContext, not {described(available)}"
        )
    return available


def _checked_function(fn: object) -> str:
    """The callable's name, for errors."""
    if isinstance(fn, Tool):
        raise ConfigurationError(f"{fn.name!r} is a tool already; make another from its function")
    if isinstance(fn, (staticmethod, classmethod)):
        kind = type(fn).__name__  # pyright: ignore[reportUnknownArgumentType]
        raise ConfigurationError(f"tool {fn.__qualname__}: put @{kind} above @tool, not below")
    if not callable(fn):
        raise ConfigurationError(f"a tool is made of a function, not of {described(fn)}")
    function = source(fn)
    label = str(getattr(function, "__qualname__", function))
    if inspect.isgeneratorfunction(function) or inspect.isasyncgenfunction(function):
        raise ConfigurationError(f"tool {label}: it yields; collect what it yields and return it")
    return label


def _checked_name(name: object, label: str) -> str:
    if isinstance(name, str) and _NAME.fullmatch(name):
        return name
    raise ConfigurationError(
        f"tool {label}: a tool's name is 1 to 64 of the characters A-Z a-z 0-9 _ -, not {name!r}; give "
        "it one with name="
    )
