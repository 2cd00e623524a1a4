import type { DecisionGate } from '../../src/checker/schedule/admission.ts';

/** Read models that are never behind. */
export const openGate: DecisionGate = { isOpen: () => true, lag: () => 0 };
