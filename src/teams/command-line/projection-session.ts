import type { Config } from '../../platform/config/config.ts';
import { ProjectionAdmin } from '../../platform/read-models/admin/projection-admin.ts';
import type { Parts } from '../../app/parts.ts';
import type { CliOutput } from '../../platform/cli/command.ts';
import { withParts } from '../../app/with-parts.ts';

/** Requests are marks in the database: the instance that runs the projection applies them within two seconds. */
export const withProjections = (
  config: Config,
  output: CliOutput,
  work: (admin: ProjectionAdmin, parts: Parts) => Promise<number>,
): Promise<number> => withParts(config, output, (parts) => work(parts.get(ProjectionAdmin), parts));
