#!/usr/bin/env node
// Starts the program of this platform and ends as it ends.
import { spawn } from 'node:child_process';
import { constants } from 'node:os';
import { program } from '../lib/program.js';

function fail(message) {
  console.error(`error: ${message}`);
  process.exit(3);
}

let path;
try {
  path = program();
} catch (error) {
  fail(error.message);
}

const child = spawn(path, process.argv.slice(2), { stdio: 'inherit' });
child.on('error', (error) => fail(`cannot start ${path}: ${error.message}`));

// A terminal sends SIGINT and SIGQUIT to the program as well: a second SIGINT would end it at once.
const terminal = process.stdin.isTTY || process.stdout.isTTY || process.stderr.isTTY;
for (const signal of ['SIGINT', 'SIGQUIT', 'SIGTERM', 'SIGHUP']) {
  const fromTerminal = signal === 'SIGINT' || signal === 'SIGQUIT';
  process.on(signal, () => {
    if (!(fromTerminal && terminal)) child.kill(signal);
  });
}

child.on('exit', (status, signal) => {
  if (signal === null) process.exit(status);
  process.removeAllListeners(signal);
  process.kill(process.pid, signal);
  // A signal that does not end this process: the status that a shell would give.
  setTimeout(() => process.exit(128 + (constants.signals[signal] ?? 0)), 1000);
});
