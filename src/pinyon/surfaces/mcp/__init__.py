"""Memory for models over MCP: the tools, resources and prompts, on stdio and over HTTP.

`tools`, `more`, `resources` and `prompts` say what is offered; they know nothing of the protocol.
`server` speaks it, by the package `mcp`, which only `server`, `stdio` and `over_http` load.
"""
