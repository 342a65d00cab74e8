"""A client at 2025-11-25 that is right, or has the faults that its first argument names.

`faulty_client.py FAULT+FAULT... URL` speaks HTTP, `faulty_client.py FAULT... COMMAND...` starts a server over stdio."""

import json
import subprocess
import sys
import time
import urllib.error
import urllib.parse
import urllib.request

FAULTS, URL = sys.argv[1].split("+"), sys.argv[2]

# Right, and with faults, but calling each tool.
OF_EACH = "each", "drops-untyped", "five-tools", "renames", "empty-calls"
SAMPLES = {"array": [], "object": {"depth": 1}, "boolean": True, "string": "asc"}


class Client:
    revision = "2025-11-25"

    def __init__(self):
        self.number, self.session = 0, None

    def headers(self, method):
        headers = {
            "Content-Type": "text/plain" if "plain-text" in FAULTS else "application/json",
            "Accept": "*/*" if "any-accept" in FAULTS else "application/json, text/event-stream",
        }
        if self.session and "no-session" not in FAULTS:
            headers["Mcp-Session-Id"] = self.session.lower() if "lower-session" in FAULTS else self.session
        if "undecoded" in FAULTS:
            headers["Accept-Encoding"] = "gzip"
        if method != "initialize" and "no-version" not in FAULTS:
            headers["MCP-Protocol-Version"] = self.revision
        return headers

    def post(self, message):
        request = urllib.request.Request(URL, json.dumps(message).encode(), self.headers(message.get("method")))
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                names = dict(response.getheaders()) if "exact-names" in FAULTS else response.headers
                self.session = names.get("Mcp-Session-Id") or self.session
                kind = names.get("Content-Type") or ""
                if kind.startswith("text/event-stream"):
                    if "waits" in FAULTS:
                        return self.events(response.read().splitlines(keepends=True), message)
                    return self.events(response, message)
                body = response.read().decode()
        except urllib.error.HTTPError as error:
            if error.code == 307 and "no-redirect" not in FAULTS:
                return self.moved(error.headers["Location"], message)
            kind, body = error.headers.get("Content-Type") or "", error.read().decode()
            if "id" not in message or '"code"' not in body or "no-error-body" in FAULTS:
                raise
            if error.code == 404 and self.session and "keeps-session" not in FAULTS:
                self.session = None
                self.open()
                return self.post(message)
        if kind == "application/json; charset=utf-8" and "strict-type" in FAULTS:
            raise RuntimeError("unexpected type " + kind)
        if kind and not kind.startswith("application/json") and "typed-202" in FAULTS:
            raise RuntimeError("unexpected type " + kind)
        return json.loads(body) if body else {}

    def moved(self, location, message):
        global URL
        URL = urllib.parse.urljoin(URL, location)
        return self.post(message)

    def events(self, lines, message):
        last, kind, data = None, "message", []
        for number, line in enumerate(lines):
            line = line.decode("utf-8-sig" if number == 0 and "no-mark" not in FAULTS else "utf-8")
            if line.startswith("\ufeff"):
                raise RuntimeError("unknown field")
            if "no-crlf" in FAULTS and "\r" in line:
                raise RuntimeError("invalid line")
            line = line.rstrip("\r\n")
            if "no-comments" in FAULTS and line.startswith(":"):
                raise RuntimeError("invalid line: " + line)
            name, _, value = line.partition(":")
            value = value.removeprefix(" ")
            if name == "id":
                last = value
            elif name == "event":
                kind = value
            elif name == "data":
                data.append(value)
            elif not line:
                text = "\n".join(data)
                if text and (kind == "message" or "any-type" in FAULTS):
                    answer = self.got(json.loads(text), message)
                    if answer:
                        return answer
                kind, data = "message", []
        if last is None or "no-resume" in FAULTS:
            raise RuntimeError("no answer in the stream")
        request = urllib.request.Request(URL, headers={**self.headers(None), "Last-Event-ID": last})
        with urllib.request.urlopen(request, timeout=20) as response:
            return self.events(response, message)

    def got(self, got, message):
        """Returns a message that answers `message`, and handles others."""
        if "method" not in got:
            if "id" in got and got["id"] is None and "no-null-id" in FAULTS:
                raise TypeError("the id is null")
            return got if got.get("id") == message.get("id") else None
        if "no-notifications" in FAULTS:
            raise RuntimeError("unexpected message " + got["method"])
        if "id" in got and "no-pong" not in FAULTS and ("no-roots" not in FAULTS or got["method"] == "ping"):
            results = {"ping": {}, "roots/list": {"roots": []}}
            error = {"code": -32601, "message": "Method not found"}
            known = got["method"] in results
            answer = {"result": results[got["method"]]} if known else {"error": error}
            self.post({"jsonrpc": "2.0", "id": got["id"], **answer})
        return None

    def ask(self, method, params):
        self.number += 1
        answer = self.post({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        if "error" in answer:
            raise RuntimeError("%s (%s)" % (answer["error"]["message"], answer["error"]["code"]))
        return answer["result"]

    def open(self):
        info = {"name": "faulty", "version": "1"}
        opened = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {"roots": {}}, "clientInfo": info})
        self.revision = opened["protocolVersion"]
        if self.revision not in ("2025-03-26", "2025-06-18", "2025-11-25") and "any-revision" not in FAULTS:
            sys.exit("revision %s is not supported" % self.revision)
        if "no-title" in FAULTS and "title" in opened["serverInfo"]:
            raise TypeError("unexpected member title")
        if "not-initialized" not in FAULTS:
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tools(self):
        tools, cursor = [], None
        while True:
            page = self.ask("tools/list", {} if cursor is None else {"cursor": cursor})
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None or "one-page" in FAULTS:
                return tools

    def each(self, tools):
        for tool in tools[:5] if "five-tools" in FAULTS else tools:
            name, schema = tool["name"], tool["inputSchema"]
            properties = {key: value for key, value in schema.get("properties", {}).items() if isinstance(value, dict)}
            if "drops-untyped" in FAULTS and not all("type" in value for value in properties.values()):
                continue
            if "renames" in FAULTS:
                name = name.replace(".", "_")
            required = [] if "empty-calls" in FAULTS else schema.get("required", [])
            arguments = {key: SAMPLES.get(properties.get(key, {}).get("type"), 5) for key in required}
            result = self.ask("tools/call", {"name": name, "arguments": arguments})
            print(name, json.dumps(result))

    def run(self):
        self.open()
        if "asks-prompts" in FAULTS:
            self.ask("prompts/list", {})
        tools = self.tools()
        if "needs-description" in FAULTS:
            [tool["description"] for tool in tools]
        if "needs-type" in FAULTS:
            for tool in tools:
                [schema["type"] + "" for schema in tool["inputSchema"].get("properties", {}).values()]
        if "draft-4-bounds" in FAULTS:
            for tool in tools:
                for schema in tool["inputSchema"].get("properties", {}).values():
                    if not isinstance(schema.get("exclusiveMinimum", False), bool):
                        raise TypeError("exclusiveMinimum is no boolean")
        if set(FAULTS) & set(OF_EACH):
            return self.each(tools)
        call = {"name": next(tool["name"] for tool in tools if tool["name"] == "add_numbers")}
        if "no-arguments" not in FAULTS:
            number = str if "text-numbers" in FAULTS else float if "float-numbers" in FAULTS else int
            call["arguments"] = {"a": number(5), "b": number(3)}
        if "text-lists" in FAULTS:
            properties = next(tool for tool in tools if tool["name"] == "add_numbers")["inputSchema"]["properties"]
            lists = [name for name, schema in properties.items() if schema.get("type") == "array"]
            call["arguments"].update({name: json.dumps(["a"]) for name in lists})
        result = self.ask("tools/call", call)
        if "no-relist" in FAULTS:
            time.sleep(1.2)
            self.ask("tools/call", call)
        shown = []
        for block in result["content"]:
            if block["type"] == "image" and "media-type" in FAULTS:
                block["mediaType"]
            if block["type"] == "image" and "no-images" in FAULTS:
                continue
            if block["type"] != "resource" or "no-resources" not in FAULTS:
                shown.append(block)
        if "first-block" in FAULTS:
            shown = shown[:1]
        value = {} if "no-value" in FAULTS else {"structured": result.get("structuredContent")}
        print(json.dumps({"content": shown, "isError": result.get("isError", False), **value}))
        if result.get("isError"):
            sys.exit(1)


class LineClient(Client):
    def __init__(self):
        super().__init__()
        log = subprocess.PIPE if "unread-log" in FAULTS else None
        self.server = subprocess.Popen(sys.argv[2:], stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log)

    def post(self, message):
        text = json.dumps(message).encode()
        header = b"Content-Length: %d\r\n\r\n" % len(text) if "framed" in FAULTS else b""
        self.server.stdin.write(header + text + b"\n")
        self.server.stdin.flush()
        while "id" in message and "method" in message:
            line = self.server.stdout.readline()
            if not line:
                raise RuntimeError("the server ended")
            if "short-lines" in FAULTS and len(line) > 65536:
                raise RuntimeError("the line is longer than the limit")
            try:
                got = json.loads(line)
            except ValueError:
                continue
            answer = self.got(got, message)
            if answer:
                return answer
        return {}


client = Client() if URL.startswith("http") else LineClient()
try:
    client.run()
finally:
    if isinstance(client, LineClient):
        client.server.kill()
