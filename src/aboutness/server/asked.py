"""The kinds of values that requests are made of, with their limits."""

from __future__ import annotations

from typing import Annotated, Any, TypeVar

from fastapi import Request
from fastapi.exceptions import RequestValidationError
from pydantic import BaseModel, ConfigDict, Field, ValidationError

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


A = TypeVar("A", bound=Asked)


async def read_body(request: Request, kind: type[A]) -> A:
    """Return what a request's body asks for: as FastAPI would, in half the time; for what is asked most."""
    try:
        return kind.model_validate_json(await request.body())
    except ValidationError as error:
        raise RequestValidationError([{**one, "loc": ("body", *one["loc"])} for one in error.errors()]) from None


def body_of(kind: type[Asked]) -> dict[str, Any]:
    """Return how the OpenAPI document describes such a body."""
    return {
        "requestBody": {"required": True, "content": {"application/json": {"schema": kind.model_json_schema()}}}
    }
