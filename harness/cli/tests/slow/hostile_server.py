# A server that misbehaves in one way: the first argument. With a second one, `http`, it serves HTTP and prints its port.
import json, os, sys, time

WAY = sys.argv[1]

def too_much():
    if WAY == "many-values":
        return '{"a":[' + ",".join(["{}"] * 500_000) + "]}"
    if WAY == "too-many-values":
        return '{"a":[' + ",".join(["1"] * 3_000_000) + "]}"
    if WAY == "many-names":
        return "{" + ",".join(['"a":1'] * 100_000) + "}"
    return '{"a":"' + "x" * (10 << 20) + '"}'

def tool(name):
    return {"name": name, "inputSchema": {"type": "object"}, "outputSchema": {"type": "object"},
            "annotations": {"readOnlyHint": True}}

def patterned(at):
    patterns = {f"p{of}": {"pattern": f"^(?:x{at}|y{of}[0-9]*)(-[a-z]{{2,9}})?$"} for of in range(5)}
    return {"name": f"t{at}", "inputSchema": {"type": "object"}, "outputSchema": {"type": "object", "properties": patterns}}

def result(asked):
    method, params = asked["method"], asked.get("params", {})
    if method == "initialize":
        return {"protocolVersion": min(params.get("protocolVersion"), "2025-11-25"), "capabilities": {"tools": {}},
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
        if WAY == "large-results":
            return {"tools": [tool(f"large_{at}") for at in range(8)]}
        if WAY == "ends-at-every-call":
            return {"tools": [tool(f"look_{at}") for at in range(5)]}
        if WAY == "many-schemas":
            return {"tools": [tool("look"), tool("see")] + [patterned(at) for at in range(1500)]}
        return {"tools": [tool("look"), tool("see")]}
    if method == "ping":
        return {}
    if method == "tools/call" and params.get("name") != "mcp_compat_unlisted_tool":
        if WAY == "many-blocks":
            return {"content": [{"type": "text", "text": "{}"}] * 100_000, "structuredContent": {}}
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
        if asked.get("params", {}).get("name") == "mcp_compat_unlisted_tool":
            print(json.dumps(answer(asked)), flush=True)
            continue
        if WAY == f"hangs-at-{asked['method']}" or (WAY, asked["method"]) == ("many-schemas", "tools/call"):
            open("hangs", "w").close()
            time.sleep(3600)
        if WAY == f"ends-at-{asked['method']}":
            os._exit(3)
        is_call = asked["method"] == "tools/call"
        if is_call and (WAY == "ends-at-every-call" or WAY == "ends-at-one-tool" and asked["params"]["name"] == "look"):
            os._exit(3)
        if "id" not in asked:
            continue
        if WAY == "floods-standard-error":
            sys.stderr.write("noise\n" * (8 << 20))
        if is_call and WAY == "batches":
            out.write("[" + ",".join(["1"] * 900_000) + "]\n")
        if asked["method"] == "tools/list":
            if WAY == "no-newline":
                for _ in range(1024):
                    out.write("x" * (1 << 20))
            if WAY == "notifications":
                for _ in range(1_000_000):
                    out.write('{"jsonrpc":"2.0","method":"notifications/message"}\n')
        if asked["method"] == "tools/call" and WAY in ("many-values", "too-many-values", "many-names", "large-results"):
            result = '{"content":[],"structuredContent":%s}' % too_much()
            out.write('{"jsonrpc":"2.0","id":%s,"result":%s}\n' % (json.dumps(asked["id"]), result))
        else:
            out.write(json.dumps(answer(asked)) + "\n")
        out.flush()

def over_http():
    from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_):
            pass

        def head(self, status, **headers):
            self.send_response(status)
            for name, value in headers.items():
                self.send_header(name.replace("_", "-"), value)
            self.end_headers()

        def chunk(self, data):
            self.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))

        def do_GET(self):
            self.head(405, content_length="0")

        def do_POST(self):
            asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
            if "id" not in asked:
                return self.head(202, content_length="0")
            method, body = asked["method"], json.dumps(answer(asked)).encode()
            opens = method in ("initialize", "server/discover")
            if WAY == "huge-header":
                self.wfile.write(b"HTTP/1.1 200 OK\r\nx-filler: ")
                for _ in range(64):
                    self.wfile.write(b"x" * (1 << 20))
                return self.wfile.write(b"\r\n\r\n")
            if WAY == "wants-a-token":
                return self.head(401, www_authenticate="Bearer", content_length="0")
            if WAY == "wants-a-token-to-list" and method == "tools/list":
                return self.head(403, content_length="0")
            if WAY == "redirects":
                return self.head(307, location=self.path + "again/", content_length="0")
            if WAY == f"hangs-at-{method}":
                time.sleep(3600)
            if WAY == f"ends-at-{method}":
                self.close_connection = True
                return self.head(200, content_type="application/json", content_length="1000")
            if WAY == "trickle" and not opens:
                self.head(200, content_type="application/json", transfer_encoding="chunked")
                for byte in body:
                    self.chunk(bytes([byte]))
                    time.sleep(1)
                return
            if WAY == "endless-body" and not opens:
                self.head(200, content_type="application/json", transfer_encoding="chunked")
                while True:
                    self.chunk(b" " * (1 << 20))
            if WAY in ("comments", "events") and not opens:
                self.head(200, content_type="text/event-stream", transfer_encoding="chunked")
                told = b'data: {"jsonrpc":"2.0","method":"notifications/message"}\n\n'
                while True:
                    self.chunk((b": on\n\n" if WAY == "comments" else told) * 1000)
            self.head(200, content_type="application/json", content_length=str(len(body)))
            self.wfile.write(body)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.handle_error = lambda *_: None
    print(server.server_address[1], flush=True)
    server.serve_forever()

try:
    over_http() if sys.argv[2:] == ["http"] else over_stdio()
except BrokenPipeError:
    os._exit(0)
