/**
 * What may import what. The tree has four storeys, each of which imports only from those below it: kernel, platform, capabilities, app (the composition
 * root). A capability imports those before it in CAPABILITIES. Within all of them the suffix of a file says what it may need. Tests may import anything.
 */
const CAPABILITIES = [
  'accounts',
  'projects',
  'checker',
  'watches',
  'alerts',
  'history',
  'streams',
  'proof',
  'status-pages',
  'overview',
  'teams',
  'site-files',
  'import',
  'operations',
];
const TEST = '\\.(spec|int-spec|release-spec|contract)\\.ts$|/testing/';
const DECISION = '\\.(events|decider|state|settings|setting-table)\\.ts$';
/** Observations are stored as stretches that have the timeline of the samples. */
const SAMPLES = '^src/platform/observations/samples/(report|timeline|probe-outcome)\\.ts$';
/** The catalogue lists the events of every capability, and nothing else; they are the published contract, as is what each says to a person. */
const CATALOGUE = '^src/events\\.ts$';
const PUBLISHED = '^src/(events|.*\\.(events|sentences))\\.ts$';
/** Commands of operators use the parts that the composition root opens; operations know what an installation consists of, and the build bundles it. */
const OPERATORS = '\\.command-line\\.ts$|/command-line/|src/operations/';
const PARTS = '^src/(main|app/(parts|resources|with-parts|plans|companions|migration-table))\\.ts$|^src/console/bundle\\.mjs$';
const any = (names) => `^src/(${names.join('|')})/`;

const rule = (name, comment, from, to) => ({ name, comment, severity: 'error', from, to });

export default {
  forbidden: [
    rule(
      'kernel-imports-nothing',
      'The kernel imports nothing of the tree.',
      { path: '^src/kernel/', pathNot: TEST },
      { path: '^src/', pathNot: '^src/kernel/' },
    ),
    rule(
      'platform-knows-no-capability',
      'What capabilities stand on knows none of them.',
      { path: '^src/platform/', pathNot: [TEST, '^src/platform/cli/'] },
      { path: '^src/', pathNot: ['^src/(kernel|platform)/', CATALOGUE] },
    ),
    rule(
      'the-command-line-is-a-client',
      'The frame of the command line talks to a service through the client.',
      { path: '^src/platform/cli/', pathNot: TEST },
      { path: '^src/', pathNot: ['^src/(kernel|platform|client)/', '^src/client\\.ts$'] },
    ),
    rule(
      'the-catalogue-lists-events',
      'Everything but the kernel may import the catalogue, so it imports events alone.',
      { path: CATALOGUE },
      { pathNot: ['^src/kernel/', '\\.events\\.ts$'] },
    ),
    ...CAPABILITIES.flatMap((name, index) => {
      const before = CAPABILITIES.slice(0, index);
      const may = [any(['kernel', 'platform', 'client', ...before, name]), '^src/client\\.ts$', PUBLISHED];
      return [
        rule(
          `${name}-stands-on-those-before-it`,
          `${name} may import, besides kernel, platform and client: ${before.join(', ') || 'no other capability'}.`,
          { path: any([name]), pathNot: [TEST, OPERATORS] },
          { path: '^src/', pathNot: may },
        ),
        rule(
          `commands-of-${name}-use-the-parts`,
          'A command of an operator may import, besides those, what opens the parts of the service.',
          { path: `^(?=.*(${OPERATORS}))${any([name]).slice(1)}`, pathNot: TEST },
          { path: '^src/', pathNot: [...may, PARTS] },
        ),
      ];
    }),
    rule(
      'decisions-are-pure',
      'Events, settings, state and decisions need the kernel, each other and the vocabulary beside them: no npm package, no node module, nothing of the platform.',
      { path: `^src/.+${DECISION}` },
      { pathNot: ['^src/kernel/', SAMPLES, `^src/(?!app/|platform/).+${DECISION}`, '^src/(?!app/|platform/)[a-z0-9/-]+\\.ts$'] },
    ),
    rule(
      'shapes-are-plain-data',
      'What an operation takes and answers is vocabulary: it needs no store, no use case and no route.',
      { path: '\\.(api|dto)\\.ts$' },
      { path: '\\.(commands|decider|state|view|reader|controller|tables|module)\\.ts$' },
    ),
    rule(
      'the-verifier-stands-alone',
      'An auditor can read it by itself: node modules only.',
      { path: '^src/client/proofs/', pathNot: TEST },
      { pathNot: ['^src/client/proofs/', '^(node:)?(crypto|fs|fs/promises|readline|stream|buffer)$'] },
    ),
    rule(
      'adapters-are-wired-once',
      'Nothing imports an adapter of the event store but engine.ts: everything else knows the port.',
      { path: '^src/', pathNot: ['^src/platform/event-store/', TEST] },
      { path: '^src/platform/event-store/(kurrentdb|postgres|memory)/' },
    ),
    rule(
      'adapters-stay-apart',
      'An adapter does not know another one.',
      { path: '^src/platform/event-store/([^/]+)/', pathNot: TEST },
      { path: '^src/platform/event-store/[^/]+/', pathNot: '^src/platform/event-store/$1/' },
    ),
    rule(
      'statements-run-in-browsers',
      'A statement is recomputed by the browser that opens it: without Node modules, and without npm packages but those that its hashes need.',
      {
        path: '^src/(proof/statement|client/verify)/',
        pathNot: [
          TEST,
          '/command-line/',
          '/(node-platform|verifier-script|statement-[a-z-]+|statement)\\.[a-z.-]*ts$',
          '/bundle\\.d?\\.mts$|/bundle\\.mjs$',
        ],
      },
      { pathNot: ['^src/', '^node_modules/@noble/'] },
    ),
    rule(
      'the-client-stands-alone',
      'It runs in browsers and in programs of others: no Node module, no package, nothing of the service.',
      { path: '^src/client(/(?!verify/|proofs/)|\\.ts$)', pathNot: [TEST, '\\.d\\.mts$'] },
      { pathNot: '^src/client/' },
    ),
    rule(
      'the-console-is-a-client',
      'It runs in the browser and talks to the public API alone: no Node module, no package but those of its decision record, and of the service the tables of settings and channels.',
      { path: '^src/console/', pathNot: [TEST, '\\.mjs$'] },
      {
        pathNot: [
          '^src/(console|client)(/|\\.ts$)',
          '^src/kernel/',
          '^src/proof/statement/',
          '^src/projects/project\\.(events|settings)\\.ts$',
          '^src/alerts/preferences/preference\\.settings\\.ts$',
          '(^|/)node_modules/(preact|@preact/signals|uplot)/',
        ],
      },
    ),
    rule(
      'nothing-imports-the-console',
      'It is bundled for itself.',
      { path: '^src/', pathNot: ['^src/console/', '^src/operations/launch/bundle\\.mjs$'] },
      { path: '^src/console/' },
    ),
    rule('no-cycles', 'A cycle makes two files one.', {}, { circular: true }),
    rule(
      'no-tests-in-the-program',
      'The program does not import its tests.',
      { path: '^src/', pathNot: TEST },
      { path: ['^test/', '\\.(spec|int-spec|release-spec)\\.ts$'] },
    ),
    rule(
      'opentelemetry-stays-in-its-folder',
      'Everything else knows the port kernel/tracer.ts: where nothing is exported, nothing of OpenTelemetry is loaded.',
      { path: '^src/', pathNot: ['^src/platform/telemetry/tracing/', TEST] },
      { path: 'node_modules/@opentelemetry/' },
    ),
    rule(
      'the-exporter-loads-late',
      'It is imported where an endpoint is set.',
      { path: '^src/', pathNot: ['^src/platform/telemetry/tracing/', TEST] },
      { path: '^src/platform/telemetry/tracing/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
    ),
    rule(
      'rarely-used-packages-load-late',
      'A large package of a rare request is imported where it is used, so that the start does not load it.',
      { path: '^src/', pathNot: TEST },
      { path: '@simplewebauthn/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
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
      extensions: ['.ts', '.tsx', '.mjs', '.js'],
      conditionNames: ['import', 'node', 'default', 'types', 'require'],
      exportsFields: ['exports'],
    },
  },
};
