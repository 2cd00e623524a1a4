import type { Projection } from '../projections/authoring/define-projection.ts';
import type { View } from '../projections/authoring/define-view.ts';
import type { Reactor } from './reactors/define-reactor.ts';

/** The default export of a team's package or file. */
export interface TeamPackage {
  readonly projections?: readonly (Projection | View)[];
  readonly reactors?: readonly Reactor[];
  /** A Nest module with the team's controllers. */
  readonly module?: unknown;
}
