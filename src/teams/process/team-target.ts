import type pg from 'pg';
import type { TeamTarget } from '../../platform/read-models/admin/replay-into.ts';
import type { View } from '../../platform/read-models/authoring/define-view.ts';
import { schemaOf } from '../../platform/read-models/engine/schema-names.ts';
import { setTarget } from '../../platform/read-models/sets/set-lifecycle.ts';
import { teamUnit } from '../../platform/read-models/views/unit.ts';
import type { TeamAccess } from '../calls.ts';
import { giveSchema } from '../database/team-role.ts';
import type { ProjectionShape } from '../manifest.ts';
import { remoteSetWork, remoteViewWork } from './remote-work.ts';
import type { RunningChild } from './running-child.ts';

/** A projection as the engine leads it: its tables are created by the service and belong to its role, its code runs in the process of its package. */
export function teamTarget(child: RunningChild, projection: ProjectionShape, db: pg.Pool, { login }: TeamAccess): TeamTarget {
  const own = async (client: pg.PoolClient, schema: string): Promise<void> => {
    if (login !== null) await giveSchema(client, schema, login.role);
  };
  const { name } = projection;
  if (projection.kind === 'set') return { kind: 'set', set: setTarget(projection, remoteSetWork(child, name), db, own) };
  return { kind: 'view', unit: teamUnit(viewOf(projection)), code: { work: remoteViewWork(child, name, schemaOf(projection)), own } };
}

/** The view without its functions, which are in the process of the package: enough to create and index its table. */
function viewOf({ name, version, handles, columns, indexes }: ProjectionShape): View {
  const elsewhere = (): never => {
    throw new Error(`the code of ${name} runs in a process of its own`);
  };
  return {
    name,
    version,
    scope: 'project',
    handles: new Set(handles),
    indexes,
    summaries: null,
    key: elsewhere,
    evolve: elsewhere,
    columns: Object.fromEntries(Object.entries(columns).map(([column, { kind, indexed }]) => [column, { kind, indexed, of: elsewhere }])),
  };
}
