import type { Projection } from '../platform/read-models/authoring/define-projection.ts';
import type { View } from '../platform/read-models/authoring/define-view.ts';
import type { Reactor } from './reactors/define-reactor.ts';

/** The default export of a team's package or file. */
export interface TeamPackage {
  readonly projections?: readonly (Projection | View)[];
  readonly reactors?: readonly Reactor[];
  /** A Nest module with the team's controllers. */
  readonly module?: unknown;
}
