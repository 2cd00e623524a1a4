import type { Restored, RestoreOrder } from '../../backup/restore-order.ts';
import type { CliOutput } from '../command.ts';

export const checked = (data: RestoreOrder['data'], keys: RestoreOrder['keys']): string =>
  [
    `Whole: ${String(data.head.events)} events of ${data.head.origin} as of ${data.head.takenAt}, made by version ${data.head.program}.`,
    `The keys are as of ${keys.head.takenAt}.`,
  ].join('\n');

export const words = ({ data }: RestoreOrder, { events, lost, erasing }: Restored): string =>
  [
    `Restored: ${String(events)} events of ${data.head.origin} as of ${data.head.takenAt}.`,
    ...(lost === null
      ? []
      : [
          `${String(lost.from - lost.to)} events that were sealed later, from ${String(lost.to)} on, are lost; the log says so where everybody can read it.`,
        ]),
    ...(erasing.length === 0 ? [] : [`Erased again within a minute of the next start: account ${erasing.join(', ')}.`]),
  ].join('\n');

/** What the files cannot know. */
export function advise({ data, keys }: RestoreOrder, { say }: CliOutput): void {
  say(`Accounts erased after ${keys.head.takenAt} are back unless --erased named them: erase them again.`);
  if (data.head.engine === 'kurrentdb') say('What the event store holds beyond the backup comes from there when the service starts.');
  else say(`What happened after ${data.head.takenAt} is not there. Start the service, then: watchledger verify, watchledger replay`);
}
