import type { Config } from '../../config.ts';
import { ProjectionAdmin } from '../../projections/admin/projection-admin.ts';
import type { Parts } from '../../app/parts.ts';
import type { CliOutput } from '../command.ts';
import { withParts } from '../with-parts.ts';

/** Requests are marks in the database: the instance that runs the projection applies them within two seconds. */
export const withProjections = (
  config: Config,
  output: CliOutput,
  work: (admin: ProjectionAdmin, parts: Parts) => Promise<number>,
): Promise<number> => withParts(config, output, (parts) => work(new ProjectionAdmin(parts.pool, parts.wake, parts.unit), parts));
