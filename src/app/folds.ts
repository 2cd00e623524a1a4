import { account } from '../accounts/account.state.ts';
import { badge } from '../overview/badge/badge.decider.ts';
import { certificate } from '../watches/certificate/certificate.decider.ts';
import { checklist } from '../projects/checks/checklist.decider.ts';
import { corrections } from '../checker/corrections/correction.decider.ts';
import { maintenance } from '../projects/maintenance/maintenance.decider.ts';
import { preferences } from '../alerts/preferences/preference.decider.ts';
import { importedUptime } from '../watches/imported-uptime/imported-uptime.decider.ts';
import { objective } from '../projects/objectives/objective.decider.ts';
import { project } from '../projects/project.state.ts';
import { redirect } from '../watches/redirect/redirect.decider.ts';
import { uptime } from '../watches/uptime/uptime.state.ts';
import { verdict } from '../checker/verdicts/verdict.state.ts';
import type { Decider } from '../kernel/decider.ts';
import type { EventBody } from '../kernel/event.ts';

export type AnyDecider = Decider<unknown, EventBody>;

/** How the events of a stream become one state, and which snapshots of it are usable. */
export interface Fold {
  readonly name: string;
  /** A hash of the source that folds: a test demands another one after every change, and snapshots of other versions are ignored. */
  readonly version: string;
  readonly decider: AnyDecider;
}

// Cast: a fold is only ever given events of its stream and its own states.
const fold = (name: string, decider: object, version: string): Fold => ({ name, version, decider: decider as AnyDecider });

/** The folds of every kind of stream that can become long, by the first word of its name. */
export const FOLDS: Readonly<Record<string, readonly Fold[]>> = {
  project: [
    fold('project', project, '86592aec8aae'),
    fold('checklist', checklist, '99f0103b4def'),
    fold('maintenance', maintenance, '69048a219426'),
    fold('preferences', preferences, '740d0b47ea9a'),
    fold('badge', badge, '1d8cd8fce3b4'),
    fold('objective', objective, '2e3ca7e5d76d'),
    fold('importedUptime', importedUptime, '0b88e5b279da'),
  ],
  account: [fold('account', account, '5f335fad6ee1')],
  verdict: [fold('verdict', verdict, 'f13d7ac1cb0b')],
  uptime: [fold('uptime', uptime, '81a70bcf1e63')],
  certificate: [fold('certificate', certificate, '2f1cda051c0f')],
  redirect: [fold('redirect', redirect, '129d3149fff0')],
  corrections: [fold('corrections', corrections, 'd2a0af204d8d')],
};

export const foldsOf = (stream: string): readonly Fold[] => FOLDS[stream.slice(0, Math.max(stream.indexOf('-'), 0))] ?? [];

/** The fold of a decider, or those of a pair; null where one has none. */
export function foldsOfDecider(
  stream: string,
  { parts, ...decider }: { readonly evolve: unknown; readonly parts?: readonly object[] },
): readonly Fold[] | null {
  const known = foldsOf(stream);
  const wanted = parts ?? [decider];
  const folds = wanted.flatMap((part) => known.filter((candidate) => candidate.decider.evolve === (part as AnyDecider).evolve));
  return folds.length === wanted.length ? folds : null;
}

/** Several folds of one stream in one pass. */
export const together = (folds: readonly Fold[]): Decider<readonly unknown[], EventBody> => ({
  initial: folds.map(({ decider }) => decider.initial),
  evolve: (states, event) => folds.map(({ decider }, index) => decider.evolve(states[index], event)),
});
