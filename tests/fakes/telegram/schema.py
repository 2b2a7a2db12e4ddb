"""Checks of requests against the table made from the published description of the Bot API."""

import json
from functools import cache
from pathlib import Path
from typing import Any, Final

from tests.fakes.distortion import Shape, merge_shapes
from tests.fakes.platform import refuse_if, required

Json = dict[str, Any]

SPEC: Final = Path(__file__).parent / "spec.json"
_ARRAY: Final = "Array of "
_BASIC_SHAPES: Final = {"Integer": "integer", "Float": "number", "String": "string", "Boolean": "boolean"}


class ApiError(Exception):
    """An answer that is no success: its number, its words, and perhaps parameters for programs."""

    def __init__(self, code: int, description: str, **parameters: Any) -> None:
        super().__init__(code, description)
        self.code = code
        self.description = description
        self.parameters = parameters


def bad_request(description: str) -> ApiError:
    """Return the answer to a request that is wrong."""
    return ApiError(400, f"Bad Request: {description}")


@cache
def spec() -> Json:
    spec: Json = json.loads(SPEC.read_text("utf-8"))
    return spec


def check_call(method: str, given: dict[str, str], files: set[str]) -> Json:
    """Return the parameters of a call as values; ApiError if the call is not as described.

    `given` are the parameters as they come over the wire, as text; `files` are the names of uploaded files.
    """
    described = required(spec()["methods"].get(method), ApiError(404, "Not Found: method not found"))
    read: Json = {}
    for name, text in given.items():
        refuse_if(name not in described, bad_request(f"{method} knows no parameter {name!r}"))
        read[name] = _read(method, name, described[name], text)
    for name, each in described.items():
        uploaded = name in files and "InputFile" in each[0]
        refuse_if(each[1] and name not in read and not uploaded, bad_request(f"{method} needs {name!r}"))
    return read


def shape_of_answer(method: str) -> Shape:
    """Return the shape of the answer to a call that succeeds."""
    return Shape(frozenset({"object"}), fields={"ok": ["Boolean"], "result": spec()["answers"][method]}, read=shape_of)


def shape_of(types: list[str]) -> Shape:
    """Return the shape of the values of some types."""
    return merge_shapes([_shape_of_type(each) for each in types])


def _shape_of_type(type_: str) -> Shape:
    if type_.startswith(_ARRAY):
        return Shape(frozenset({"array"}), entries=[type_.removeprefix(_ARRAY)], read=shape_of)
    if type_ in _BASIC_SHAPES:
        return Shape(frozenset({_BASIC_SHAPES[type_]}))
    described = spec()["types"].get(type_, {})
    if isinstance(described, list):
        return shape_of(described)
    return Shape(frozenset({"object"}), fields={name: each[0] for name, each in described.items()}, read=shape_of)


def check_type(type_: str, value: Any, where: str) -> None:
    """Check a value against a type of the description; ApiError if it is none of that type."""
    problem = _problem(type_, value, where)
    if problem is not None:
        raise bad_request(problem)


def _read(method: str, name: str, described: list[Any], text: str) -> Any:
    types = described[0]
    where = f"{method}.{name}"
    if "String" in types or "InputFile" in types:
        if "Integer" in types and text.lstrip("-").isdecimal():
            return int(text)
        _check_length(where, described, text)
        return text
    try:
        value = json.loads(text)
    except ValueError:
        raise bad_request(f"{where} is no JSON") from None
    _check_any(where, described, value)
    return value


def _check_any(where: str, described: list[Any], value: Any) -> None:
    problems = [_problem(type_, value, where) for type_ in described[0]]
    if None not in problems:
        raise bad_request(next(problem for problem in problems if problem is not None))
    _check_length(where, described, value)


def _check_length(where: str, described: list[Any], value: Any) -> None:
    if len(described) < 3 or not isinstance(value, str):
        return
    least, most, unit = described[2]
    # What is marked up is measured after the markup is read; those checks stand in `messages`.
    if where.rsplit(".", 1)[-1] in ("caption", "text") and unit == "characters" and most in (1024, 4096):
        return
    size = len(value.encode()) if unit == "bytes" else len(value)
    refuse_if(not least <= size <= most, bad_request(f"{where} has {size} {unit}, not {least} to {most}"))


def _problem(type_: str, value: Any, where: str) -> str | None:
    """Return what is wrong with a value, None if it is of the type."""
    if type_.startswith(_ARRAY):
        if not isinstance(value, list):
            return f"{where} is no list"
        inner = type_.removeprefix(_ARRAY)
        found = (_problem(inner, each, f"{where}[{at}]") for at, each in enumerate(value))
        return next((problem for problem in found if problem is not None), None)
    basic: dict[str, tuple[type, ...]] = {
        "Integer": (int,),
        "Float": (int, float),
        "String": (str,),
        "Boolean": (bool,),
        "InputFile": (str,),
    }
    if type_ in basic:
        right = isinstance(value, basic[type_]) and (type_ == "Boolean" or not isinstance(value, bool))
        return None if right else f"{where} is not of type {type_}"
    described = spec()["types"].get(type_)
    if described is None:
        return None
    if isinstance(described, list):
        problems = [_problem(each, value, where) for each in described]
        return None if None in problems else _likeliest(value, described, problems)
    if not isinstance(value, dict):
        return f"{where} is no {type_}"
    return _problem_within(type_, described, value, where)


def _problem_within(type_: str, described: Json, value: Json, where: str) -> str | None:
    for name, inner in value.items():
        if name not in described:
            return f"{where}: {type_} knows no {name!r}"
        try:
            _check_any(f"{where}.{name}", described[name], inner)
        except ApiError as error:
            return error.description.removeprefix("Bad Request: ")
    missing = [name for name, each in described.items() if each[1] and name not in value]
    return f"{where}: {type_} needs {missing[0]!r}" if missing else None


def _likeliest(value: Any, types: list[str], problems: list[str | None]) -> str | None:
    """Return the problem with the type that the value names, else the first."""
    kind = str(value.get("type", value.get("status", ""))) if isinstance(value, dict) else ""
    named = kind.replace("_", "").lower()
    found = [each for type_, each in zip(types, problems, strict=True) if named and type_.lower().endswith(named)]
    return (found or problems)[0]
