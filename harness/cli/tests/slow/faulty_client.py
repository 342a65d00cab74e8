"""A client over HTTP at 2025-11-25 that is right, or has the one fault that its second argument names."""

import json
import sys
import urllib.error
import urllib.parse
import urllib.request

URL, FAULT = sys.argv[1], (sys.argv[2:] or [""])[0]


class Client:
    revision = "2025-11-25"

    def __init__(self):
        self.number, self.session = 0, None

    def headers(self, method):
        headers = {
            "Content-Type": "text/plain" if FAULT == "plain-text" else "application/json",
            "Accept": "*/*" if FAULT == "any-accept" else "application/json, text/event-stream",
        }
        if self.session and FAULT != "no-session":
            headers["Mcp-Session-Id"] = self.session.lower() if FAULT == "lower-session" else self.session
        if method != "initialize" and FAULT != "no-version":
            headers["MCP-Protocol-Version"] = self.revision
        return headers

    def post(self, message):
        request = urllib.request.Request(URL, json.dumps(message).encode(), self.headers(message.get("method")))
        try:
            with urllib.request.urlopen(request, timeout=20) as response:
                self.session = response.headers.get("Mcp-Session-Id") or self.session
                kind, body = response.headers.get("Content-Type") or "", response.read().decode()
        except urllib.error.HTTPError as error:
            if error.code == 307 and FAULT != "no-redirect":
                return self.moved(error.headers["Location"], message)
            kind, body = error.headers.get("Content-Type") or "", error.read().decode()
            if "id" not in message or '"code"' not in body or FAULT == "no-error-body":
                raise
            if error.code == 404 and self.session and FAULT != "keeps-session":
                self.session = None
                self.open()
                return self.post(message)
        if kind == "application/json; charset=utf-8" and FAULT == "strict-type":
            raise RuntimeError("unexpected type " + kind)
        if not kind.startswith("text/event-stream"):
            return json.loads(body) if body else {}
        return self.events(body, message)

    def moved(self, location, message):
        global URL
        URL = urllib.parse.urljoin(URL, location)
        return self.post(message)

    def events(self, body, message):
        if FAULT == "no-crlf" and "\r" in body:
            raise RuntimeError("invalid line")
        body = body.replace("\r\n", "\n")
        last = None
        for event in body.split("\n\n"):
            lines = event.split("\n")
            if FAULT == "no-comments" and any(line.startswith(":") for line in lines):
                raise RuntimeError("invalid line: " + lines[0])
            last = next((line[3:].strip() for line in lines if line.startswith("id:")), last)
            data = "\n".join(line[5:].removeprefix(" ") for line in lines if line.startswith("data:"))
            if data:
                got = json.loads(data)
                if got.get("id") == message.get("id"):
                    return got
                if FAULT == "no-notifications":
                    raise RuntimeError("unexpected message " + got.get("method", ""))
                if got.get("method") == "ping" and FAULT != "no-pong":
                    self.post({"jsonrpc": "2.0", "id": got["id"], "result": {}})
        if last is None or FAULT == "no-resume":
            raise RuntimeError("no answer in the stream")
        request = urllib.request.Request(URL, headers={**self.headers(None), "Last-Event-ID": last})
        with urllib.request.urlopen(request, timeout=20) as response:
            return self.events(response.read().decode(), message)

    def ask(self, method, params):
        self.number += 1
        answer = self.post({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        if "error" in answer:
            raise RuntimeError("%s (%s)" % (answer["error"]["message"], answer["error"]["code"]))
        return answer["result"]

    def open(self):
        info = {"name": "faulty", "version": "1"}
        opened = self.ask("initialize", {"protocolVersion": "2025-11-25", "capabilities": {}, "clientInfo": info})
        self.revision = opened["protocolVersion"]
        if self.revision not in ("2025-03-26", "2025-06-18", "2025-11-25") and FAULT != "any-revision":
            sys.exit("revision %s is not supported" % self.revision)
        if FAULT == "no-title" and "title" in opened["serverInfo"]:
            raise TypeError("unexpected member title")
        if FAULT != "not-initialized":
            self.post({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def tools(self):
        tools, cursor = [], None
        while True:
            page = self.ask("tools/list", {} if cursor is None else {"cursor": cursor})
            tools += page["tools"]
            cursor = page.get("nextCursor")
            if cursor is None or FAULT == "one-page":
                return tools

    def run(self):
        self.open()
        if FAULT == "asks-prompts":
            self.ask("prompts/list", {})
        tools = self.tools()
        if FAULT == "needs-description":
            [tool["description"] for tool in tools]
        if FAULT == "needs-type":
            for tool in tools:
                [schema["type"] + "" for schema in tool["inputSchema"].get("properties", {}).values()]
        call = {"name": next(tool["name"] for tool in tools if tool["name"] == "add_numbers")}
        if FAULT != "no-arguments":
            number = {"text-numbers": str, "float-numbers": float}.get(FAULT, int)
            call["arguments"] = {"a": number(5), "b": number(3)}
        result = self.ask("tools/call", call)
        shown = []
        for block in result["content"]:
            if block["type"] == "image" and FAULT == "media-type":
                block["mediaType"]
            if block["type"] != "resource" or FAULT != "no-resources":
                shown.append(block)
        if FAULT == "first-block":
            shown = shown[:1]
        print(json.dumps({"content": shown, "isError": result.get("isError", False)}))
        if result.get("isError"):
            sys.exit(1)


Client().run()
