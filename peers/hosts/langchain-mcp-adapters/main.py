"""An agent of LangChain with one server, over `langchain-mcp-adapters`. Argument: its command as JSON."""

import asyncio
import json
import sys

from langchain.agents import create_agent
from langchain_mcp_adapters.client import MultiServerMCPClient


async def main() -> None:
    program, *arguments = json.loads(sys.argv[1])
    client = MultiServerMCPClient({"srv": {"transport": "stdio", "command": program, "args": arguments}})
    agent = create_agent("openai:scripted", await client.get_tools())
    await agent.ainvoke({"messages": [{"role": "user", "content": "go"}]}, {"recursion_limit": 1000})


asyncio.run(main())
