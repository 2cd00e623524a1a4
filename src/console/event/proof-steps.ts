import type { Schemas } from '../../client.ts';
import { verifyProof } from '../../client/verify/verify-proof.ts';
import { service } from '../service/service.ts';

export interface EventProofSteps {
  readonly steps: readonly string[];
  readonly checkpoint: string;
}

/** Proves in this browser that an event is in the sealed log; throws what does not hold. */
export async function proveEvent(projectId: string, eventId: string): Promise<EventProofSteps> {
  const [proof, keys] = await Promise.all([
    service.get('/project/{id}/history/{eventId}/proof', { path: { id: projectId, eventId } }),
    service.get('/ledger/key'),
  ]);
  const found: Schemas['Proof'] = proof.data;
  const known = keys.data.split('\n').filter((line) => line.includes('+'));
  const { event, origin, size, checkpoint } = verifyProof(found, known);
  if (event.id !== eventId) throw new Error('The proof is that of another event.');
  return {
    checkpoint,
    steps: [
      `Its ${new TextEncoder().encode(found.leaf).length.toLocaleString('en')} bytes were hashed: leaf ${event.n.toLocaleString('en')}.`,
      `${String(found.path.length)} hashes lead from there to the root of a tree of ${size.toLocaleString('en')} events.`,
      `The checkpoint of ${origin} has the same root, and its signature is by ${known.length === 1 ? 'the published key' : `one of ${String(known.length)} published keys`}.`,
      signaturesSentence(checkpoint.split('\n— ').length - 1),
    ],
  };
}

/** The first one is that of the log itself. */
const signaturesSentence = (count: number): string =>
  count === 1 ? 'No witness has signed it.' : `${String(count - 1)} ${count === 2 ? 'witness has' : 'witnesses have'} signed it, too.`;
