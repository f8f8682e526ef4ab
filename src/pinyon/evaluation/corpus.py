"""Texts to measure speed with: any number of them, the same ones every time, nobody's words.

Word frequencies follow Zipf's law over a vocabulary of made-up words, with names, versions and
identifiers in between, so that postings are about as long as in life. They say nothing about how
good recall is.
"""

from collections.abc import Iterator
from itertools import accumulate
from random import Random

from pinyon.domain.draft import Draft

VOCABULARY = 30_000
_SYLLABLES = (
    "ba ce di fo gu ha ke li mo nu pa re si to vu wa xe yi zo qua ster lin dor mar ten".split()
)
_COMMON = (
    "the a of and to in is was it for on with as at by from or an be this have not are had".split()
)
_CHINESE = "今天客厅的灯又只能显示白色，重启网关也没有用。"


class Corpus:
    """Makes texts and questions from a seed."""

    def __init__(self, seed: int = 7) -> None:
        self._random = Random(seed)  # noqa: S311 - not for secrets
        words = {self._word() for _ in range(VOCABULARY)}
        self._words = sorted(words)
        self._random.shuffle(self._words)
        self._weights = list(accumulate(1 / (rank + 10) for rank in range(len(self._words))))

    def drafts(self, count: int, *, first: int = 0) -> Iterator[Draft]:
        """Yield facts of about 16 words and 99 characters, one in twelve of them Chinese."""
        for number in range(first, first + count):
            yield Draft(text=self.text(number))

    def text(self, number: int) -> str:
        """Return a text that no other number has."""
        random = self._random
        if number % 12 == 11:
            topic = "".join(random.choices(_CHINESE, k=20))
            return f"{topic}，编号 {number}。"
        content = random.choices(self._words, cum_weights=self._weights, k=9)
        common = random.choices(_COMMON, k=5)
        words = [word for pair in zip(content, [*common, *common], strict=False) for word in pair][
            :14
        ]
        return f"{' '.join(words).capitalize()} v{number % 9}.{number % 7} ref-{number}"

    def question(self, text: str) -> str:
        """Return a question with three to six content words of a text."""
        words = [word for word in text.split()[:14] if word.lower() not in _COMMON]
        asked = self._random.sample(words, min(len(words), self._random.randint(3, 6)))
        return f"what did we say about {' '.join(asked)}?"

    def _word(self) -> str:
        return "".join(self._random.choices(_SYLLABLES, k=self._random.choice((2, 2, 3, 3, 4))))
