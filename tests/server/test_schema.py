"""Requests drawn from the OpenAPI document: no error of the server's, and every answer as it is described."""

from __future__ import annotations

import os
from contextlib import suppress

import pytest
import schemathesis
from hypothesis import HealthCheck, given, settings
from hypothesis.errors import Unsatisfiable
from schemathesis.checks import not_a_server_error
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
)

from aboutness.server.app import make_app

EXAMPLES = int(os.environ.get("ABOUTNESS_SCHEMA_EXAMPLES", "15"))  # for each route
CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
]
OWN_NAME = {"Host": "localhost"}

pytestmark = pytest.mark.filterwarnings(  # a thread of the server's may draw while requests are drawn
    "ignore:Do not use the `random` module:hypothesis.errors.HypothesisDeprecationWarning"
)


def test_answers_are_as_described(changing):
    app = make_app({"sky": changing})
    schema = schemathesis.openapi.from_asgi("/v1/openapi.json", app, headers=OWN_NAME)
    operations = [found.ok() for found in schema.get_all_operations()]
    assert {operation.path for operation in operations} == set(app.openapi()["paths"])
    for operation in operations:
        for mode in schemathesis.GenerationMode:  # requests as described, and others

            @settings(max_examples=EXAMPLES, suppress_health_check=list(HealthCheck), database=None)
            @given(case=operation.as_strategy(generation_mode=mode))
            def answered(case):
                case.call_and_validate(checks=CHECKS, headers=OWN_NAME)

            with suppress(Unsatisfiable):  # a route that takes nothing cannot be asked wrongly
                answered()
