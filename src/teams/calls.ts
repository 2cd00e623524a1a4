import type { LogEvent } from '../kernel/event.ts';
import type { DatabaseLogin } from '../platform/postgres/connection-settings.ts';
import type { Checkpoint } from '../platform/read-models/engine/checkpoint.ts';
import type { ParkedEvent } from '../platform/read-models/engine/parked-events.ts';
import type { Applying, FillPace } from '../platform/read-models/sets/set-work.ts';
import type { ViewFillRequest } from '../platform/read-models/views/view-work.ts';
import type { RecordedEffect } from './reactors/effects.ts';

/** The database that the process of a package connects to: its address and a login of its own. Where roles cannot be created, `login` is null, and the account in the address counts. */
export interface TeamAccess {
  readonly url: string;
  readonly login: DatabaseLogin | null;
}

/** A runner in the process of a package, by the schema that it fills. */
interface RunnerName {
  readonly projection: string;
  readonly schema: string;
}

/** What the service asks of the process of a package. */
export interface WorkerCalls {
  load: { given: { readonly from: string; readonly folder: string }; result: unknown };
  /** Answered with the resident memory, in bytes. */
  ping: { given: null; result: number };
  connect: { given: { readonly projection: string; readonly access: TeamAccess }; result: null };
  /** Closes every database connection, whose statements fail then: the database does not answer on them. */
  dropConnections: { given: null; result: null };
  createTables: { given: RunnerName; result: null };
  openRunner: { given: RunnerName & { readonly pace: FillPace; readonly oneByOneUntil: number }; result: null };
  begin: { given: RunnerName; result: Checkpoint };
  applyNext: { given: RunnerName; result: Applied };
  applyBatch: { given: RunnerName & { readonly until: number | null }; result: Applied };
  retryParked: { given: RunnerName; result: Checkpoint };
  fillView: { given: ViewFillRequest & { readonly projection: string }; result: null };
  /** Networks of the SSRF guard. */
  allowEffects: { given: { readonly allowed: readonly string[]; readonly denied: readonly string[] }; result: null };
  /** `api`: where commands go; empty: no address is known. */
  react: { given: { readonly reactor: string; readonly event: LogEvent; readonly api: string }; result: null };
  /** Answers the effects that the reactor would have made. */
  rehearse: { given: { readonly reactor: string; readonly event: LogEvent }; result: readonly RecordedEffect[] };
  /** Serves its routes on a socket, to requests with this token. */
  serve: { given: ServeRequest; result: null };
  stop: { given: null; result: null };
}

export interface Applied {
  readonly events: number;
  readonly checkpoint: Checkpoint;
}

export interface ServeRequest {
  readonly socket: string;
  readonly token: string;
  readonly access: TeamAccess;
  /** Addresses of the read replicas. */
  readonly replicas: readonly string[];
}

/** What the process of a package reports to the service. */
export interface ServiceCalls {
  parked: { given: ParkedEvent; result: null };
  /** Sent before, so that it is known when the process ends meanwhile. */
  applying: { given: Applying; result: null };
  /** Thrown where no code waits for it. */
  uncaught: { given: { readonly message: string; readonly stack: string }; result: null };
}

/** The detail of a problem that stops a projection, as in `ProjectionStopped`. */
export interface StoppedDetail {
  readonly stopped: true;
  readonly parked: ParkedEvent | null;
}
