// Finds the program of this platform: one optional dependency has it.
import { accessSync, constants, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';

const require = createRequire(import.meta.url);
const about = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'));
const packages = Object.keys(about.optionalDependencies ?? {});

const nameFor = (platform, arch) => `@mcp-compat/${platform}-${arch}`;

const resolved = (name) => {
  try {
    return require.resolve(`${name}/bin/mcp-compat`);
  } catch {
    return undefined;
  }
};

/**
 * The path of the program for this platform.
 *
 * `MCP_COMPAT_PROGRAM` names another one, such as a build of your own.
 */
export function program({ platform = process.platform, arch = process.arch, env = process.env } = {}) {
  if (env.MCP_COMPAT_PROGRAM) {
    try {
      accessSync(env.MCP_COMPAT_PROGRAM, constants.X_OK);
    } catch (error) {
      throw new Error(`MCP_COMPAT_PROGRAM names no program that can be run: ${error.message}`);
    }
    return env.MCP_COMPAT_PROGRAM;
  }
  const name = nameFor(platform, arch);
  const path = resolved(name);
  if (path) return path;
  throw new Error(packages.includes(name) ? withoutItsPackage(name) : withoutAPackage(platform, arch));
}

function withoutItsPackage(name) {
  const other = packages.find((each) => each !== name && resolved(each));
  const why = other
    ? `node_modules has ${other}, so it was installed on another platform.`
    : 'The installation left out optional dependencies (--omit=optional, --no-optional, or "omit" in .npmrc), or the lock ' +
      'file was written on another platform.';
  return [
    `mcp-compat cannot find its program: the package ${name} is not installed.`,
    why,
    `Install again with \`npm install --include=optional\`, or add the package: \`npm install ${name}@${about.version}\`.`,
  ].join('\n');
}

function withoutAPackage(platform, arch) {
  const known = packages.map((name) => name.replace('@mcp-compat/', '')).join(', ') || 'none in a checkout';
  const instead =
    platform === 'win32'
      ? 'mcp-compat does not run on Windows. Run it in the Windows Subsystem for Linux.'
      : 'Build it with Rust (`cargo install --locked mcp-compat-cli`), and name it in the variable MCP_COMPAT_PROGRAM.';
  return [`mcp-compat has no package for ${platform}-${arch}. Packages exist for: ${known}.`, instead].join('\n');
}
