import type { EvidenceKeeper } from '../../src/checker/evidence/keep-evidence.ts';

/** For tests of what surrounds the evidence: nothing is kept, and no event refers to any. */
export const noEvidence: Pick<EvidenceKeeper, 'begin'> = {
  begin: () => ({ reference: {}, kept: () => Promise.resolve(), decided: () => Promise.resolve() }),
};

/** Of a run whose evidence is not kept. */
export const noExchange = (): never => {
  throw new Error('nothing is kept here');
};
