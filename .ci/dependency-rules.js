/**
 * "What may import what": each stage may import kernel, base, config, itself, and what stands in its row. Tests may import anything.
 * Patterns are relative to src/.
 */
/** With the type `Place`, by which a reader waits for a write. */
const PORT = 'event-store/[^/]+\\.ts$';
const EVENTS = 'domain/(events|.+\\.events)\\.ts$';
/** A view's definition and the reader that answers from it are what a query is made of; what an operator voided is passed over by all. */
const QUERIES = ['projections/.+\\.(query|queries|view)\\.ts$', 'projections/kit/(views|voided|projection-admin)\\.ts$'];
/** The words that an event, a request and an answer share: pure types and tables, no state and no decision. */
const VOCABULARY =
  'domain/[^/]+/(settings|roles|plan|rule|http-version|recent-runs|recent-probes|probe-outcome|site-url|report|timeline|timing|occurrences|certificate-status|redirect-status)\\.ts$';
const LOG = 'log/';
const OBSERVATIONS = 'observations/';

const STAGES = {
  base: ['event-store/limits\\.ts$'],
  'event-store': [],
  log: [PORT],
  observations: [],
  commands: ['domain/', PORT],
  projections: [EVENTS, VOCABULARY, LOG, PORT, OBSERVATIONS],
  checker: ['commands/', EVENTS, VOCABULARY, LOG, ...QUERIES, OBSERVATIONS],
  reactors: [EVENTS, VOCABULARY, LOG, 'commands/', ...QUERIES, OBSERVATIONS],
  http: [
    'observations/[^/]+/[^/]+-(store|response)\.ts$',
    EVENTS,
    'commands/',
    ...QUERIES,
    VOCABULARY,
    LOG,
    PORT,
    'ledger/',
    'checker/(trial|rules)/',
    'checker/probe/extra-headers\\.ts$',
    'reactors/.*channel-test',
  ],
};

const TEST = '\\.(spec|int-spec|contract)\\.ts$';
const everyone = ['kernel/', 'base/', 'config(\\.ts$|/)'];

const stageRules = Object.entries(STAGES).map(([stage, allowed]) => ({
  name: `${stage}-imports`,
  comment: `${stage} may import, besides kernel, base and itself: ${allowed.join(', ') || 'nothing'}.`,
  severity: 'error',
  from: { path: `^src/${stage}/`, pathNot: TEST },
  to: { path: '^src/', pathNot: [`${stage}/`, ...everyone, ...allowed].map((pattern) => `^src/${pattern}`) },
}));

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    ...stageRules,
    rule(
      'kernel-imports-nothing',
      'The kernel imports nothing of the tree.',
      { path: '^src/kernel/', pathNot: TEST },
      { path: '^src/', pathNot: '^src/kernel/' },
    ),
    rule(
      'domain-imports-kernel',
      'The domain imports the kernel only.',
      { path: '^src/domain/', pathNot: TEST },
      { path: '^src/', pathNot: '^src/(kernel|domain)/' },
    ),
    rule(
      'domain-is-pure',
      'No npm package and no node module: a decision is a function of what it is given.',
      { path: '^src/domain/', pathNot: TEST },
      { pathNot: '^src/' },
    ),
    rule(
      'ledger-imports',
      'The ledger imports kernel and log only.',
      { path: '^src/ledger/', pathNot: TEST },
      { path: '^src/', pathNot: '^src/(ledger|kernel|log|base)/' },
    ),
    rule(
      'verifier-stands-alone',
      'An auditor can read the verifier by itself: node modules only.',
      { path: '^src/ledger/verify/', pathNot: TEST },
      { pathNot: ['^src/ledger/verify/', '^(node:)?(crypto|fs|fs/promises|readline|stream|buffer)$'] },
    ),
    rule(
      'adapters-are-wired-once',
      'Nothing imports an adapter of the event store but engine.ts, which the program is put together with: everything else knows the port.',
      { path: '^src/', pathNot: ['^src/engine\\.ts$', '^src/event-store/', TEST] },
      { path: '^src/event-store/(kurrentdb|postgres|memory)/' },
    ),
    rule(
      'adapters-stay-apart',
      'An adapter does not know another one.',
      { path: '^src/event-store/([^/]+)/', pathNot: TEST },
      { path: '^src/event-store/[^/]+/', pathNot: '^src/event-store/$1/' },
    ),
    rule(
      'aggregates-stay-apart',
      'Aggregates never import each other, at most the shape of an event that they share.',
      { path: '^src/domain/(?!project/|area/|check/)([^/]+)/', pathNot: TEST },
      { path: '^src/domain/[^/]+/', pathNot: ['^src/domain/$1/', `^src/${EVENTS}`] },
    ),
    rule(
      'the-project-stays-apart',
      'Project, area and check are decided in one stream: one aggregate in three folders.',
      { path: '^src/domain/(project|area|check)/', pathNot: TEST },
      { path: '^src/domain/[^/]+/', pathNot: ['^src/domain/(project|area|check)/', `^src/${EVENTS}`] },
    ),
    rule(
      'read-models-stay-apart',
      'Read models never import each other.',
      { path: '^src/projections/(?!kit/)([^/]+)/', pathNot: TEST },
      { path: '^src/projections/(?!kit/)[^/]+/', pathNot: '^src/projections/$1/' },
    ),
    rule('no-cycles', 'A cycle makes two files one.', {}, { circular: true }),
    rule(
      'no-tests-in-the-program',
      'The program does not import its tests.',
      { path: '^src/', pathNot: TEST },
      { path: ['^test/', '\\.(spec|int-spec)\\.ts$'] },
    ),
    rule('resolvable', 'Every import must be found.', {}, { couldNotResolve: true }),
    rule(
      'declared',
      'A package that is used stands in package.json.',
      { path: '^src/', pathNot: TEST },
      { dependencyTypes: ['npm-dev', 'npm-no-pkg', 'npm-unknown'], dependencyTypesNot: ['type-only'] },
    ),
  ],
  options: {
    doNotFollow: { path: 'node_modules' },
    exclude: { path: '^(dist|data|coverage)/' },
    tsPreCompilationDeps: true,
    tsConfig: { fileName: 'tsconfig.json' },
    enhancedResolveOptions: {
      extensions: ['.ts', '.mjs', '.js'],
      conditionNames: ['import', 'node', 'default', 'types', 'require'],
      exportsFields: ['exports'],
    },
  },
};
