"""Give Claude its own memory tool, with its files in your Pinyon.

    pip install 'pinyon[anthropic]'
    ANTHROPIC_API_KEY=sk-ant-… python examples/anthropic_memory_tool.py

Each line is a conversation of its own: what the model knows of the one before it has from its
files. `pinyon list --user me` shows them too, and `pinyon history` what they said before.
"""

import os

import anthropic

import pinyon
from pinyon.integrations.anthropic_memory import MemoryTool

MODEL = os.environ.get("MODEL", "claude-sonnet-5-5")
USER = os.environ.get("PINYON_USER", "me")


def main() -> None:
    """Talk until somebody says nothing."""
    with pinyon.open(user=USER) as memory, anthropic.Anthropic() as model:
        tool = MemoryTool(memory)
        while message := input("> "):
            runner = model.beta.messages.tool_runner(
                model=MODEL,
                max_tokens=4096,
                messages=[{"role": "user", "content": message}],
                tools=[tool],
            )
            reply = runner.until_done()
            print("".join(block.text for block in reply.content if block.type == "text"))


if __name__ == "__main__":
    main()
