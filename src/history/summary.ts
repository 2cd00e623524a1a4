import type { LogEvent } from '../kernel/event.ts';
import { catalogue, type Events, isKnown, upcast } from '../events.ts';
import { accessSentences, accountSentences } from '../accounts/account.sentences.ts';
import { notificationSentences, preferenceSentences } from '../alerts/alerts.sentences.ts';
import { correctionSentences, jobSentences, probeSentences, verdictSentences } from '../checker/checker.sentences.ts';
import type { ObjectNames, Sentences } from '../kernel/sentence.ts';
import { badgeSentences } from '../overview/badge/badge.sentences.ts';
import { areaSentences, checkSentences } from '../projects/checks/check.sentences.ts';
import { maintenanceSentences, objectiveSentences, projectSentences } from '../projects/project.sentences.ts';
import { statementSentences } from '../proof/statement/statement.sentences.ts';
import { incidentSentences, statusPageSentences } from '../status-pages/status-page.sentences.ts';
import { destinationSentences } from '../streams/destinations/destination.sentences.ts';
import {
  certificateSentences,
  daysSentences,
  importedUptimeSentences,
  redirectSentences,
  uptimeSentences,
} from '../watches/watches.sentences.ts';
import { systemSentences } from './system.sentences.ts';

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
