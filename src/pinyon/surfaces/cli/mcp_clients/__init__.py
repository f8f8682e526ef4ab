"""Connecting MCP clients: what is written where, and how a file that is another's is changed."""
