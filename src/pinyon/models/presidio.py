"""Presidio's recognisers of patterns, beside our own; no language model, nothing downloaded."""

import threading
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from typing import Any

from pinyon.domain.policy import Category, Finding
from pinyon.errors import ModelUnavailable

NAME = "presidio"
PACKAGE = "presidio_analyzer"
LANGUAGE = "en"

CATEGORY_OF: Mapping[str, Category] = {
    "CREDIT_CARD": "credit_card",
    "EMAIL_ADDRESS": "email_address",
    "IBAN_CODE": "iban_code",
    "PHONE_NUMBER": "phone_number",
    "US_SSN": "us_ssn",
}
"""What Presidio calls our categories; what else it knows (URLs, dates, plates) is not asked for."""

SCORE_MIN = 0.4
"""What Presidio gives a telephone number without a word beside it. Below lie bare digits."""


class PresidioDetector:
    """See `pinyon.ports.detector.Detector`. Loading takes seconds, a short text milliseconds."""

    def __init__(self, *, score_min: float = SCORE_MIN) -> None:
        self._score_min = score_min
        self._lock = threading.Lock()
        self._engine: Any = None

    def find(self, text: str) -> Sequence[Finding]:
        """See the port."""
        if not text:
            return ()
        try:
            results = self._loaded().analyze(
                text, language=LANGUAGE, entities=list(CATEGORY_OF), score_threshold=self._score_min
            )
        except ModelUnavailable:
            raise
        except Exception as error:  # noqa: BLE001 - its own words may quote the text
            raise ModelUnavailable(NAME, type(error).__name__) from None
        return [Finding(CATEGORY_OF[one.entity_type], one.start, one.end) for one in results]

    def _loaded(self) -> Any:
        with self._lock:
            if self._engine is None:
                self._engine = _engine()
            return self._engine


def _engine() -> Any:
    if find_spec(PACKAGE) is None:
        raise ModelUnavailable(NAME, "it is not installed: pip install 'pinyon[presidio]'")
    import tldextract  # noqa: PLC0415 - only where it is used
    from presidio_analyzer import AnalyzerEngine, RecognizerRegistry  # noqa: PLC0415
    from presidio_analyzer import predefined_recognizers as known  # noqa: PLC0415
    from presidio_analyzer.nlp_engine import NoOpNlpEngine  # noqa: PLC0415

    # Its recogniser of e-mail addresses would fetch a list of domains when it is first asked.
    tldextract.tldextract.TLD_EXTRACTOR = tldextract.TLDExtract(suffix_list_urls=(), cache_dir=None)
    nlp_engine = NoOpNlpEngine(models=[{"lang_code": LANGUAGE, "model_name": "none"}])
    nlp_engine.load()
    registry = RecognizerRegistry(
        recognizers=[
            known.CreditCardRecognizer(),
            known.EmailRecognizer(),
            known.IbanRecognizer(),
            known.PhoneRecognizer(),
            known.UsSsnRecognizer(),
        ],
        supported_languages=[LANGUAGE],
    )
    return AnalyzerEngine(registry=registry, nlp_engine=nlp_engine, supported_languages=[LANGUAGE])
