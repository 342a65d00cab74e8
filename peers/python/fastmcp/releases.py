"""Names that differ between releases of FastMCP, under one name.

FastMCP 2 and 3 stand on mcp 1, FastMCP 4 on mcp 2. ``mcp.types`` is there in both.
"""

# mypy: ignore-errors
# The names of one release are unknown in the other.

from typing import Any

from mcp import types
from pydantic import BaseModel

try:
    from fastmcp.tools import ToolResult
except ImportError:  # FastMCP 2
    from fastmcp.tools.tool import ToolResult

try:
    import httpx2 as httpx
    from mcp import MCPError
    from mcp_types.methods import serialize_server_result
    from mcp_types.version import LATEST_MODERN_VERSION

    IS_ON_MCP_2 = True
except ImportError:  # FastMCP 2 and 3
    import httpx
    from mcp import McpError as MCPError

    IS_ON_MCP_2 = False

__all__ = [
    "IS_ON_MCP_2",
    "MCPError",
    "ToolResult",
    "httpx",
    "sent",
    "tell_of_changed_tools",
]


def sent(method: str, result: BaseModel) -> dict[str, Any]:
    """Returns a result as the MCP library writes it; mcp 2 shapes it by the session's revision, here by the newest."""
    written = result.model_dump(mode="json", by_alias=True, exclude_none=True)
    if not IS_ON_MCP_2:
        return written
    return serialize_server_result(method, LATEST_MODERN_VERSION, written)


async def tell_of_changed_tools(context: Any) -> None:
    """Sends ``notifications/tools/list_changed`` to the session of a FastMCP ``Context``."""
    if hasattr(context, "send_tool_list_changed"):  # FastMCP 2
        await context.send_tool_list_changed()
    else:
        await context.send_notification(
            types.ToolListChangedNotification(method="notifications/tools/list_changed")
        )
