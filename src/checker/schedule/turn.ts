import type { Recurrence } from '../../kernel/recurrence.ts';
import type { WatchedProject } from '../projects/watched-projects.ts';

/** `confirm`: the second run that confirms a failure. `again`: a run that was missed or inconclusive. */
export type TurnKind = 'area' | 'confirm' | 'again' | 'uptime' | 'uptime-again' | 'certificate' | 'redirect' | 'homepage';

/** Identifies what is scheduled; at most one turn per key is planned at a time. */
export interface TurnKey {
  readonly kind: TurnKind;
  readonly projectId: string;
  /** The area or the check; null for a turn of the whole project. */
  readonly subjectId: string | null;
}

/** A scheduled slot of work. */
export interface Turn extends TurnKey {
  /** When it should start, in milliseconds. */
  readonly due: number;
}

export interface RecurringTurn extends Recurrence {
  readonly turn: TurnKey;
}

/** The recurring turns that the settings of a project ask for. */
export type RecurringTurnsOf = (project: WatchedProject) => readonly RecurringTurn[];

export const turnId = ({ kind, projectId, subjectId }: TurnKey): string => `${kind} ${projectId} ${subjectId ?? ''}`;
