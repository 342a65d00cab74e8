/** The arguments of a call. */
export type Arguments = Record<string, unknown>;

/** What is asked of an audit. */
export interface AuditOptions {
  /** Tools to call and their arguments; `null` stands for what the inputSchema of the tool offers. */
  calls?: Record<string, Arguments | null>;
  /** Tools whose call is to fail: names, or an object with arguments. The arguments in `calls` count, too. */
  expectError?: readonly string[] | Record<string, Arguments | null>;
  /** Globs of tools that may stay without a call. Otherwise, such a tool is a case that fails. */
  allowUncalled?: readonly string[];
  /** Globs of the tools to look at; all by default. */
  tools?: readonly string[];
  /** Globs of the clients, such as `profile/typescript@*`; all by default. */
  against?: readonly string[];
  /** Makes up arguments that an inputSchema does not offer. */
  guess?: boolean;
  /** A file with known breaks. `MCP_COMPAT_BASELINE=update` rewrites it. */
  baseline?: string;
  /** Variables of the server's environment, beside those of this process. */
  env?: Record<string, string>;
  /** The folder that the server is started in. */
  cwd?: string;
  /** How many milliseconds the server may take to start; 120,000 by default. */
  startTimeout?: number;
  /** How many milliseconds each list and each call may take; 30,000 by default. */
  timeout?: number;
}

/** A server: the words of its command, or its address. */
export type Server = readonly string[] | { url: string | URL; headers?: Record<string, string> };

/** The part of a test's context that a case uses. */
export interface TestContext {
  skip?(reason?: string): unknown;
}

/** A tool with a client, or the call of a tool. */
export interface Case {
  /** `tool::client`, or `tool::called`. */
  readonly name: string;
  /** The name of the tool. */
  readonly tool: string;
  /** The client, such as `profile/typescript@1`. It is absent if the case is about the call itself. */
  readonly client?: string;
  readonly result: 'passed' | 'failed' | 'skipped';
  /** Why the case failed and what to do, or why it was skipped. */
  readonly text: string;
  /** Throws a `CompatibilityError` if the case failed. It can be given to `test` as it is. */
  readonly check: (context?: TestContext) => void;
}

/** An audited server. */
export interface ServerAudit {
  /** The whole audit, as `mcp-compat audit --json` prints it. */
  readonly report: Record<string, unknown>;
  /** Each tool with each client, and each tool whose result was not seen. */
  readonly cases: readonly Case[];
  /** Registers a test for each case. `test` is that of node:test, vitest or another runner. */
  register(test: (name: string, run: (context: any) => void) => unknown): void;
}

/** A client loses something by a tool, or the result of a tool was not seen. */
export class CompatibilityError extends Error {}

/** The server could not be audited: the input is wrong, the server does not start, or mcp-compat failed. */
export class AuditError extends Error {}

/**
 * Audits a server: asks it for its tools at every revision that it speaks, calls those that are marked read-only and those
 * that `calls` names, and plays the answers to the reference clients and to profiles of released SDKs.
 */
export function auditServer(server: Server, options?: AuditOptions): Promise<ServerAudit>;
