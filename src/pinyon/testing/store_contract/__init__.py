"""What every store promises. Subclass it, override `store`, and every promise is checked.

```python
class TestMyStore(StoreContract):
    @pytest.fixture
    async def store(self, clock):
        yield MyStore(clock=clock)
```
"""

from pinyon.testing.makers import ANN
from pinyon.testing.store_contract.conversing import ConversingPromises
from pinyon.testing.store_contract.erasing import ErasePromises
from pinyon.testing.store_contract.event_log import EventLogPromises
from pinyon.testing.store_contract.events import EventPromises
from pinyon.testing.store_contract.exposing import ExposurePromises
from pinyon.testing.store_contract.journal_and_jobs import JournalAndJobPromises
from pinyon.testing.store_contract.keys import KeyPromises
from pinyon.testing.store_contract.meaning import MeaningPromises
from pinyon.testing.store_contract.records import RecordPromises
from pinyon.testing.store_contract.search import SearchPromises
from pinyon.testing.store_contract.trusting import TrustPromises
from pinyon.testing.store_contract.values import BOB, BY, DIM, MODEL, event_of, unit
from pinyon.testing.store_contract.working import WorkPromises

__all__ = ["ANN", "BOB", "BY", "DIM", "MODEL", "StoreContract", "event_of", "unit"]


class StoreContract(
    RecordPromises,
    EventPromises,
    EventLogPromises,
    ErasePromises,
    SearchPromises,
    MeaningPromises,
    ExposurePromises,
    JournalAndJobPromises,
    WorkPromises,
    TrustPromises,
    ConversingPromises,
    KeyPromises,
):
    """The promises of `pinyon.ports`, as tests."""
