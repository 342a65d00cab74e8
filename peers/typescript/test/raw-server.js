/**
 * A server over stdio without an SDK: it lists the tools that its first argument holds as JSON, and answers every call
 * with the text of its second one, digit for digit.
 */

import { createInterface } from "node:readline";

const [tools, result] = process.argv.slice(2);

for await (const line of createInterface({ input: process.stdin })) {
  const { id, method, params } = JSON.parse(line);
  const answers = {
    initialize: JSON.stringify({
      protocolVersion: params?.protocolVersion,
      capabilities: { tools: {} },
      serverInfo: { name: "raw", version: "1" },
    }),
    "tools/list": `{"tools": ${tools}}`,
    "tools/call": result,
  };
  const answer = answers[/** @type {keyof typeof answers} */ (method)];
  if (answer) {
    process.stdout.write(`{"jsonrpc":"2.0","id":${id},"result":${answer}}\n`);
  }
}
