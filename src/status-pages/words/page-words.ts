import type { IncidentState, StatusPageLanguage } from '../status-page.settings.ts';
import type { ItemState } from '../../watches/uptime/shown-state.ts';

/** Every sentence of a status page in one language. Names are given as they stand in the settings. */
export interface PageWords {
  readonly language: StatusPageLanguage;
  /** The name of the language in itself. */
  readonly name: string;
  readonly status: string;
  readonly subscribe: string;
  readonly states: Readonly<Record<ItemState, string>>;
  readonly incidentStates: Readonly<Record<IncidentState, string>>;
  readonly everythingWorks: string;
  readonly nothingKnown: string;
  readonly everythingFails: string;
  fail(names: string, count: number): string;
  notMeasured(names: string): string;
  plannedOn(names: string): string;
  incidentsOpen(count: number): string;
  /** After it. */
  readonly allMeasuredWell: string;
  readonly restWorks: string;
  asOf(time: string): string;
  /** The page of a past instant. */
  past(time: string): string;
  readonly backToNow: string;
  readonly backToPage: string;
  firstFailing(measured: string, recorded: string, delay: string): string;
  recordedLater(delay: string): string;
  /** Says how long after its first failing measurement an incident was published. */
  saidAfter(said: string, delay: string, measured: string): string;
  readonly earlier: string;
  readonly later: string;
  readonly anyDay: string;
  seconds(count: number): string;
  failingSince(time: string, duration: string): string;
  unknownSince(time: string): string;
  plannedUntil(time: string): string;
  edited(time: string): string;
  readonly wordingBefore: string;
  readonly incidents: string;
  readonly pastIncidents: string;
  readonly noIncidents: string;
  readonly planned: string;
  readonly today: string;
  readonly hatched: string;
  readonly otherTime: string;
  readonly showInstant: string;
  readonly instantField: string;
  readonly utc: string;
  barOf(name: string, up: string, failing: number, unknown: number): string;
  dayFailed(day: string, duration: string): string;
  dayUnknown(day: string, duration: string): string;
  dayPlanned(day: string, duration: string): string;
  readonly noFigure: string;
  readonly record: string;
  /** Stands above the events of an item. */
  readonly recordAbout: string;
  readonly recordOfIncidents: string;
  readonly recordedAt: string;
  readonly event: string;
  readonly position: string;
  readonly hash: string;
  readonly dayClosed: string;
  readonly incidentEvents: { readonly [kind in 'published' | 'updated' | 'edited']: string };
  readonly sealed: string;
  /** A file for programs that check the page. */
  readonly badge: string;
  readonly proofs: string;
  stale(time: string): string;
  readonly passwordTitle: string;
  readonly passwordAbout: string;
  readonly passwordField: string;
  readonly passwordWrong: string;
  readonly membersAbout: string;
  readonly signIn: string;
  readonly openAgain: string;
  readonly open: string;
  readonly unavailableTitle: string;
  readonly unavailableAbout: string;
  readonly notYet: string;
  beginning(time: string): string;
  readonly noSuchInstant: string;
  readonly instantForm: string;
  draftTitle(name: string): string;
  draftText(time: string): string;
  resolvedText(time: string): string;
  readonly and: string;
  minutes(count: number): string;
  hours(count: number, minutes: number): string;
  days(count: number, hours: number): string;
  /** For `Intl`. */
  readonly locale: string;
}
