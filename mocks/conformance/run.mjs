// Runs the official conformance suite against the mocks, and says of each scenario how it went.
//
//   node run.mjs SUITE MCP_COMPAT        SUITE: where npm has installed it; MCP_COMPAT: the binary
//
// The suite itself says which scenarios there are, and at which revisions; scenarios.mjs says which of them a mock has
// to pass. Each runs in a process of its own, and a server scenario against a mock server of its own. Whether checks
// pass is the suite's word alone. What this adds is stricter: a warning is a failure, and so is a scenario that
// checked nothing.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import path from 'node:path';
import { createInterface } from 'node:readline';
import { stripVTControlCharacters } from 'node:util';

import { CLIENT, DEFAULTS, REVISIONS, SERVER } from './scenarios.mjs';

// Other mocks than scenarios.mjs says. A sabotaged one shows that the run can fail.
const { MOCK_SERVER, MOCK_CLIENT } = process.env;

const SCENARIO_MS = 30_000;
const SUITE_MS = 60_000;
const ADDRESS_MS = 10_000;

const here = import.meta.dirname;
const [suite, binary] = process.argv.slice(2);
const conformance = path.join(suite, 'node_modules/@modelcontextprotocol/conformance/dist/index.js');
const scratch = mkdtempSync(path.join(tmpdir(), 'mcp-compat-conformance-'));

// ---------------------------------------------------------------------------------------------------- processes

const running = new Set();

// Each child leads a process group, so that it ends with everything that it started.
function start(command, args) {
  const child = spawn(command, args, { detached: true, stdio: ['ignore', 'pipe', 'pipe'] });
  running.add(child);
  child.on('close', () => running.delete(child));
  child.said = '';
  keep(child, child.stderr);
  return child;
}

function keep(child, stream) {
  stream.setEncoding('utf8').on('data', (text) => (child.said += text));
}

function end(child) {
  try {
    process.kill(-child.pid, 'SIGKILL');
  } catch {
    // It has ended by itself.
  }
}

process.on('exit', () => {
  running.forEach(end);
  rmSync(scratch, { recursive: true, force: true });
});
for (const [signal, number] of Object.entries({ SIGHUP: 1, SIGINT: 2, SIGTERM: 15 })) {
  process.on(signal, () => process.exit(128 + number));
}

async function suiteSays(...args) {
  const child = start(process.execPath, [conformance, ...args]);
  keep(child, child.stdout);
  // The suite bounds a scenario by itself; this is for the suite.
  const deadline = setTimeout(() => {
    child.said += `\nThe suite did not end within ${SUITE_MS} ms.\n`;
    end(child);
  }, SUITE_MS);
  const [status] = await once(child, 'close');
  clearTimeout(deadline);
  return { status, output: stripVTControlCharacters(child.said) };
}

async function withServer({ server: id, script }, use) {
  const args = ['mock', 'server', '--http', '--id', id, '--script', path.join(here, script)];
  const server = start(binary, args);
  const deadline = setTimeout(end, ADDRESS_MS, server);
  try {
    for await (const url of createInterface({ input: server.stdout })) {
      clearTimeout(deadline);
      return await use(url);
    }
    throw new Error(`no address came from ${[binary, ...args].join(' ')}\n${server.said}`);
  } finally {
    clearTimeout(deadline);
    end(server);
  }
}

// -------------------------------------------------------------------------------------------------------- plan

// The scenarios of one side as the suite lists them, with the revisions or the word `extension` that it tags them with.
async function listed(side) {
  const { output } = await suiteSays('list', `--${side}`);
  const lines = [...output.matchAll(/^ {2}- (\S+) \[(\S+)\]$/gm)];
  const scenarios = lines.map(([, name, tags]) => ({ name, tags: tags.split(',') }));
  if (scenarios.length === 0) {
    throw new Error(`the suite lists no scenarios:\n${output}`);
  }
  return scenarios;
}

function matches(pattern, name) {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern;
}

// Everything that is listed and decided on, in the order of the decisions, then what only one of the two knows of.
async function plan(side, decisions) {
  const chosen = Object.fromEntries(
    Object.entries({ server: MOCK_SERVER, client: MOCK_CLIENT }).filter(([, id]) => id !== undefined),
  );
  const all = await listed(side);
  const jobs = [];
  const skipped = [];
  const problems = [];
  for (const [pattern, decision] of Object.entries(decisions)) {
    const meant = all.filter(({ name }) => matches(pattern, name));
    if (meant.length === 0) {
      problems.push(`${side} ${pattern}: scenarios.mjs decides on it, but the suite has no such scenario`);
    } else if (decision.skip !== undefined) {
      skipped.push(`${side} ${pattern}${meant.length > 1 ? ` (${meant.length} scenarios)` : ''}: ${decision.skip}`);
    } else {
      const runs = meant.flatMap(({ name, tags }) => {
        const revisions = REVISIONS.filter((revision) => tags.includes(revision));
        return revisions.map((revision) => ({ ...DEFAULTS, ...decision, ...chosen, side, scenario: name, revision }));
      });
      jobs.push(...runs);
      if (runs.length === 0) {
        problems.push(`${side} ${pattern}: has to pass, but does not exist at ${REVISIONS.join(' or ')}`);
      }
    }
  }
  for (const { name } of all) {
    if (!Object.keys(decisions).some((pattern) => matches(pattern, name))) {
      problems.push(`${side} ${name}: the suite has it, but scenarios.mjs does not decide on it`);
    }
  }
  return { jobs, skipped, problems };
}

// --------------------------------------------------------------------------------------------------------- run

function quoted(argument) {
  return `'${argument.replaceAll("'", `'\\''`)}'`;
}

function expectedFailures({ side, scenario, without }) {
  if (without === undefined) {
    return [];
  }
  const file = path.join(scratch, `${scenario}.yml`);
  const entries = Object.keys(without).map((check) => `${scenario}:${check}`);
  // YAML holds JSON.
  writeFileSync(file, JSON.stringify({ [side]: entries }));
  return ['--expected-failures', file];
}

async function run(job) {
  const common = ['--scenario', job.scenario, '--spec-version', job.revision, '--timeout', String(SCENARIO_MS)];
  common.push(...expectedFailures(job));
  if (job.side === 'server') {
    return withServer(job, (url) => suiteSays('server', '--url', url, ...common));
  }
  // The suite splits the command at spaces, joins it again with the server's address, and gives it to a shell.
  const command = [process.execPath, path.join(here, 'client.mjs'), binary, job.client].map(quoted).join(' ');
  return suiteSays('client', '--command', command, ...common);
}

function judge({ status, output }) {
  const checks = [...output.matchAll(/^\S+ \[(\S+) *\] (SUCCESS|WARNING)/gm)];
  const warned = checks.some(([, , outcome]) => outcome === 'WARNING');
  // That every message is valid is checked beside whatever a scenario is about; alone it says nothing of it.
  const succeeded = checks.filter(([, id, outcome]) => outcome === 'SUCCESS' && id !== 'wire-schema-valid').length;
  return { passed: status === 0 && !warned && succeeded > 0, succeeded, output };
}

async function runAll(jobs, report) {
  const verdicts = jobs.map(() => Promise.withResolvers());
  let next = 0;
  const work = async () => {
    while (next < jobs.length) {
      const at = next++;
      const said = run(jobs[at]).catch((error) => ({ status: 1, output: String(error) }));
      verdicts[at].resolve(said.then(judge));
      await verdicts[at].promise;
    }
  };
  const workers = Array.from({ length: availableParallelism() }, work);
  for (const [at, job] of jobs.entries()) {
    report(job, await verdicts[at].promise);
  }
  await Promise.all(workers);
}

const sides = await Promise.all([plan('server', SERVER), plan('client', CLIENT)]);
const skipped = sides.flatMap((side) => side.skipped);
const problems = sides.flatMap((side) => side.problems);
let passed = 0;
let failed = problems.length;

await runAll(sides.flatMap((side) => side.jobs), (job, verdict) => {
  verdict.passed ? passed++ : failed++;
  const word = verdict.passed ? 'passed ' : 'FAILED ';
  const checks = verdict.succeeded === 1 ? '1 check' : `${verdict.succeeded} checks`;
  const reasons = Object.values(job.without ?? {});
  const without = reasons.length > 0 ? `, without ${reasons.length}: ${[...new Set(reasons)].join(', ')}` : '';
  console.log(`${word} ${job.side} ${job.revision} ${job.scenario}: ${checks}${without}`);
  if (!verdict.passed) {
    console.log(verdict.output.trimEnd().replaceAll(/^/gm, '    '));
  }
});
problems.forEach((problem) => console.log(`FAILED  ${problem}`));
skipped.forEach((skip) => console.log(`skipped ${skip}`));
console.log(`${passed} passed, ${failed} failed`);
process.exitCode = failed === 0 ? 0 : 1;
