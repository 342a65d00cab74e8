# A server with four tools. `list_cities` sends an array, which older clients refuse, unless the first argument is `fixed`.
# `forecast` fails on purpose. `reset` is not marked read-only. Each start is noted in the file that STARTS names.
import json, os, sys

FIXED = sys.argv[1:] == ["fixed"]
READS = {"readOnlyHint": True}
ARRAY = {"type": "array", "items": {"type": "string"}}
OBJECT = {"type": "object", "properties": {"cities": ARRAY}, "required": ["cities"]}
CITY = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}

if "STARTS" in os.environ:
    with open(os.environ["STARTS"], "a") as starts:
        starts.write("started\n")


def tools():
    none = {"type": "object"}
    return [
        {"name": "list_cities", "inputSchema": none, "outputSchema": OBJECT if FIXED else ARRAY, "annotations": READS},
        {"name": "temperature", "inputSchema": CITY, "outputSchema": {"type": "object"}, "annotations": READS},
        {"name": "forecast", "inputSchema": none, "annotations": READS},
        {"name": "reset", "inputSchema": none},
    ]


def structured(value):
    return {"structuredContent": value, "content": [{"type": "text", "text": json.dumps(value)}]}


def result(method, params):
    if method == "initialize":
        return {
            "protocolVersion": "2025-11-25",
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "weather", "version": "1.0.0"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": tools()}
    if method == "tools/call":
        if params["name"] == "list_cities":
            cities = ["Oslo", "Bergen"]
            return structured({"cities": cities} if FIXED else cities)
        if params["name"] == "temperature":
            return structured({"city": params["arguments"]["city"], "celsius": -4.5})
        return {"content": [{"type": "text", "text": "there is no forecast"}], "isError": True}
    return None


for line in sys.stdin:
    asked = json.loads(line)
    if "id" not in asked:
        continue
    found = result(asked["method"], asked.get("params", {}))
    answer = {"jsonrpc": "2.0", "id": asked["id"]}
    answer |= {"error": {"code": -32601, "message": "Method not found"}} if found is None else {"result": found}
    print(json.dumps(answer), flush=True)
