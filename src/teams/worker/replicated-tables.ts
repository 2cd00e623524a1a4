import type { FastifyReply, FastifyRequest } from 'fastify';
import type pg from 'pg';
import type { PoolOptions } from '../../platform/postgres/pool.ts';
import { type AnsweringReplica, beginReading } from '../../platform/postgres/read-replicas/current-replica.ts';
import { replicaName } from '../../platform/postgres/read-replicas/read-replica.ts';
import { routedPool } from '../../platform/postgres/read-replicas/routed-pool.ts';
import type { ServeRequest } from '../calls.ts';
import { REPLICA_HEADER } from '../route-limits.ts';
import type { WorkerPools } from './worker-pools.ts';

/** Reads of controllers, and folds as of an instant. */
const CONNECTIONS = 3;
const STATEMENT_MS = 5_000;
const CONNECT_MS = 1_000;

/** The connections of the controllers of a package: to the replica that the service chose for a request, and to the primary. */
export class ReplicatedTables {
  readonly pool: pg.Pool;
  private readonly replicas: ReadonlyMap<string, AnsweringReplica>;

  constructor({ access, replicas: urls }: Pick<ServeRequest, 'access' | 'replicas'>, pools: WorkerPools) {
    const open = (url: string, options: PoolOptions): pg.Pool =>
      pools.open({ ...access, url }, { max: CONNECTIONS, statementTimeoutMs: STATEMENT_MS, readOnly: true, ...options });
    const primary = open(access.url, { name: 'team tables' });
    this.replicas = new Map(
      urls.map((url) => {
        // Bounded by the client, because no statement lifts its limit there and a replica may fall silent.
        const pool = open(url, { name: 'team replica', connectMs: CONNECT_MS, hasLongStatements: false });
        return [replicaName(url), { name: replicaName(url), pool, isUsed: true, repeated: () => undefined }] as const;
      }),
    );
    this.pool = urls.length === 0 ? primary : routedPool(primary);
  }

  /** Lets the replica that the request names answer its reads. */
  begin({ headers }: FastifyRequest, reply: FastifyReply, done: () => void): void {
    const replica = this.replicas.get(String(headers[REPLICA_HEADER]));
    Reflect.deleteProperty(headers, REPLICA_HEADER);
    if (replica === undefined) done();
    else reply.raw.once('close', beginReading(replica, done));
  }
}
