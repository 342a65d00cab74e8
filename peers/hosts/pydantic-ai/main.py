"""An agent of Pydantic AI with one server. Argument: its command as JSON."""

import json
import sys

from fastmcp.client.transports import StdioTransport
from pydantic_ai import Agent
from pydantic_ai.mcp import MCPToolset

program, *arguments = json.loads(sys.argv[1])
server = MCPToolset(StdioTransport(program, arguments), init_timeout=60)
Agent("openai:scripted", toolsets=[server]).run_sync("go")
