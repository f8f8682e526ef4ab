"""Chat models: what is said to one, and how it answers in a form."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Generic, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict


class Form(BaseModel):
    """What an answer is to look like; the base of every form.

    A form has no defaults and no field that may be left out: vendors hold their models to a form
    only where it says all, and what was not said is then no different from what was forgotten.
    """

    model_config = ConfigDict(frozen=True, extra="forbid", allow_inf_nan=False)


F_co = TypeVar("F_co", bound=Form, covariant=True)
F = TypeVar("F", bound=Form)


@dataclass(frozen=True, slots=True)
class Message:
    """One thing that is said to a model, or that it is said to have said."""

    role: Literal["system", "user", "assistant"]
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Completion(Generic[F_co]):
    """An answer, and what it took.

    Attributes:
        tokens_in: Tokens that the model read, as its vendor counts them; 0 where it does not say.
        tokens_out: Tokens that it wrote, as far.
        calls: How often it was asked: twice where its first answer could not be read.
    """

    value: F_co
    tokens_in: int
    tokens_out: int
    calls: int = 1


class Chat(Protocol):
    """Asks a model, and holds it to a form. It logs neither what is said nor what is answered.

    What each method promises is written as tests in `pinyon.testing.chat_contract`.
    """

    @property
    def label(self) -> str:
        """What it is called where it is said what made something: `openai:gpt-5-mini`."""

    async def complete(
        self, messages: Sequence[Message], *, form: type[F], max_tokens: int, timeout_s: float
    ) -> Completion[F]:
        """Return the answer. One that cannot be read is told so, once, and answers again.

        Args:
            messages: What is said, the last of it by the user; a system message comes first.
            form: What the answer is to look like.
            max_tokens: How long one answer may be.
            timeout_s: How long it may take in all, tries and repair included.

        Raises:
            ModelUnavailable: Nobody answers, not in time, or not so many requests.
            BadModelOutput: The second answer cannot be read either.
        """
