// The mock client as the conformance suite starts a client: with the server's address as the last argument.
//
//   node client.mjs MCP_COMPAT ID URL
//
// Lists the tools, then calls each that the client was given, as its user would. The suite says in the environment
// which scenario it plays, and for some of them what to call.
import { spawnSync } from 'node:child_process';

// Servers of these scenarios list tools that they do not let anybody call.
const LISTS_ONLY = ['json-schema-ref-no-deref'];

// What tools are called with that need arguments.
const ARGUMENTS = { add_numbers: { a: 5, b: 3 }, valid_tool: { region: 'eu' } };

const SESSION_MS = 10_000;

const [binary, id, url] = process.argv.slice(2);
const { MCP_CONFORMANCE_SCENARIO: scenario, MCP_CONFORMANCE_CONTEXT: context = '{}' } = process.env;

// One session. Ends this process where the client reports an error.
function play(calls) {
  const options = calls.flatMap(({ name, arguments: given }) => ['--call', `${name}=${JSON.stringify(given)}`]);
  const args = ['mock', 'client', '--id', id, '--url', url, ...options];
  const stdio = ['ignore', 'pipe', 'inherit'];
  const client = spawnSync(binary, args, { encoding: 'utf8', timeout: SESSION_MS, stdio });
  process.stdout.write(client.stdout ?? '');
  if (client.status !== 0) {
    throw client.error ?? new Error(`the mock client ended with ${client.status ?? client.signal}`);
  }
  return JSON.parse(client.stdout);
}

const [list] = play([]).steps;
const given = list.tools.map(({ name }) => ({ name, arguments: ARGUMENTS[name] ?? {} }));
const calls = JSON.parse(context).toolCalls ?? given;
if (calls.length > 0 && !LISTS_ONLY.includes(scenario)) {
  play(calls);
}
