/** What `watchledger/projection` exports to packages, as far as the packages of integration tests need it: compiled for their processes, which have no bundle. */
export { integerColumn as integer } from '../../src/platform/read-models/authoring/columns.ts';
export { defineProjection } from '../../src/platform/read-models/authoring/define-projection.ts';
export { defineView, scopeId } from '../../src/platform/read-models/authoring/define-view.ts';
export { defineReactor } from '../../src/teams/reactors/define-reactor.ts';
