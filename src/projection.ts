/** `watchledger/projection`: all that a team needs to write a projection, and to test it. */
export { boolean, integer, integers, search, text } from './projections/kit/columns.ts';
export { defineProjection, type Projection, type ProjectionTx } from './projections/kit/define-projection.ts';
export { defineView, scopeId, type View } from './projections/kit/define-view.ts';
export type { TeamPackage } from './projections/kit/load-projections.ts';
export { type Law, lawsOfProjection, lawsOfView } from './projections/kit/projection-laws.ts';
export { occurred, projectionSpec, viewSpec } from './projections/kit/projection-spec.ts';
export type { Events, EventType, LogEventOf } from './domain/events.ts';
