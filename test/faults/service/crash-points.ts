import type { Engine } from './environment.ts';

export interface CrashPoint {
  /** Parts of the SQL text that identify the statement. */
  readonly texts: readonly string[];
  readonly engines?: readonly Engine[];
  /** The statement runs only while no client writes. */
  readonly quiet?: true;
}

/** Moments at which a death would hurt most, each known by a statement that the service sends then. */
export const crashPoints = {
  'while an event is appended': { texts: ['append_one', 'append_events'], engines: ['postgres'] },
  'while the mirror writes': { texts: ['INSERT INTO log'], engines: ['double', 'server'] },
  'while read models are written': { texts: ['UPDATE projection SET n = $2'] },
  'while an answer is kept': { texts: ['idempotency-answered'] },
  'while leaves are sealed': { texts: ['ledger-grow'] },
  'while a checkpoint is signed': { texts: ['INSERT INTO ledger_checkpoint'], quiet: true },
  'while a run is taken in': { texts: ['run_accept'] },
  'while a message is asked for': { texts: ['INSERT INTO notification_intent'] },
  'while a message is noted as delivered': { texts: [`UPDATE notification_message SET state = 'delivered'`] },
  'while a batch of events is noted as pushed': { texts: ['UPDATE destination_partition SET position'] },
  'while deliveries of a subscription are noted': { texts: ['UPDATE subscription SET'] },
  'while an event of a subscription is parked or replayed': { texts: ['INSERT INTO subscription_parked'] },
  'while the checkpoint of a consumer moves': { texts: ['consumer_move'] },
  'while a project of a consumer is parked or released': { texts: ['INSERT INTO consumer_parked', 'DELETE FROM consumer_parked'] },
  'while an account is erased': { texts: ['wrapped, erased_at) VALUES ($1, NULL', 'UPDATE erasures SET done_at'] },
} satisfies Record<string, CrashPoint>;
