import { shortened } from '../../kernel/text.ts';
import { duration, localTime, oneLine } from './words.ts';
import { unlinked } from '../../platform/mail/html.ts';
import type { Message, MessageItem } from './message.ts';

/** The wording of a message; channels only differ in markup. */
export interface Composed {
  readonly title: string;
  /** One or two sentences per item. */
  readonly lines: readonly string[];
}

/** The address of the evidence of each line; null where a line has none. */
export const evidenceOf = ({ items }: Message): readonly (string | null)[] => items.map(({ evidence = null }) => evidence);

/** Plain text with the evidence below each line, for channels that link addresses themselves. The addresses are ours. */
export const withEvidence = (lines: readonly string[], message: Message): readonly string[] => {
  const evidence = evidenceOf(message);
  return lines.map((line, index) => [line, ...(evidence[index] ? [`Evidence: ${evidence[index]}`] : [])].join('\n'));
};

/** The same in a bounded number of characters: a text that is too long keeps the evidence of its first line. */
export function textWithEvidence(lines: readonly string[], message: Message, longest: number): string {
  const plain = lines.map(unlinked);
  const whole = withEvidence(plain, message).join('\n');
  if (whole.length <= longest) return whole;
  const [first] = evidenceOf(message);
  const end = first == null ? '' : `\nEvidence: ${first}`;
  return shortened(plain.join('\n'), longest - end.length) + end;
}

const SHOWN_FAILURES = 3;
const MAX_LINE = 600;

export function compose(message: Message): Composed {
  const { kind, project, items } = message;
  const title = oneLine(project.title, 120);
  if (kind === 'test') return { title: `${title}: test message`, lines: ['This is a test. Watchledger messages arrive here.'] };
  const lines = items.map((item) => oneLine(sentences[kind](item, message), MAX_LINE));
  return { title: titleOf(message, title), lines };
}

function titleOf({ kind, items }: Message, project: string): string {
  const [first] = items;
  if (items.length !== 1 || first === undefined)
    return `${project}: ${String(items.length)} ${kind === 'problem' ? 'problems' : 'recoveries'}`;
  const verb = kind === 'problem' ? verbOf(first) : kind === 'recovery' ? 'has recovered' : 'is no longer monitored';
  return `${project}: ${oneLine(what(first), 80)} ${verb}`;
}

const verbOf = ({ about, status }: MessageItem): string => {
  if (about === 'certificate' || about === 'redirect') return 'needs attention';
  return status === 'timeout' ? 'timed out' : about === 'uptime' ? 'is down' : 'failed';
};

const what = ({ about, name, url }: MessageItem): string => {
  if (about === 'check') return `check ${name === '' ? url : name}`;
  return about === 'uptime' ? `the site ${url}` : about === 'certificate' ? 'the certificate' : 'the redirect to https';
};

function problem(item: MessageItem, { zone }: Message): string {
  const { failures, milliseconds, location, since } = item;
  const more = failures.length > SHOWN_FAILURES ? `, and ${String(failures.length - SHOWN_FAILURES)} more` : '';
  const found = `${failures.slice(0, SHOWN_FAILURES).join('; ')}${more}`;
  const after = milliseconds === undefined ? '' : ` after ${(milliseconds / 1000).toFixed(1)} s`;
  return `${capital(what(item))} ${verbOf(item)}: ${found}${after} from ${location}. Since ${localTime(since, zone)}.`;
}

function recovery(item: MessageItem, { zone }: Message): string {
  const { about, failures, since, until = item.at, location } = item;
  const evidence = failures.length === 0 ? '' : `: ${failures.join('; ')}`;
  const lasted =
    about === 'check' || about === 'uptime' ? ` It had failed for ${duration(since, until)}, since ${localTime(since, zone)}.` : '';
  return `${capital(what(item))} has recovered${evidence}, measured from ${location} at ${localTime(until, zone)}.${lasted}`;
}

const withdrawal = (item: MessageItem): string => `${capital(what(item))} is no longer monitored.`;

const sentences = { problem, recovery, withdrawal } as const;

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
