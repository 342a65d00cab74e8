// An agent of the AI SDK with one server. Argument: its command as JSON.
import { createMCPClient } from "@ai-sdk/mcp";
import { StdioMCPTransport } from "@ai-sdk/mcp/mcp-stdio";
import { openai } from "@ai-sdk/openai";
import { generateText, isStepCount } from "ai";

const [command, ...args] = JSON.parse(process.argv[2]);
const client = await createMCPClient({ transport: new StdioMCPTransport({ command, args }) });
try {
  const tools = await client.tools();
  await generateText({ model: openai("scripted"), tools, prompt: "go", stopWhen: isStepCount(1000) });
} finally {
  await client.close();
}
