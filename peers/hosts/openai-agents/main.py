"""An agent of the OpenAI Agents SDK with one server. Arguments: its command as JSON, and options of MCPServerStdio."""

import asyncio
import json
import sys

from agents import Agent, Runner
from agents.mcp import MCPServerStdio


async def main() -> None:
    program, *arguments = json.loads(sys.argv[1])
    options = {name: True for name in sys.argv[2:]}
    params = {"command": program, "args": arguments}
    async with MCPServerStdio(params, name="srv", client_session_timeout_seconds=60, **options) as server:
        await Runner.run(Agent(name="test", mcp_servers=[server]), "go", max_turns=1000)


asyncio.run(main())
