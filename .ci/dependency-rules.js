/**
 * What may import what: one row per room of src/. A room may import itself, the kernel, config and what its row names; the composition root
 * (app, cli, main) may import everything. Tests may import anything. Patterns are relative to src/.
 */
const PORT = 'event-store/[^/]+\\.ts$';
const EVENTS = 'domain/(events|.+\\.events)\\.ts$';
/** What others read through: the definition of a view, `Views`, and the readers. */
const READS = [
  'projections/.+\\.(reader|view)\\.ts$',
  'projections/(read-models/read-models\\.module|views/(views|view-page)|engine/voided-events|admin/projection-admin|authoring/(define-view|projection-tables))\\.ts$',
];
/** The words that an event, a request and an answer share: pure types and tables, no state and no decision. */
const VOCABULARY =
  'domain/(stream-names\\.ts$|[^/]+/(settings|roles|plan|token-scopes|rule(-type)?|bound-headers|extraction|invitation-number|service-number|http-version|recent-runs|recent-probes|probe-outcome|site-url|report|timeline|timing|occurrences|certificate-status|redirect-status)\\.ts$)';

const ROOMS = {
  console: [
    'client(/(?!generated/)|\\.ts$)',
    'statement/(verify-statement|inclusion|browser/(browser-platform|note-signatures|verify-own-file))\\.ts$',
    'ledger/verify/(base64|leaf|export-format|export-order|receipt/check-receipt)\\.ts$',
  ],
  client: [
    'ledger/verify/(base64|leaf|receipt/(check-receipt|receipt-of-answer|structured-field))\\.ts$',
    'statement/(inclusion|browser/(browser-platform|note-signatures))\\.ts$',
  ],
  persistence: [],
  security: ['persistence/'],
  'event-store': ['persistence/'],
  // Outcomes are stored as stretches that have the timeline of the samples.
  observations: ['domain/uptime/(probe-outcome|timeline)\\.ts$', 'persistence/'],
  log: [PORT, 'persistence/'],
  subscriptions: ['log/(log|search)\\.ts$', 'persistence/'],
  commands: ['domain/', PORT, 'persistence/', 'security/'],
  projections: [EVENTS, VOCABULARY, 'log/', PORT, 'observations/', 'persistence/', 'security/'],
  teams: [
    EVENTS,
    VOCABULARY,
    'event-store/log-rows\\.ts$',
    'delivery/channels/post\\.ts$',
    'http/(rights/(needs|right|routes-of)|errors/answer-of|server/route-methods)\\.ts$',
    // The sources of packages are compiled as the service's own.
    'launch/transpile\\.mjs$',
    'log/',
    'persistence/',
    'projections/',
    'security/ssrf-guard/ssrf-guard\\.ts$',
  ],
  statement: [
    'domain/',
    'ledger/verify/(canonical-json|leaf)\\.ts$',
    'observations/(codec/(byte-reader|read-intervals)|response-times/sketch)\\.ts$',
  ],
  'status-page': ['domain/', 'statement/page/markup\\.ts$'],
  ledger: ['log/', 'event-store/log-rows\\.ts$', 'persistence/', 'security/'],
  delivery: [
    EVENTS,
    VOCABULARY,
    'log/',
    'commands/',
    ...READS,
    'observations/',
    'persistence/',
    'security/',
    'processes/',
    'status-page/(page/page-address\\.ts$|words/)',
  ],
  processes: [
    EVENTS,
    VOCABULARY,
    'log/',
    'commands/',
    ...READS,
    'observations/',
    'persistence/',
    'security/',
    'delivery/',
    'http/',
    'subscriptions/subscription-store\\.ts$',
    'status-page/words/',
    'domain/',
    'projections/',
    PORT,
  ],
  checker: [
    'commands/((area|check|job|observation|project)\\.commands|context|gated-commands)\\.ts$',
    'domain/(certificate/certificate|verdict/verdict)\\.events\\.ts$',
    'domain/(stream-names|instability|area/settings|certificate/certificate-status|check/(bound-headers|extraction|rule(-type)?|settings)|project/site-url)\\.ts$',
    'domain/(redirect/(http-version|redirect-status)|uptime/(probe-outcome|recent-probes|timing)|verdict/(recent-runs|timeline))\\.ts$',
    'log/log\\.ts$',
    'projections/(read-models/.+\\.view|views/views)\\.ts$',
    'observations/(observation-queue|schemas|shards|fences|move-lock|codec/intervals|inspections/inspection-store|packs/(pack-tail|pack-writer)|pages/(kept-answers|page-bodies)|exchanges/(exchange|exchange-store))\\.ts$',
    'ledger/verify/canonical-json\\.ts$',
    'observations/(runs/run(-store|-response)?|samples/sample(-store)?)\\.ts$',
    'persistence/(heartbeats|leases|pool|transient-database-error|wake)\\.ts$',
    'processes/day-closing/shard-maintenance\\.ts$',
    'security/(keyring/keyring|ssrf-guard/(ssrf-guard|target-url))\\.ts$',
  ],
  doctor: [
    'persistence/(database-client|outside-database|outage-cause|write-probe|read-replicas/read-replica)\\.ts$',
    'event-store/open-kurrentdb\\.ts$',
    'embedded-postgres/(open-database|binaries)\\.ts$',
    'migrations/(migration-table|observation-migrations)\\.ts$',
    'observations/(schemas|pages/(page-budget|open-page-bodies))\\.ts$',
    'security/(keyring/(key-states|master-key)|sign-in-provider/sign-in-provider)\\.ts$',
    'ledger/(signer|verify/(disowned-keys|origin|signed-note)|witness/witness-peers)\\.ts$',
  ],
  'embedded-postgres': [],
  migrations: ['observations/schemas\\.ts$', 'persistence/', 'embedded-postgres/throwaway-cluster\\.ts$'],
  backup: ['migrations/', 'ledger/verify/', 'log/engine-of-log\\.ts$', 'persistence/', 'observations/'],
  telemetry: [
    PORT,
    'projections/(admin/|engine/schema-names)',
    'checker/checker-meter\\.ts$',
    'persistence/(outage-cause|read-replicas/read-replicas)\\.ts$',
    'ledger/store/ledger-store\\.ts$',
    'observations/schemas\\.ts$',
    'processes/notifications/dead-letters\\.ts$',
    'delivery/destinations/(batch-push|push-store)\\.ts$',
    'subscriptions/',
  ],
  'http/server': [
    'telemetry/(health|logging|metrics)/',
    'http/(context|errors|description|receipts|rights|site-files)/',
    // What may stand in a batch is decided by the route that was found.
    'http/batch/admit-operations\\.ts$',
    // Which page answers a host is decided before a request is routed.
    'http/status-page/page-hosts\\.ts$',
    'security/networks\\.ts$',
  ],
  'http/(?!server/)': [
    EVENTS,
    VOCABULARY,
    'domain/(instability|check/first-checks)\\.ts$',
    // A plan is a decision that is shown before a command appends it.
    'domain/(site/|(project|area|check)/setting-table\\.ts$|check/checklist\\.ts$|maintenance/maintenance\\.ts$|status-page/status-pages\\.ts$)',
    'commands/',
    ...READS,
    'observations/[^/]+/[^/]+-(store|response)\\.ts$',
    PORT,
    'log/(events-at|log|log-instant|search)\\.ts$',
    'subscriptions/',
    'ledger/(ledger|signer|receipts/sign-receipt|tiles/tile-path|verify/(leaf|merkle-tree|tlog-proof|receipt/[^/]+)|witness/log-witness)\\.ts$',
    'statement/',
    'teams/(reactors/reactor-store|database/team-role)\\.ts$',
    'status-page/',
    'persistence/(pool|batched-lookup|claims|wake|idempotency-store|shared-windows|transient-database-error)\\.ts$',
    'persistence/read-replicas/(current-replica|read-replicas)\\.ts$',
    'security/',
    'telemetry/health/(health-parts|outages)\\.ts$',
    'checker/(trial|rules)/',
    // The pool of threads that may be terminated.
    'checker/judging/(worker-pool|worker-slot|thread-time)\\.ts$',
    'checker/(probe/extra-headers|page/charset|evidence/(job-of-exchange|evidence-file)|locating/byte-range|verdicts/stored-decision)\\.ts$',
    'observations/(exchanges/exchange|pages/kept-(answers|pages)|samples/(hour-summary|summarized-hours))\\.ts$',
    'delivery/(composing/html|mail/(mail-outbox|mailer)|notices/(erasure-notice|notice-outbox)|outbox/delivery-store|channels/channel-test|destinations/(destination-test|push-store)|subscribers/(status-outbox|subscriber-(links|sign-up|store))|channels/post)\\.ts$',
    // A deletion of an account runs the process manager at once; reads of the record are counted for theirs; parked events are shown with the alerts that they hold back.
    'processes/(accesses/access-recorder|account-erasure/account-erasure|notifications/dead-letters)\\.ts$',
  ],
};

const TEST = '\\.(spec|int-spec|release-spec|contract)\\.ts$';
const everyone = ['kernel/', 'config(\\.ts$|/)'];

const stageRules = Object.entries(ROOMS).map(([room, allowed]) => ({
  name: `${room.replace('/(?!server/)', '')}-imports`,
  comment: `${room} may import, besides kernel, config and itself: ${allowed.join(', ')}.`,
  severity: 'error',
  from: { path: `^src/${room}${room.endsWith(')') ? '' : '/'}`, pathNot: TEST },
  to: { path: '^src/', pathNot: [room.endsWith(')') ? 'http/' : `${room}/`, ...everyone, ...allowed].map((pattern) => `^src/${pattern}`) },
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
      'verifier-stands-alone',
      'An auditor can read the verifier by itself: node modules only.',
      { path: '^src/ledger/verify/', pathNot: TEST },
      { pathNot: ['^src/ledger/verify/', '^(node:)?(crypto|fs|fs/promises|readline|stream|buffer)$'] },
    ),
    rule(
      'adapters-are-wired-once',
      'Nothing imports an adapter of the event store but engine.ts, which the program is put together with: everything else knows the port.',
      { path: '^src/', pathNot: ['^src/app/engine\\.ts$', '^src/event-store/', TEST] },
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
      'Aggregates never import each other, at most the shape of an event that they share. A site is no aggregate: it decides by the deciders of a project.',
      { path: '^src/domain/(?!project/|area/|check/|site/)([^/]+)/', pathNot: TEST },
      { path: '^src/domain/[^/]+/', pathNot: ['^src/domain/$1/', `^src/${EVENTS}`] },
    ),
    rule(
      'the-project-stays-apart',
      'Project, area and check are decided in one stream: one aggregate in three folders. Tokens of accounts and of service accounts share their scopes.',
      { path: '^src/domain/(project|area|check)/', pathNot: TEST },
      {
        path: '^src/domain/[^/]+/',
        pathNot: ['^src/domain/(project|area|check)/', '^src/domain/account/token-scopes.ts$', `^src/${EVENTS}`],
      },
    ),
    rule(
      'read-models-stay-apart',
      'Read models never import each other, except one that summarizes: the status of a project is that of its checks.',
      { path: '^src/projections/read-models/([^/]+)/', pathNot: TEST },
      {
        path: '^src/projections/read-models/[^/]+/',
        pathNot: ['^src/projections/read-models/$1/', '^src/projections/read-models/standing/standing.view.ts$'],
      },
    ),
    rule(
      'statements-run-in-browsers',
      'A statement is recomputed by the browser that opens it: without Node modules, and without npm packages but those that its hashes need.',
      { path: '^src/statement/', pathNot: [TEST, '^src/statement/(node-platform|verifier-script)\\.ts$'] },
      { pathNot: ['^src/', '^node_modules/@noble/'] },
    ),
    rule(
      'the-verifier-of-the-file-stands-alone',
      "The service and the command line compute with Node's modules; the browser's part is bundled for itself, for the client and for the console.",
      { path: '^src/', pathNot: ['^src/statement/browser/', '^src/client/verify/', '^src/console/', TEST] },
      { path: '^src/statement/browser/' },
    ),
    rule(
      'the-client-stands-alone',
      'It runs in browsers and in programs of others: no Node module, no package, nothing of the service.',
      { path: '^src/client(/(?!verify/)|\\.ts$)', pathNot: TEST },
      { pathNot: '^src/client/' },
    ),
    rule(
      'the-console-is-a-client',
      'It runs in the browser and talks to the public API alone: no Node module, and no package but those of its decision record.',
      { path: '^src/console/', pathNot: TEST },
      { pathNot: ['^src/', '(^|/)node_modules/(preact|@preact/signals|uplot)/'] },
    ),
    rule(
      'nothing-imports-the-console',
      'It is bundled for itself.',
      { path: '^src/', pathNot: '^src/console/' },
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
      { path: '^src/', pathNot: ['^src/telemetry/tracing/', TEST] },
      { path: 'node_modules/@opentelemetry/' },
    ),
    rule(
      'the-exporter-loads-late',
      'It is imported where an endpoint is set.',
      { path: '^src/', pathNot: ['^src/telemetry/tracing/', TEST] },
      { path: '^src/telemetry/tracing/', dependencyTypesNot: ['dynamic-import', 'type-only'] },
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
