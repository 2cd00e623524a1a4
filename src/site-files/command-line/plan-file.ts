import { createHash } from 'node:crypto';
import { StartRefused } from '../../kernel/start-refused.ts';
import type { PlanOptions } from './server-plans.ts';
import type { SentSite } from './site-requests.ts';

/** A plan as `plan --out` keeps it: the sites as they were planned, without values of secrets, and what the server has planned for each. */
export interface KeptPlan extends PlanOptions {
  readonly watchledgerPlan: 1;
  readonly sites: readonly SentSite[];
  /** By key. */
  readonly plans: Readonly<Record<string, string>>;
  readonly commit: string | null;
  /** The hash of everything above. */
  readonly sha256: string;
}

const hashOf = (plan: Omit<KeptPlan, 'sha256'>): string => {
  const { watchledgerPlan, prune, keepSecrets, sites, plans, commit } = plan;
  return createHash('sha256')
    .update(JSON.stringify([watchledgerPlan, prune, keepSecrets, sites, plans, commit]))
    .digest('hex');
};

export const keptPlan = (plan: Omit<KeptPlan, 'sha256' | 'watchledgerPlan'>): KeptPlan => {
  const whole = { watchledgerPlan: 1, ...plan } as const;
  return { ...whole, sha256: hashOf(whole) };
};

/** Null when the text is no plan. */
export function readKeptPlan(text: string, file: string): KeptPlan | null {
  if (!text.startsWith('{"watchledgerPlan":')) return null;
  const plan = planIn(text);
  if (plan === null) throw new StartRefused(`${file}: is a plan that was cut off; plan again`);
  if (plan.watchledgerPlan !== 1) throw new StartRefused(`${file}: is a plan of another version of this command; plan again`);
  if (plan.sha256 !== hashOf(plan)) throw new StartRefused(`${file}: was changed since it was planned; plan again`);
  return plan;
}

/** Null when the text breaks off. */
function planIn(text: string): KeptPlan | null {
  try {
    return JSON.parse(text) as KeptPlan; // held against its hash
  } catch {
    return null;
  }
}
