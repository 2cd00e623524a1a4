import type { SpecDatabase } from './operations/embedded-postgres/spec-database.ts';

/** `watchledger/projection`: everything that a team needs to write, test and publish a projection. */
export {
  callerRight as caller,
  openRight as open,
  projectRight as project,
  type Right,
  systemAdmin,
  systemReader,
} from './accounts/rights/right.ts';
export { Needs } from './accounts/rights/needs.ts';
export {
  booleanColumn as boolean,
  integerColumn as integer,
  integersColumn as integers,
  searchColumn as search,
  textColumn as text,
} from './platform/read-models/authoring/columns.ts';
export { defineProjection, type Projection, type ProjectionTx } from './platform/read-models/authoring/define-projection.ts';
export { defineView, scopeId, type View } from './platform/read-models/authoring/define-view.ts';
export type { TeamPackage } from './teams/team-package.ts';
export { defineReactor, type Reactor } from './teams/reactors/define-reactor.ts';
export { EffectFailed, type Effects } from './teams/reactors/effects.ts';
export { reactorSpec } from './teams/reactors/reactor-spec.ts';
export { type PastTables, ProjectionTables } from './platform/read-models/authoring/projection-tables.ts';
export type { Law } from './platform/read-models/testing/law.ts';
export { projectionContract } from './platform/read-models/testing/projection-contract.ts';
export { occurred, projectionSpec, viewSpec } from './platform/read-models/testing/projection-spec.ts';
export type { Events, EventType, LogEventOf } from './events.ts';
export type { SpecDatabase };

/** For tests: a Postgres with a migrated, empty database. `pool` is for `projectionSpec` and `projectionContract`; call `drop()` at the end. */
export const specDatabase = async (): Promise<SpecDatabase> =>
  (await import('./operations/embedded-postgres/spec-database.ts')).openSpecDatabase();
