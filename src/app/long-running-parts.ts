import type { Config } from '../platform/config/config.ts';
import { pause } from '../kernel/abortable.ts';
import type { LongRunning } from '../kernel/lifecycle.ts';
import { AccessRecorder } from '../accounts/accesses/access-recorder.ts';
import { AbandonedWork } from '../operations/abandoned-work/abandoned-work.ts';
import { observationMaintenance } from '../watches/days/observation-maintenance.ts';
import { LeasedLoop } from '../platform/postgres/leased-loop.ts';
import { viewLifecycle } from '../platform/read-models/views/view-lifecycle.ts';
import { SnapshotLoop } from '../platform/read-models/views/snapshot-loop.ts';
import { runnerLeaseOf } from '../platform/read-models/engine/schema-names.ts';
import { alertLoops } from '../alerts/alerts.loops.ts';
import { GrowthProofs } from '../proof/seal/seal-growth.ts';
import { statusPageLoops } from '../status-pages/status-pages.loops.ts';
import { streamLoops } from '../streams/streams.loops.ts';
import type { Parts } from './parts.ts';
import { sealingLoop } from '../proof/sealing.ts';
import type { Companion } from './companions.ts';

const RETRY_MS = 1_000;
const LONG_WAIT_MS = 5_000;

/** What the capabilities do by themselves in the role `reactor`. */
const loopsOfCapabilities: readonly ((config: Config, parts: Parts) => readonly LeasedLoop[])[] = [
  (config, parts) => alertLoops(config, { ...parts, checkpoint: () => parts.seal.ledger.checkpoint() }),
  statusPageLoops,
  (config, parts) => streamLoops(config, { ...parts, seal: new GrowthProofs(parts.seal.ledger) }),
];

/** The long-running parts below HTTP, by role and in the order of their start. Process managers read the read models, so they start after them. */
export function longRunningParts(config: Config, parts: Parts, companions: readonly Companion[] = []): readonly LongRunning[] {
  // Its log has only the agreements, which need no read models.
  if (config.roles.includes('witness')) return [parts.engine.mirroring, sealingLoop(parts.seal, { ...parts, config })];
  const projector = config.roles.includes('projector')
    ? [
        coreViews(parts),
        asOfSnapshots(parts),
        sealingLoop(parts.seal, { ...parts, config }),
        ...companions.map((each) => each.projections(parts)),
      ]
    : [];
  const processManagers = config.roles.includes('reactor')
    ? [
        observationMaintenance({ ...parts, pool: parts.observationPool }, config),
        closedInParallel(
          'notifications',
          loopsOfCapabilities.flatMap((loops) => loops(config, parts)),
        ),
        ...companions.map((each) => each.reactors(config, parts)),
      ]
    : [];
  return [
    parts.engine.mirroring,
    ...projector,
    readModels(parts, config),
    parts.get(AbandonedWork),
    parts.get(AccessRecorder),
    ...processManagers,
  ];
}

function coreViews({ unit, log, engine: { recent }, viewPool: db, wake, readYourWrites, leases, logger, tracer }: Parts): LeasedLoop {
  const report = (error: unknown): void => {
    logger.error({ err: error }, 'the projection of the read models failed; retrying');
  };
  const lifecycle = viewLifecycle({ unit, log, ...(recent && { recent }), db, wake, readYourWrites, report, tracer });
  return new LeasedLoop({ name: runnerLeaseOf(unit.schema), leases, work: (signal) => lifecycle.run(signal), report });
}

function asOfSnapshots({ unit, log, viewPool: db, leases, logger }: Parts): LeasedLoop {
  const report = (error: unknown): void => {
    logger.warn({ err: error }, 'making snapshots of long histories failed; retrying');
  };
  return new LeasedLoop({
    name: `as of ${unit.schema}`,
    leases,
    work: (signal) => new SnapshotLoop({ unit, log, db }).run(signal),
    report,
  });
}

/** Ready when the read models have caught up with the log. */
const readModels = (parts: Parts, config: Config): LongRunning => ({
  name: 'read-your-writes',
  start: () => parts.readYourWrites.start(),
  ready: async (signal) => {
    const isFilledElsewhere = !config.roles.includes('projector');
    const waiting = setTimeout(() => {
      if (isFilledElsewhere)
        parts.logger.warn('waiting for the read models, which an instance of this version with the role projector fills');
    }, LONG_WAIT_MS);
    try {
      await caughtUp(parts, signal);
    } finally {
      clearTimeout(waiting);
    }
  },
  close: () => parts.readYourWrites.close(),
});

/** Retries while the database is unavailable. */
async function caughtUp({ readYourWrites, logger }: Parts, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      await readYourWrites.waitUntilCaughtUp();
      return;
    } catch (error) {
      if (signal.aborted) return;
      logger.warn({ err: error }, 'the read models are behind the log; waiting');
      await pause(RETRY_MS, signal);
    }
  }
}

/** Several parts that close concurrently: the slowest one bounds the shutdown. */
const closedInParallel = (name: string, parts: readonly LongRunning[]): LongRunning => ({
  name,
  start: async () => {
    for (const part of parts) await part.start();
  },
  close: async () => {
    await Promise.all(parts.map((part) => part.close()));
  },
});
