"""The kinds of values that requests are made of, with their limits."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Callable, Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import HTTPException, Request, Response
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from pydantic import BaseModel, ConfigDict, Field, ValidationError

from aboutness.core.errors import shown

MOST_RANKERS = 4
MOST_K = 1_000
LONGEST_ID = 2_048  # characters; an index takes as many bytes

IndexName = Annotated[str, Field(min_length=1, max_length=64, description="The name of an index. [the first]")]
QueryText = Annotated[str, Field(max_length=10_000, description="What is looked for.")]
RankerText = Annotated[
    str, Field(min_length=1, max_length=1_000, description="A ranker, such as bm25 or 'bm25 % 100 >> iwcs'.")
]
RankerTexts = Annotated[
    list[RankerText], Field(min_length=1, max_length=MOST_RANKERS, description="One to four rankers.")
]
DocumentId = Annotated[str, Field(min_length=1, max_length=LONGEST_ID, description="The id of a document.")]
K = Annotated[int, Field(ge=1, le=MOST_K, description="How many documents.")]


class Asked(BaseModel):
    """A request: what is not known is refused, not ignored."""

    model_config = ConfigDict(extra="forbid")


class Sent(Asked):
    """A request in a body, whose values are strict: "3" is no number there, as it is in an address."""

    model_config = ConfigDict(strict=True)


A = TypeVar("A", bound=Asked)


async def read_body(request: Request, kind: type[A]) -> A:
    """Return what a request's body asks for: as FastAPI would, in half the time; for what is asked most."""
    return parsed(await request.body(), kind)


def parsed(body: bytes, kind: type[A]) -> A:
    """Return what a body asks for; raise RequestValidationError or HTTPException where it is not just that."""
    try:
        asked = kind.model_validate_json(body, strict=True)
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from None
    json.loads(body, object_pairs_hook=_once_each)
    return asked


class StrictRoute(APIRoute):
    """A route that refuses bodies with a key that is there twice: of the two, JSON's readers take the last."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        handle = super().get_route_handler()

        async def answered(request: Request) -> Response:
            return await handle(_Once(request.scope, request.receive))

        return answered


class _Once(Request):
    async def json(self) -> Any:  # noqa: ANN401 - whatever was sent
        return json.loads(await self.body(), object_pairs_hook=_once_each)


def _once_each(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        twice = next(key for key, count in Counter(key for key, _ in pairs).items() if count > 1)
        raise HTTPException(400, f"{shown(twice)} is there twice in the request; keep one")
    return found


def body_of(kind: type[Asked]) -> dict[str, Any]:
    """Return how the OpenAPI document describes such a body."""
    return {
        "requestBody": {"required": True, "content": {"application/json": {"schema": kind.model_json_schema()}}}
    }
