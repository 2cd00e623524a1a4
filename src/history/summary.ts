import type { LogEvent } from '../kernel/event.ts';
import { catalogue, type Events, isKnown, upcast } from '../events.ts';
import { accountSentences, systemSentences } from './sentences/account.sentences.ts';
import { areaSentences, checkSentences, correctionSentences, jobSentences, verdictSentences } from './sentences/check.sentences.ts';
import {
  badgeSentences,
  importedUptimeSentences,
  maintenanceSentences,
  notificationSentences,
  objectiveSentences,
  preferenceSentences,
  projectSentences,
} from './sentences/project.sentences.ts';
import type { ObjectNames, Sentences } from './sentences/sentence.ts';
import { statementSentences } from '../proof/statement/statement.sentences.ts';
import { incidentSentences, statusPageSentences } from '../status-pages/status-page.sentences.ts';
import { destinationSentences } from '../streams/destinations/destination.sentences.ts';
import {
  accessSentences,
  certificateSentences,
  daysSentences,
  probeSentences,
  redirectSentences,
  uptimeSentences,
} from './sentences/watch.sentences.ts';

const sentences: Sentences<Events> = {
  ...projectSentences,
  ...preferenceSentences,
  ...maintenanceSentences,
  ...badgeSentences,
  ...objectiveSentences,
  ...importedUptimeSentences,
  ...destinationSentences,
  ...notificationSentences,
  ...areaSentences,
  ...checkSentences,
  ...correctionSentences,
  ...jobSentences,
  ...verdictSentences,
  ...accountSentences,
  ...systemSentences,
  ...probeSentences,
  ...uptimeSentences,
  ...certificateSentences,
  ...redirectSentences,
  ...daysSentences,
  ...accessSentences,
  ...statementSentences,
  ...statusPageSentences,
  ...incidentSentences,
};

export type SentenceEvent = Pick<LogEvent, 'type' | 'version' | 'data'>;

/** Computed at reading, so that better wording applies to old events, too. Unreadable events are shown by type, never dropped. */
export function summaryOf(event: SentenceEvent, names: ObjectNames): string {
  if (!isKnown(event.type)) return `${event.type} (of an older version)`;
  const unreadable = `${event.type} (of version ${String(event.version)}, which cannot be read here)`;
  if (event.version > catalogue[event.type].version) return unreadable;
  // The type says which data it is; the compiler cannot follow that through the table.
  const sentence = sentences[event.type] as (data: object, names: ObjectNames) => string;
  try {
    return sentence(upcast(event).data, names);
  } catch {
    return unreadable;
  }
}
