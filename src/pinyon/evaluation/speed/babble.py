"""Texts to measure speed with: any number of them, the same ones every time, nobody's words.

Word frequencies follow Zipf's law over a vocabulary, of made-up words where none is given, with
names, versions and identifiers in between, so that postings are about as long as in life. They say
nothing about how good recall is.
"""

import json
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime, timedelta
from itertools import accumulate
from pathlib import Path
from random import Random

from pinyon.domain.draft import Draft

VOCABULARY = 30_000
WORDS = 14
WORDS_OF_A_TURN = 29
"""Words of a text that is as long as a turn of a chat: with its numbers about 38 tokens."""
TURNS = 20
_LENGTHS = (0.4, 0.6, 0.8, 0.9, 1.1, 1.3, 1.9)
"""How long turns of a chat are, beside their mean."""
_FIRST = datetime(2024, 1, 1, tzinfo=UTC)
_SYLLABLES = (
    "ba ce di fo gu ha ke li mo nu pa re si to vu wa xe yi zo qua ster lin dor mar ten".split()
)
_COMMON = (
    "the a of and to in is was it for on with as at by from or an be this have not are had".split()
)
_CHINESE = "今天客厅的灯又只能显示白色，重启网关也没有用。"


class Babble:
    """Makes texts and questions from a seed.

    Args:
        vocabulary: What the texts are made of; made-up words by default, and some Chinese.
        words: How many words a text has, apart from its numbers.
    """

    def __init__(
        self, seed: int = 7, *, vocabulary: Sequence[str] = (), words: int = WORDS
    ) -> None:
        self._random = Random(seed)  # noqa: S311 - not for secrets
        self._is_made_up, self._count = not vocabulary, words
        self._words = sorted(set(vocabulary) or {self._word() for _ in range(VOCABULARY)})
        self._random.shuffle(self._words)
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(len(self._words))))

    def drafts(self, count: int, *, first: int = 0) -> Iterator[Draft]:
        """Yield facts; of made-up words, of about 99 characters and one in twelve Chinese."""
        for number in range(first, first + count):
            yield Draft(text=self.text(number))

    def turns(self, count: int, *, first: int = 0) -> Iterator[Draft]:
        """Yield turns of conversations between two people, `TURNS` each."""
        for number in range(first, first + count):
            yield Draft(
                text=self.text(number, words=round(self._count * self._random.choice(_LENGTHS))),
                kind="episodic",
                session=f"talk-{number // TURNS}",
                speaker=("Ann", "Ben")[number % 2],
                occurred_at=_FIRST + timedelta(minutes=number),
            )

    def text(self, number: int, *, words: int | None = None) -> str:
        """Return a text that no other number has, of so many words."""
        random, count = self._random, words or self._count
        if self._is_made_up and number % 12 == 11:
            topic = "".join(random.choices(_CHINESE, k=20))
            return f"{topic}，编号 {number}。"
        content = random.choices(self._words, cum_weights=self._weights, k=-(-count * 9 // 14))
        common = random.choices(_COMMON, k=-(-count * 5 // 14))
        pairs = zip(content, [*common, *common], strict=False)
        said = " ".join([word for pair in pairs for word in pair][:count])
        return f"{said.capitalize()} v{number % 9}.{number % 7} ref-{number}"

    def plain(self, words: int) -> str:
        """Return a text of so many words of the vocabulary and nothing else."""
        return " ".join(self._random.choices(self._words, cum_weights=self._weights, k=words))

    def question(self, text: str) -> str:
        """Return a question with three to six content words of a text."""
        said = text.split()
        # What comes last are numbers; a Chinese text has no blanks but before its number.
        said = said[: min(self._count, max(len(said) - 2, 2))]
        words = [word for word in said if word.lower() not in _COMMON]
        asked = self._random.sample(words, min(len(words), self._random.randint(3, 6)))
        return f"what did we say about {' '.join(asked)}?"

    def _word(self) -> str:
        return "".join(self._random.choices(_SYLLABLES, k=self._random.choice((2, 2, 3, 3, 4))))


def words_of(tokenizer: Path) -> list[str]:
    """Return the everyday words of a model's tokenizer: each is one token to it.

    Made-up words fall into three or four pieces each, so that a question of them would take twice
    as long to encode, and a text of them twice the space, as one that a person writes.
    """
    vocabulary = json.loads(tokenizer.read_text("utf-8"))["model"]["vocab"]
    return [word for word in vocabulary if word.isascii() and word.isalpha() and _is_short(word)]


def _is_short(word: str) -> bool:
    return word.islower() and 3 <= len(word) <= 8
