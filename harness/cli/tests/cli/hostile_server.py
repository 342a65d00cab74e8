# A server that misbehaves in one way: its argument.
import json, os, sys, time

WAY = sys.argv[1]

def tool(name):
    return {"name": name, "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True}}

def result(asked):
    method, params = asked["method"], asked.get("params", {})
    if method == "initialize":
        return {"protocolVersion": params.get("protocolVersion"), "capabilities": {"tools": {}},
                "serverInfo": {"name": "hostile", "version": "1"}}
    if method == "tools/list":
        if WAY == "endless-pages":
            page = int(params.get("cursor", "0"))
            tools = [tool(f"p{page}_{at}") for at in range(1000)]
            return {"tools": tools, "nextCursor": str(page + 1)}
        if WAY == "one-cursor":
            return {"tools": [], "nextCursor": "again"}
        if WAY == "many-of-one-name":
            return {"tools": [tool("same") for _ in range(1000)]}
        if WAY == "long-list":
            return {"tools": [dict(tool("long"), description="x" * (64 << 20))]}
        return {"tools": [tool("look"), tool("see")]}
    if method == "tools/call":
        if WAY == "long-text":
            return {"content": [{"type": "text", "text": "x" * (64 << 20)}], "structuredContent": {}}
        return {"content": [{"type": "text", "text": "{}"}], "structuredContent": {}}
    return None

def answer(asked):
    found = result(asked)
    if found is None:
        return {"jsonrpc": "2.0", "id": asked["id"], "error": {"code": -32601, "message": "Method not found"}}
    if WAY == "another-id":
        return {"jsonrpc": "2.0", "id": "of somebody else", "result": found}
    return {"jsonrpc": "2.0", "id": asked["id"], "result": found}

def over_stdio():
    out = sys.stdout
    if WAY == "banner":
        print("listening on standard input", flush=True)
        time.sleep(3600)
    for line in sys.stdin:
        asked = json.loads(line)
        if WAY == f"hangs-at-{asked['method']}":
            time.sleep(3600)
        if WAY == f"ends-at-{asked['method']}":
            os._exit(3)
        if "id" not in asked:
            continue
        if WAY == "floods-standard-error":
            sys.stderr.write("noise\n" * (8 << 20))
        if asked["method"] == "tools/list":
            if WAY == "no-newline":
                for _ in range(1024):
                    out.write("x" * (1 << 20))
            if WAY == "notifications":
                for _ in range(1_000_000):
                    out.write('{"jsonrpc":"2.0","method":"notifications/message"}\n')
        out.write(json.dumps(answer(asked)) + "\n")
        out.flush()

try:
    over_stdio()
except BrokenPipeError:
    os._exit(0)
