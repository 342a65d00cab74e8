// Which scenarios of the suite a mock has to pass, and which do not apply to a peer that has tools and nothing else.
//
// A scenario is named in full, or many by how they begin and `*`. What is decided:
//   {}               it has to pass, at each of the revisions that it exists in
//   { script }       so too; the mock server plays another script
//   { server }       so too; it is another mock server
//   { without }      so too, but for these checks, which do not apply; they must fail, or the run does
//   { skip }         it does not apply, for this reason
// Each scenario of the suite is decided on: a new one fails the run until it is.

export const REVISIONS = ['2025-11-25', '2026-07-28'];

export const DEFAULTS = { server: 'mock/dual', client: 'mock/dual+auto', script: 'tools.json' };

const NO_PROMPTS = 'a mock has no prompts';
const NO_RESOURCES = 'a mock has no resources';
const NO_LOGGING = 'a mock logs nothing to its client';
const ASKS_NOTHING = 'a mock server asks its client for nothing';
const ANSWERS_NOTHING = 'a mock client has nothing to answer questions with';
const ONE_ANSWER = 'a tool of a script has one answer, so it cannot depend on what the client sends along';
const EXTENSION = 'an extension, and a mock has none';

export const SERVER = {
  'server-initialize': {},
  'server-session-lifecycle': {},
  'server-stateless': { script: 'changes.json' },
  ping: {},
  'tools-list': {},
  'tools-call-simple-text': {},
  'tools-call-image': {},
  'tools-call-audio': {},
  'tools-call-embedded-resource': {},
  'tools-call-mixed-content': {},
  'tools-call-error': {},
  'tools-call-with-progress': {},
  'json-schema-2020-12': {},
  'server-sse-multiple-streams': { server: 'mock/dual/sse' },
  'dns-rebinding-protection': {},
  caching: {
    without: {
      'sep-2549-prompts-list-caching-hints': NO_PROMPTS,
      'sep-2549-resources-list-caching-hints': NO_RESOURCES,
      'sep-2549-resources-templates-list-caching-hints': NO_RESOURCES,
    },
  },
  'http-header-validation': {},
  'http-custom-header-server-validation': {},
  'input-required-result-result-type': {},
  'input-required-result-unsupported-methods': {},

  'prompts-*': { skip: NO_PROMPTS },
  'resources-*': { skip: NO_RESOURCES },
  'sep-2164-resource-not-found': { skip: NO_RESOURCES },
  'completion-complete': { skip: 'there is nothing to complete without prompts and resources' },
  'logging-set-level': { skip: NO_LOGGING },
  'tools-call-with-logging': { skip: NO_LOGGING },
  'tools-call-sampling': { skip: ASKS_NOTHING },
  'tools-call-elicitation': { skip: ASKS_NOTHING },
  'elicitation-*': { skip: ASKS_NOTHING },
  'server-sse-polling': { skip: 'a stream may be broken off and resumed, and a mock does not: it answers at once' },
  'input-required-result-basic-*': { skip: ONE_ANSWER },
  'input-required-result-request-state': { skip: ONE_ANSWER },
  'input-required-result-multiple-input-requests': { skip: ONE_ANSWER },
  'input-required-result-multi-round': { skip: ONE_ANSWER },
  'input-required-result-missing-input-response': { skip: ONE_ANSWER },
  'input-required-result-tampered-state': { skip: ONE_ANSWER },
  'input-required-result-capability-check': { skip: ONE_ANSWER },
  'input-required-result-ignore-extra-params': { skip: ONE_ANSWER },
  'input-required-result-validate-input': { skip: ONE_ANSWER },
  'input-required-result-non-tool-request': { skip: NO_PROMPTS },
  'sep-2640-*': { skip: EXTENSION },
  'tasks-*': { skip: EXTENSION },
};

export const CLIENT = {
  initialize: {},
  tools_call: {},
  'request-metadata': {},
  'http-standard-headers': {},
  'http-custom-headers': {},
  'http-invalid-tool-headers': {},
  'json-schema-ref-no-deref': {},

  'json-schema-2020-12-preservation': { skip: 'a mock client shows the names and output schemas of tools only' },
  'sse-retry': { skip: 'a client should resume a broken stream, and a mock does not: it reports an error' },
  'elicitation-sep1034-client-defaults': { skip: ANSWERS_NOTHING },
  'sep-2322-client-request-state': { skip: ANSWERS_NOTHING },
  'auth/*': { skip: 'a mock does not authorize; it is spoken to on loopback only' },
  'sep-2640-client-*': { skip: EXTENSION },
};
