import { randomUUID } from 'node:crypto';
import type { JointPlace } from '../../platform/commands/context.ts';
import type { BrowserSession } from './session/console-sessions.ts';
import type { TokenClaims } from './token-signer.ts';

/** The request of a batch, as whom each of its operations is carried out. */
export interface OperationOfBatch {
  readonly claims: TokenClaims;
  readonly session: BrowserSession | undefined;
  /** Set in an atomic batch: where the command of the operation joins the append. */
  readonly joint?: JointPlace;
  /** Called when its command has appended its events, before reads show them. */
  readonly onAppend?: () => void;
}

const HEADER = 'watchledger-operation';
/** Operations by an id that no client can guess: an AsyncLocalStorage in use would make every promise of the process slower. */
const begun = new Map<string, OperationOfBatch>();

/** `send`: sends the operation to the router of this process, as a request without a socket that has these headers. */
export async function runAsOperation<T>(
  operation: OperationOfBatch,
  send: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const id = randomUUID();
  begun.set(id, operation);
  try {
    return await send({ [HEADER]: id });
  } finally {
    begun.delete(id);
  }
}

/** Answers undefined for a request that came over a connection. */
export function operationOf({ headers }: { readonly headers: Readonly<Record<string, unknown>> }): OperationOfBatch | undefined {
  if (begun.size === 0) return undefined;
  const id = headers[HEADER];
  return typeof id === 'string' ? begun.get(id) : undefined;
}
