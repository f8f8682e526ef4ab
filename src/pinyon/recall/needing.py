"""Whether memory can help at all; asked only before a recall that nobody asked for by itself."""

from dataclasses import replace

from pinyon.recall.recalling import Recalling
from pinyon.text.asking.needed import can_memory_help


class Needing:
    """Ends a recall that cannot help."""

    name = "need"

    def wanted(self, recalling: Recalling) -> bool:
        """Return whether the asker wants to know."""
        return recalling.question.if_needed

    async def run(self, recalling: Recalling) -> Recalling:
        """Look at the form of the message."""
        if can_memory_help(recalling.question.text):
            return replace(recalling, note="memory may help")
        return replace(recalling, is_over=True, note="nothing that was said before can help")
