"""A stdio server with no SDK in it, for the tests of adapters: its one tool answers with the text of the first argument.

What stands there goes onto the wire as it is, so that it can be seen what an SDK makes of it.
"""

import json
import sys


def answer(method: str, params: dict[str, object]) -> str | None:
    """The members of the response."""
    match method:
        case "initialize":
            result = {
                "protocolVersion": params["protocolVersion"],
                "capabilities": {"tools": {}},
                "serverInfo": {"name": "wire", "version": "1"},
            }
            return f'"result": {json.dumps(result)}'
        case "tools/list":
            tool = {"name": "get", "inputSchema": {"type": "object"}}
            return f'"result": {json.dumps({"tools": [tool]})}'
        case "tools/call":
            return f'"result": {sys.argv[1]}'
        case _:
            return '"error": {"code": -32601, "message": "Method not found"}'


for line in sys.stdin:
    message = json.loads(line)
    if "id" in message:
        members = answer(message["method"], message.get("params", {}))
        response = f'{{"jsonrpc": "2.0", "id": {json.dumps(message["id"])}, {members}}}'
        print(response, flush=True)
