# A server that lists the tools that its first argument has as JSON. A call returns the tool's "result", if it has one.
import json, sys

tools = json.loads(sys.argv[1])
results = {tool.get("name"): tool.pop("result") for tool in tools if "result" in tool}
for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    called = asked.get("params", {}).get("name") if asked["method"] == "tools/call" else None
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": min(asked["params"]["protocolVersion"], "2025-11-25"), "capabilities": {"tools": {}},
                            "serverInfo": {"name": "listing", "version": "1"}}
    elif asked["method"] == "ping":
        answer["result"] = {}
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": tools}
    elif called in results:
        answer["result"] = results[called]
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(answer), flush=True)
