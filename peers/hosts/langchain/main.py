"""An agent of LangChain with one server, over `langchain.mcp`. Argument: its command as JSON."""

import asyncio
import json
import sys

from fastmcp.client.transports import StdioTransport
from langchain.agents import create_agent
from langchain.mcp import MCPAdapter


async def main() -> None:
    program, *arguments = json.loads(sys.argv[1])
    async with MCPAdapter(StdioTransport(program, arguments)) as adapter:
        agent = create_agent("openai:scripted", await adapter.list_tools())
        await agent.ainvoke({"messages": [{"role": "user", "content": "go"}]}, {"recursion_limit": 1000})


asyncio.run(main())
