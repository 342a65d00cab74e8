"""A host with a model loop over chat completions, that is right or has the one fault that its last argument names.

Arguments: the base address of the model, the command of the server as JSON, the fault.
"""

import itertools
import json
import os
import socket
import subprocess
import sys
import urllib.request

MODEL, SERVER, FAULT = sys.argv[1], json.loads(sys.argv[2]), (sys.argv[3:] or [""])[0]


class Server:
    def __init__(self):
        self.process = subprocess.Popen(SERVER, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
        self.number = 0
        self.open()

    def open(self):
        client = {"name": "mock-host", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": client})
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def send(self, message):
        self.process.stdin.write(json.dumps(message).encode() + b"\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.number += 1
        self.send({"jsonrpc": "2.0", "id": self.number, "method": method, "params": params})
        for line in self.process.stdout:
            message = json.loads(line)
            if message.get("id") == self.number and "method" not in message:
                return message
        sys.exit("the server ended")

    def tools(self):
        tools, cursor = [], {}
        while True:
            page = self.ask("tools/list", cursor)["result"]
            tools += page["tools"]
            if "nextCursor" not in page or FAULT == "first-page":
                return tools
            cursor = {"cursor": page["nextCursor"]}


def shown(result):
    if FAULT == "envelope":
        return json.dumps(result)
    texts = [block["text"] for block in result["content"] if block["type"] == "text"]
    if result.get("isError"):
        return "error" if FAULT == "hides-errors" else "\n".join(texts)
    links = [json.dumps(block) for block in result["content"] if block["type"] != "text"]
    if FAULT == "drops-links":
        links = []
    value = result.get("structuredContent")
    if FAULT == "rounds" and isinstance(value, dict):
        value = {key: int(float(it)) if isinstance(it, int) else it for key, it in value.items()}
    if "structuredContent" not in result or FAULT == "drops-values":
        return "\n".join(texts + links)
    if FAULT == "dies" and value is None:
        os._exit(134)
    return "\n".join([json.dumps(value)] + links)


def ask(messages, tools):
    if FAULT == "cuts-unions":
        tools = [{**tool, "inputSchema": {"type": "object"}} for tool in tools]
    offered = [
        {"type": "function", "function": {"name": "srv_" + tool["name"], "parameters": tool["inputSchema"]}}
        for tool in tools
    ]
    body = {"model": "scripted", "messages": messages, "tools": offered + [OWN]}
    request = urllib.request.Request(MODEL + "/chat/completions", json.dumps(body).encode())
    with urllib.request.urlopen(request) as response:
        return json.loads(response.read())["choices"][0]["message"]


OWN = {"type": "function", "function": {"name": "shell", "parameters": {"type": "object"}}}


def main():
    if FAULT.startswith("leaves:"):
        with socket.create_connection(("127.0.0.1", int(FAULT.split(":")[1])), timeout=5) as outside:
            outside.send(b"left")
    if FAULT == "waits":
        sys.stdin.read()
        sys.exit("nobody types")
    if FAULT == "no-model":
        sys.exit("log in first")
    if FAULT == "silent":
        sys.exit(0)
    server = Server()
    tools = server.tools() if FAULT != "no-tools" else []
    is_odd = lambda tool: tool.get("outputSchema", {"type": "object"}).get("type") != "object"
    if FAULT == "all-for-one" and any(is_odd(tool) for tool in tools):
        tools = []
    messages = [{"role": "user", "content": "go"}]
    rounds = itertools.count() if FAULT == "for-ever" else range(50)
    for _ in rounds:
        said = ask(messages, tools)
        messages.append(said)
        if FAULT == "for-ever":
            messages.append({"role": "user", "content": "go on"})
        elif not said.get("tool_calls"):
            break
        for call in said.get("tool_calls", []):
            name = call["function"]["name"].removeprefix("srv_")
            arguments = json.loads(call["function"]["arguments"])
            if FAULT == "server-each-call":
                server.process.stdin.close()
                server.process.wait()
                server = Server()
            if FAULT == "handshake-each-call":
                server.open()
            if FAULT == "ends-at-control" and name.endswith("_control"):
                sys.exit("the result violates the schema")
            if FAULT == "other-tool":
                name = tools[-1]["name"]
            answer = server.ask("tools/call", {"name": name, "arguments": arguments})
            text = shown(answer["result"]) if "result" in answer else answer["error"]["message"]
            messages.append({"role": "tool", "tool_call_id": call["id"], "content": text})
    print("done")


main()
