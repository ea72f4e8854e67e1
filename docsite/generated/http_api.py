"""Pages of the HTTP interface, from the OpenAPI document that the server itself gives."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping
from typing import Any

from aboutness.app.index import Index
from aboutness.app.outcome import OUTCOMES
from aboutness.server.app import make_app
from docsite.markdown import block, code, page, prose, sentence, table
from docsite.page import Page, link

FOLDER = "reference/http"
LIST = f"{FOLDER}.md"
SCHEMAS = "schemas"
REFERENCE = "#/components/schemas/"
USUAL = ("400", "401", "403", "413", "422", "431", "503")  # statuses that every request may be answered by

Described = Mapping[str, Any]


def openapi() -> Described:
    """Return the OpenAPI document."""
    index = Index.build([{"id": "a", "text": "any text"}])
    described: Described = make_app({"notes": index}).openapi()
    return described


def http_pages() -> Iterator[Page]:
    """Yield the list of requests, a page for each group of them, and one for what is sent and answered."""
    described = openapi()
    groups: dict[str, list[tuple[str, str, Described]]] = {}
    for path, methods in described["paths"].items():
        for method, operation in methods.items():
            groups.setdefault(operation["tags"][0], []).append((method.upper(), path, operation))
    yield _list(described, groups)
    for group, requests in groups.items():
        parts = (_request(*request) for request in requests)
        yield Page(f"{FOLDER}/{group}.md", group.capitalize(), page(f"# {group.capitalize()}", *parts))
    schemas = described["components"]["schemas"]
    yield Page(f"{FOLDER}/{SCHEMAS}.md", "What is sent and answered", _schemas(schemas))


def anchor(method: str, path: str) -> str:
    """Return the anchor of a request.

    >>> anchor("GET", "/v1/jobs/one")
    'get-v1-jobs-one'
    """
    return f"{method.lower()}{path.replace('/', '-')}"


def _list(described: Described, groups: Mapping[str, list[tuple[str, str, Described]]]) -> Page:
    rows = (
        [
            f"[{code(f'{method} {path}')}]({link(LIST, f'{FOLDER}/{group}.md')}#{anchor(method, path)})",
            prose(_first(operation)),
        ]
        for group, requests in groups.items()
        for method, path, operation in requests
    )
    problem = link(LIST, f"{FOLDER}/{SCHEMAS}.md#Problem")
    statuses: dict[int, list[str]] = {}
    for outcome in OUTCOMES.values():
        statuses.setdefault(outcome.http_status, []).append(outcome.meaning)
    return Page(
        LIST,
        "All requests",
        page(
            "# HTTP",
            f"{sentence(described['info']['description'])} `aboutness serve notes.index` answers these requests; "
            "the server describes them itself at `/v1/openapi.json`. Answers are those of Python and of the "
            "command line.",
            block(
                "curl 'http://127.0.0.1:8000/v1/search?query=city+in+the+desert&rankers=default&rankers=bm25'",
                "sh",
            ),
            table(["request", "what it does"], rows),
            "## Keys",
            "A server that was started with keys wants one with each request but `/v1/live`: `Authorization: "
            "Bearer KEY`.",
            "## Errors",
            f"They have the shape of [`Problem`]({problem}). What is not known is refused, also a parameter.",
            table(["status", "meaning"], ([str(one), "; ".join(told)] for one, told in sorted(statuses.items()))),
        ),
    )


def _first(operation: Described) -> str:
    return str(operation["description"]).partition("\n\n")[0]


def _request(method: str, path: str, operation: Described) -> str:
    parts = [f"## {method} {path} {{ #{anchor(method, path)} }}", prose(operation["description"])]
    if parameters := operation.get("parameters"):
        rows = (
            [
                code(one["name"]),
                _kind(one["schema"]),
                "yes" if one["required"] else "",
                _default(one["schema"]),
                _told(one),
            ]
            for one in parameters
        )
        parts.append(table(["parameter", "what it is", "needed", "default", "meaning"], rows))
    if body := operation.get("requestBody"):
        parts.append(_body(body["content"]["application/json"]["schema"]))
    special = {status: one for status, one in operation["responses"].items() if status not in USUAL}
    rows = ([status, _content(one), prose(one["description"])] for status, one in special.items())
    parts.append(table(["status", "answer", "meaning"], rows))
    if any(status in operation["responses"] for status in USUAL):
        parts.append(f"Or one of the [usual problems](../http.md#errors), {', '.join(USUAL)}.")
    return page(*parts)


def _body(schema: Described) -> str:
    if "properties" not in schema:
        return f"What is sent, as JSON: {_kind(schema)}."
    return page("What is sent, as JSON:", _keys(schema))


def _keys(schema: Described) -> str:
    """Return a table of the keys of an object."""
    needed = schema.get("required", [])
    rows = (
        [code(key), _kind(one), "yes" if key in needed else "", _default(one), _told({"schema": one})]
        for key, one in schema.get("properties", {}).items()
    )
    return table(["key", "what it is", "always there", "default", "meaning"], rows)


def _content(one: Described) -> str:
    for kind, content in one.get("content", {}).items():
        return _kind(content["schema"]) if kind == "application/json" and content["schema"] else code(kind)
    return "nothing"


def _told(one: Described) -> str:
    inner = [one, one["schema"], *one["schema"].get("anyOf", [])]
    return prose(next((text for part in inner if (text := part.get("description"))), ""))


def _kind(schema: Described) -> str:
    """Return in words what a schema allows."""
    if "$ref" in schema:
        name = schema["$ref"].removeprefix(REFERENCE)
        return f"[{code(name)}]({SCHEMAS}.md#{name})"
    if "anyOf" in schema:
        return " or ".join(dict.fromkeys(map(_kind, schema["anyOf"])))
    if "enum" in schema or "const" in schema:
        return " or ".join(code(str(one)) for one in schema.get("enum", [schema.get("const")]))
    if schema.get("type") == "array":
        return (
            f"a list of {_many(_kind(schema['items']))}{_range(schema, 'Items')}"
            if "items" in schema
            else "a list"
        )
    if schema.get("type") == "object":
        inner = schema.get("additionalProperties")
        return f"an object of {_kind(inner)}" if isinstance(inner, Mapping) and inner else "an object"
    named = {
        "string": "text",
        "integer": "a whole number",
        "number": "a number",
        "boolean": "true or false",
        "null": "null",
    }
    length = _range(schema, "Length", " characters") if schema.get("type") == "string" else _limits(schema)
    return named.get(str(schema.get("type")), "anything") + length


def _many(kind: str) -> str:
    """Return what a list holds, in words: `numbers` for `a number`."""
    found = re.match(r"an? ([a-z ]*(?:number|object|list))", kind)
    return f"{found[1]}s{kind[found.end() :]}" if found else kind


def _limits(schema: Described) -> str:
    low, high = schema.get("minimum"), schema.get("maximum")
    return _between(low, high, "")


def _range(schema: Described, what: str, unit: str = "") -> str:
    return _between(schema.get(f"min{what}"), schema.get(f"max{what}"), unit)


def _between(low: Any, high: Any, unit: str) -> str:  # noqa: ANN401 - a number or nothing
    if low is not None and high is not None:
        return f" ({low:,} to {high:,}{unit})"
    if high is not None:
        return f" (at most {high:,}{unit})"
    return f" (at least {low:,}{unit})" if low is not None else ""


def _default(schema: Described) -> str:
    return code(json.dumps(schema["default"])) if schema.get("default") is not None else ""


def _schemas(schemas: Mapping[str, Described]) -> str:
    parts = ["# What is sent and answered", "All of it is JSON."]
    for name, schema in sorted(schemas.items()):
        parts += [f"## {name} {{ #{name} }}", prose(schema.get("description", ""))]
        parts.append(_keys(schema).replace(f"({SCHEMAS}.md#", "(#"))
    return page(*parts)
