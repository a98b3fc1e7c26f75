"""The shape of public names as documents speak of them: parameters, members and values."""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass

from tools.contractdocs._api import Api
from tools.contractdocs._baseline_signature import Parameter, Signature, literals, options, signature

OPEN = ("*", "**")


@dataclass(frozen=True)
class Shapes:
    """All of them.

    Attributes:
        signatures: of each public name, by path.
        parameters: what each public callable takes, by path and name; ``None`` where any keyword goes.
        members: the public members of each public class, by its path; inherited ones too.
        aliases: the values of each literal alias and enum, by its path.
        values: the strings of public literals and enums.
    """

    signatures: Mapping[str, Signature]
    parameters: Mapping[str, Mapping[str, Parameter] | None]
    members: Mapping[str, frozenset[str]]
    aliases: Mapping[str, tuple[str, ...]]
    values: frozenset[str]

    def takes(self, parameter: Parameter, value: object) -> bool:
        """Whether a value that is written out is legal."""
        return any(self._fits(option, value) for option in options(parameter.annotation))

    def _fits(self, option: str, value: object) -> bool:
        if words := literals(option) or self._words_of(option):
            return value in words
        match option:
            case "bool":
                return isinstance(value, bool)
            case "None":
                return value is None
            case "int" | "float":
                return isinstance(value, int | float) and not isinstance(value, bool)
            case "str" | "bytes":
                return isinstance(value, str)
            case _:
                return True

    def _words_of(self, name: str) -> tuple[str, ...]:
        return next((words for path, words in self.aliases.items() if path.rpartition(".")[2] == name), ())

    def class_in(self, annotation: str, *, item: bool = False) -> str | None:
        """The public class that an annotation names, or that the items of its sequence are."""
        found = [option for option in options(annotation) if option != "None"]
        if len(found) != 1:
            return None
        node = ast.parse(found[0], mode="eval").body
        if item:
            if not (
                isinstance(node, ast.Subscript) and ast.unparse(node.value) in ("tuple", "list", "Sequence")
            ):
                return None
            node = node.slice.elts[0] if isinstance(node.slice, ast.Tuple) and node.slice.elts else node.slice
        name = ast.unparse(node).partition("[")[0]
        return next((path for path in self.members if path.rpartition(".")[2] == name), None)


_LAST: list[tuple[Api, Shapes]] = []


def shapes(api: Api) -> Shapes:
    """The shapes of public names."""
    if not (_LAST and _LAST[0][0] is api):
        _LAST[:] = [(api, _shapes(api))]
    return _LAST[0][1]


def _shapes(api: Api) -> Shapes:
    signatures = {path: signature(symbol.signature) for path, symbol in api.symbols.items()}
    classes = {symbol.name: path for path, symbol in api.symbols.items() if symbol.kind == "class"}
    own: dict[str, set[str]] = {path: set() for path in classes.values()}
    for symbol in api.symbols.values():
        if symbol.parent in own and symbol.kind != "parameter":
            own[symbol.parent].add(symbol.name)
    members = {path: frozenset(_inherited(path, own, signatures, classes)) for path in own}
    parameters: dict[str, Mapping[str, Parameter] | None] = {}
    for path, symbol in api.symbols.items():
        if symbol.kind in ("class", "function", "method"):
            parameters[path] = _parameters(signatures[path])
    aliases = {
        path: words
        for path, one in signatures.items()
        if (words := one.words) and api.symbols[path].kind == "alias"
    }
    for path in own:
        values = tuple(
            ast.literal_eval(signatures[one.path].value)
            for one in api.members.get(path, ())
            if one.kind == "member" and signatures[one.path].value
        )
        if values:
            aliases[path] = values
    strings = {word for one in aliases.values() for word in one}
    for one in signatures.values():
        annotations = [one.annotation, *(item.annotation for call in one.calls for item in call.parameters)]
        strings |= {word for annotation in annotations for word in literals(annotation)}
    return Shapes(signatures, parameters, members, aliases, frozenset(strings))


def _inherited(
    path: str, own: Mapping[str, set[str]], signatures: Mapping[str, Signature], classes: Mapping[str, str]
) -> set[str]:
    found = set(own[path])
    for base in signatures[path].bases:
        if (parent := classes.get(base.partition("[")[0])) and parent != path:
            found |= _inherited(parent, own, signatures, classes)
    return found


def _parameters(one: Signature) -> Mapping[str, Parameter] | None:
    if not one.calls or any(item.passing == "**" for call in one.calls for item in call.parameters):
        return None
    return {item.name: item for call in one.calls for item in call.parameters if item.passing not in OPEN}
