"""Whatever a route does not know is refused: who sends it believes that it does something.

The fields of a body are looked at in `bodies`; here it is what stands beside it.
"""

from collections.abc import Iterator

from fastapi import Request
from fastapi.dependencies.models import Dependant
from fastapi.routing import APIRoute

from pinyon.errors import BadInput, UnknownField

NOTHING = (b"", b"{}")


def refuse_unknown_parameters(request: Request) -> None:
    """See that a route knows every parameter of the query.

    Raises:
        UnknownField: It does not know a parameter.
        BadInput: A parameter is there twice that is taken once.
    """
    known = dict(_parameters(_route_of(request).dependant))
    for name in request.query_params:
        if name not in known:
            raise UnknownField(name, tuple(known))
        if not known[name] and len(request.query_params.getlist(name)) > 1:
            raise BadInput(f"{name} is there twice; send it once")


def refuse_body_for_nothing(request: Request) -> None:
    """See that a route takes a body if there is one.

    Raises:
        BadInput: There is one, and it would do nothing.
    """
    body = getattr(request.state, "body", b"")
    if _route_of(request).body_field is None and body.strip() not in NOTHING:
        raise BadInput("this takes no body; whatever stands in it would do nothing")


def _route_of(request: Request) -> APIRoute:
    route = request.scope["route"]
    assert isinstance(route, APIRoute)  # noqa: S101 - all of ours are
    return route


def _parameters(dependant: Dependant) -> Iterator[tuple[str, bool]]:
    """Yield the parameters that a route takes in its query, and whether it takes several of one."""
    for parameter in dependant.query_params:
        yield parameter.alias, isinstance(parameter.default, list)
    for part in dependant.dependencies:
        yield from _parameters(part)
