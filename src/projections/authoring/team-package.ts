import type { Projection } from './define-projection.ts';
import type { View } from './define-view.ts';

/** The default export of a team's package or file. */
export interface TeamPackage {
  readonly projections: readonly (Projection | View)[];
  /** A Nest module with the team's controllers. */
  readonly module?: unknown;
}
