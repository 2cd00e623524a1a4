import type { Exchange } from '../../platform/observations/exchanges/exchange.ts';
import type { ExchangeStore } from '../../platform/observations/exchanges/exchange-store.ts';
import { packExchange } from './exchange-of.ts';

/** Whether a decision may end in an event that rests on this fetch; `unknown`: only the decision shows it. */
export type Decisiveness = 'likely' | 'unknown' | 'no';

export interface EvidenceToKeep {
  readonly projectId: string;
  readonly at: number;
  readonly exchange: () => Exchange;
  /** The page to keep with it. */
  readonly body: Uint8Array | null;
  readonly decisive: Decisiveness;
  /** Whether the decision is, as that of a failure; other evidence is gathered, so that many share a statement. */
  readonly urgent: boolean;
}

/**
 * Keeps the exchange that an event rests on. It is written before the decision where an event is likely, so that no crash in between leaves an event
 * without its evidence, and after it where that showed that there is one. An error here must not void the verdict.
 */
export class EvidenceKeeper {
  constructor(
    private readonly store: Pick<ExchangeStore, 'keep'>,
    private readonly onNotKept: (error: unknown) => void,
  ) {}

  begin({ projectId, at, exchange, body, decisive, urgent }: EvidenceToKeep): EvidenceBeingKept {
    if (decisive === 'no') return NOTHING_TO_KEEP;
    const packed = packExchange(exchange());
    const keep = (): Promise<void> => this.store.keep({ projectId, at, packed, body, urgent }).catch(this.onNotKept);
    const early = decisive === 'likely' ? keep() : null;
    return {
      reference: { exchange: packed.sha256 },
      kept: () => early ?? Promise.resolve(),
      decided: async (changed) => {
        if (early === null && changed) await keep();
      },
    };
  }
}

export interface EvidenceBeingKept {
  /** For the event. */
  readonly reference: { readonly exchange?: string };
  /** To be awaited before the decision. */
  kept(): Promise<void>;
  /** To be awaited after it. */
  decided(changed: boolean): Promise<void>;
}

const NOTHING_TO_KEEP: EvidenceBeingKept = { reference: {}, kept: () => Promise.resolve(), decided: () => Promise.resolve() };
