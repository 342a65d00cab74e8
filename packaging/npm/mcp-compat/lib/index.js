// A server as tests, for node:test, vitest and others: each of its tools with each client.
import { execFile } from 'node:child_process';
import { accessSync, constants, readFileSync } from 'node:fs';
import { delimiter, join, resolve } from 'node:path';
import { program } from './program.js';

const ours = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')).version;
// In a checkout the package has no version.
const isOther = (version) => ours !== '0.0.0' && version !== ours;
const LARGEST = 256 * 1024 * 1024;

/** A client loses something by a tool, or the result of a tool was not seen. */
export class CompatibilityError extends Error {
  constructor(text) {
    super(text);
    this.name = 'CompatibilityError';
    // The text says what to do. Places in this package would add nothing.
    this.stack = `${this.name}: ${text}`;
  }
}

/** The server could not be audited: the input is wrong, the server does not start, or mcp-compat failed. */
export class AuditError extends Error {
  constructor(text) {
    super(text);
    this.name = 'AuditError';
    this.stack = `${this.name}: ${text}`;
  }
}

/** Audits a server: the words of its command, or an object with its `url`. */
export async function auditServer(server, options = {}) {
  const path = found();
  const words = ['audit', '--json', '--tests', 'javascript', '--fail-on', 'never', ...wordsOf(server, options)];
  const { error, stdout, stderr } = await run(path, words, options.cwd);
  if (error) {
    if (typeof error.code === 'string') throw new AuditError(`cannot run ${path}: ${error.message}`);
    const said = stderr.trim() || `${path} ended with ${error.signal ?? `exit status ${error.code}`}`;
    throw new AuditError(said + (await versionHint(path)));
  }
  const report = JSON.parse(stdout);
  if (isOther(report.tool_version)) throw new AuditError(mismatch(path, report.tool_version));
  const renewal = stderr.split('\n').find((line) => line.startsWith('the baseline: '));
  if (renewal) console.error(`mcp-compat: ${renewal}`);
  const cases = (report.tests ?? []).map(caseOf);
  return {
    report,
    cases,
    register(test) {
      for (const each of cases) test(each.name, each.check);
    },
  };
}

/** The program of the package, or else the one in `PATH`. */
function found() {
  try {
    return program();
  } catch (error) {
    const inPath = process.env.MCP_COMPAT_PROGRAM ? [] : (process.env.PATH ?? '').split(delimiter).filter(Boolean);
    // npm puts its own folder first, where the launcher of this package is.
    const isOwn = (folder) => folder.replaceAll('\\', '/').endsWith('node_modules/.bin');
    const path = inPath.filter((folder) => !isOwn(folder)).map((folder) => join(folder, 'mcp-compat')).find(canBeRun);
    if (path) return path;
    throw new AuditError(error.message);
  }
}

function canBeRun(path) {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}

function caseOf({ name, tool, client, result, text = '' }) {
  // Without a declared parameter: some runners take one for a callback.
  const check = (...[context]) => {
    if (result === 'failed') throw new CompatibilityError(text);
    if (result === 'skipped') context?.skip?.(text);
  };
  return { name, tool, client, result, text, check };
}

function wordsOf(server, options) {
  const { calls = {}, expectError = [], allowUncalled = [], tools = [], against = [], env = {} } = options;
  const failing = Array.isArray(expectError) ? Object.fromEntries(expectError.map((tool) => [tool, null])) : expectError;
  const call = (option, tool, given) => `${option}=${tool}${given == null ? '' : `=${JSON.stringify(given)}`}`;
  const words = [];
  const isTwofold = (one, other) => one != null && other != null && JSON.stringify(one) !== JSON.stringify(other);
  const twice = Object.keys(calls).find((tool) => Object.hasOwn(failing, tool) && isTwofold(calls[tool], failing[tool]));
  if (twice) throw new TypeError(`auditServer: ${twice} is in calls and in expectError: each tool is called in one way`);
  for (const [tool, given] of Object.entries(calls)) {
    if (!Object.hasOwn(failing, tool)) words.push(call('--call', tool, given));
  }
  for (const [tool, given] of Object.entries(failing)) words.push(call('--expect-error', tool, given ?? calls[tool]));
  for (const glob of allowUncalled) words.push(`--allow-uncalled=${glob}`);
  for (const glob of tools) words.push(`--tool=${glob}`);
  for (const glob of against) words.push(`--against=${glob}`);
  if (options.guess) words.push('--guess');
  if (options.baseline !== undefined) words.push(`--baseline=${resolve(options.baseline)}`);
  if (options.startTimeout !== undefined) words.push(`--start-timeout=${Math.round(options.startTimeout)}ms`);
  if (options.timeout !== undefined) words.push(`--timeout=${Math.round(options.timeout)}ms`);
  if (Array.isArray(server)) {
    for (const [name, value] of Object.entries(env)) words.push(`--env=${name}=${value}`);
    return [...words, '--', ...server.map(String)];
  }
  if (typeof server?.url === 'string' || server?.url instanceof URL) {
    for (const [name, value] of Object.entries(server.headers ?? {})) words.push(`--header=${name}: ${value}`);
    return [...words, `--url=${server.url}`];
  }
  throw new TypeError('auditServer: give the command of the server as an array of words, or { url }');
}

function run(path, words, cwd) {
  return new Promise((settle) => {
    const child = execFile(path, words, { cwd, maxBuffer: LARGEST }, (error, stdout, stderr) => {
      settle({ error, stdout, stderr });
    });
    child.stdin?.end();
  });
}

const mismatch = (path, version) =>
  `${path} has version ${version}, but this npm package has version ${ours}. Install the same version of both, or unset ` +
  'MCP_COMPAT_PROGRAM to use the program of the package.';

/** What to add to an error if the program has another version than the package. */
async function versionHint(path) {
  const { error, stdout } = await run(path, ['--version']);
  const version = stdout.trim().split(/\s+/).at(-1);
  return !error && isOther(version) ? `\n${mismatch(path, version)}` : '';
}
