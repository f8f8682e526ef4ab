"""Nobody sees what is another's where memories are found by meaning, with the real model."""

import anyio
import pytest

from isolation.canaries import fill
from isolation.checking import everything_in, probe_together
from isolation.principals import PRINCIPALS
from pinyon.models.cross_encoder import CrossEncoder
from pinyon.models.late_interaction import LateInteractionModel
from pinyon.models.locate import find_cross_encoder, find_late_interaction
from pinyon.ports.models import Models

pytestmark = pytest.mark.anyio

PROBERS = (PRINCIPALS[0], PRINCIPALS[1], PRINCIPALS[27], PRINCIPALS[31])
OTHERS = (PRINCIPALS[2], PRINCIPALS[9], PRINCIPALS[33])
PROBES = 1_000


@pytest.fixture(scope="module")
def models():
    found, judge = find_late_interaction(), find_cross_encoder()
    assert found is not None, "the models are not installed; `make test` does"
    assert judge is not None
    return Models(embedder=LateInteractionModel(found), reranker=CrossEncoder(judge))


async def test_nothing_of_others_is_seen_or_changed_by_meaning(tmp_path, models):
    home = tmp_path / "home"
    world = await fill(home, models, principals=(*PROBERS, *OTHERS))
    written = {space for principal in PROBERS for space in principal.writes}
    bystanders = [space for space in world.spaces if space not in written]
    before = await everything_in(home, bystanders)

    with anyio.fail_after(200):
        report = await probe_together(home, world, PROBERS, [1], models=models, most=250)

    assert report.leaks == []
    assert report.probes >= PROBES
    assert report.answers > 200
    assert await everything_in(home, bystanders) == before
