import type { TimePhase } from '../../../projects/checks/rule-type.ts';
import { ofNumber } from '../comparers.ts';
import { type RuleRow, textRow } from '../rule-row.ts';

const LABELS: Readonly<Record<TimePhase, string>> = {
  dns: 'the DNS lookup',
  connect: 'the connection time',
  tls: 'the TLS handshake',
  request: 'the time to send the request',
  wait: 'the time to the first byte',
  download: 'the download time',
};

/** Milliseconds to a tenth, as they are stored with the run. */
const tenths = (milliseconds: number): string => String(Math.round(milliseconds * 10) / 10);

/** `time` and `time:<phase>`: milliseconds of the run, over all redirects. */
export function timeRow(phase: string | null): RuleRow {
  const name = phase as TimePhase | null;
  return textRow(
    `${name === null ? 'the response time' : LABELS[name]} in ms`,
    'no time',
    ({ timing }) => ({ values: timing === undefined ? [] : [tenths(timing[name ?? 'total'])] }),
    { comparers: ofNumber, reads: 'timing' },
  );
}
