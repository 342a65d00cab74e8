# A server that lists the tools that its first argument has as JSON.
import json, sys

for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    if asked["method"] == "initialize":
        answer["result"] = {"protocolVersion": asked["params"]["protocolVersion"], "capabilities": {"tools": {}},
                            "serverInfo": {"name": "listing", "version": "1"}}
    elif asked["method"] == "tools/list":
        answer["result"] = {"tools": json.loads(sys.argv[1])}
    else:
        answer["error"] = {"code": -32601, "message": "Method not found"}
    print(json.dumps(answer), flush=True)
