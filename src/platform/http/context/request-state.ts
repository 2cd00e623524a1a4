import type { FastifyRequest } from 'fastify';
import { newTrace, type TraceContext } from '../../../kernel/trace-context.ts';
import type { RoleId } from '../../../accounts/rights/roles.ts';
import type { KnownFacts } from '../../../projects/project-facts.ts';
import type { ProjectRow } from '../../../projects/project.view.ts';
import type { AreaRow } from '../../../projects/areas/area.view.ts';
import type { CheckRow } from '../../../projects/checks/check.view.ts';
import type { AsOf } from '../as-of/as-of.ts';
import type { BrowserSession } from '../../../accounts/sign-in/session/console-sessions.ts';
import type { TokenClaims } from '../../../accounts/sign-in/token-signer.ts';
import type { ListRequest } from '../lists/list.ts';
import type { AccessKind } from '../../../accounts/accesses/access.events.ts';
import type { Right } from '../../../accounts/rights/right.ts';
import type { OperationOfBatch } from './operation-of-batch.ts';
import type { Principal } from './principal.ts';
import type { RequestContext } from './request-context.ts';
import type { AskedSignature } from '../../../proof/receipts/sign-receipt.ts';
import type { Signer } from '../../../proof/seal/signer.ts';

/** The project of a request as the guard has read it, and the caller's role in it. */
export interface ProjectAccess {
  readonly projectId: string;
  readonly row: ProjectRow;
  /** Null: a system auditor, who reads without being a member. */
  readonly role: RoleId | null;
  readonly owner: boolean;
  /** Read in the same round trip when the answer contains them. */
  readonly facts?: KnownFacts;
}

/** The signature over the answer that the request asks for (docs/spec/beyond.md#B22). */
export interface RequestedReceipt {
  readonly asked: AskedSignature;
  readonly signers: readonly Signer[];
  /** Milliseconds: when it was asked. */
  readonly at: number;
}

/** What guards and interceptors leave for the handler of a request. */
export interface RequestState {
  /** See `traceOfRequest`. */
  trace?: TraceContext;
  principal?: Principal;
  /** Stated by the route; undefined: the route is closed. */
  right?: Right | undefined;
  /** What its answer counts as among the reads of the record, as the route states it. */
  recordedAs?: AccessKind | undefined;
  context?: RequestContext;
  /** Set when the caller has no right any more but repeats a keyed write that was accepted: its stored answer may be replayed, nothing is executed. */
  refusal?: Error;
  access?: ProjectAccess;
  /** The instant that the request asks about. */
  asOf?: AsOf;
  /** The position of the read models before anything was read of them: the answer contains every event up to it. */
  position?: number;
  receipt?: RequestedReceipt | undefined;
  claims?: TokenClaims;
  /** The request is an operation of a batch. */
  operation?: OperationOfBatch;
  /** The session of the console that the request carries as a cookie. */
  session?: BrowserSession;
  /** The check or area in the path, read on the way to its project. */
  check?: CheckRow;
  area?: AreaRow;
  /** The tag of the settings that the answer shows, for `If-Match`. */
  settingsTag?: string;
  /** Counts the request for less, because it is answered with 304. */
  countAsUnchanged?: () => void;
  /** What the query asks of a list. */
  list?: ListRequest;
}

const STATE = Symbol('state of a request');

/** A property of the request rather than an entry of a WeakMap, which garbage collection has to examine for every request. */
export function stateOf({ raw }: { readonly raw: object & { [STATE]?: RequestState } }): RequestState {
  return (raw[STATE] ??= {});
}

/** The trace that the request belongs to. One that began here is made when something needs it. */
export const traceOfRequest = (request: FastifyRequest): TraceContext => (stateOf(request).trace ??= newTrace());
