import { account } from '../../domain/account/account.ts';
import { badge } from '../../domain/badge/badge.ts';
import { certificate } from '../../domain/certificate/certificate.ts';
import { checklist } from '../../domain/check/checklist.ts';
import { corrections } from '../../domain/check/correction.ts';
import { maintenance } from '../../domain/maintenance/maintenance.ts';
import { preferences } from '../../domain/preference/preferences.ts';
import { importedUptime } from '../../domain/imported-uptime/imported-uptime.ts';
import { objective } from '../../domain/objective/objective.ts';
import { project } from '../../domain/project/project.ts';
import { redirect } from '../../domain/redirect/redirect.ts';
import { uptime } from '../../domain/uptime/uptime.ts';
import { verdict } from '../../domain/verdict/verdict.ts';
import type { Decider } from '../../kernel/decider.ts';
import type { EventBody } from '../../kernel/event.ts';

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
    fold('project', project, '1a0219211f36'),
    fold('checklist', checklist, '36c959e13369'),
    fold('maintenance', maintenance, 'b4d525bd8676'),
    fold('preferences', preferences, 'b772a9a3d498'),
    fold('badge', badge, 'c775b507cc10'),
    fold('objective', objective, '91eaea000672'),
    fold('importedUptime', importedUptime, 'ffc3b87b8acf'),
  ],
  account: [fold('account', account, 'cfb11485eb37')],
  verdict: [fold('verdict', verdict, 'c686c71fddee')],
  uptime: [fold('uptime', uptime, '2fbd0ad63479')],
  certificate: [fold('certificate', certificate, 'aaf2ad8aae6d')],
  redirect: [fold('redirect', redirect, 'd641273b4075')],
  corrections: [fold('corrections', corrections, 'e096770f50ad')],
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
