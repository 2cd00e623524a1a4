import { duration, localTime, oneLine } from './words.ts';
import type { Item, Message } from './message.ts';

/** What a message says, for every channel: they only differ in how it is set. */
export interface Composed {
  readonly title: string;
  /** One sentence or two for each thing told. */
  readonly lines: readonly string[];
}

const SHOWN_FAILURES = 3;
const LONGEST_LINE = 600;

export function compose(message: Message): Composed {
  const { kind, project, items } = message;
  const title = oneLine(project.title, 120);
  if (kind === 'test') return { title: `${title}: test message`, lines: ['This is a test. Messages of Watchledger arrive here.'] };
  const lines = items.map((item) => oneLine(sentences[kind](item, message), LONGEST_LINE));
  return { title: titleOf(message, title), lines };
}

function titleOf({ kind, items }: Message, project: string): string {
  const [first] = items;
  if (items.length !== 1 || first === undefined)
    return `${project}: ${String(items.length)} ${kind === 'problem' ? 'problems' : 'recoveries'}`;
  const verb = kind === 'problem' ? verbOf(first) : kind === 'recovery' ? 'is well again' : 'is watched no longer';
  return `${project}: ${oneLine(what(first), 80)} ${verb}`;
}

const verbOf = ({ about, status }: Item): string => {
  if (about === 'certificate' || about === 'redirect') return 'needs attention';
  return status === 'timeout' ? 'timed out' : about === 'uptime' ? 'is down' : 'failed';
};

const what = ({ about, name, url }: Item): string => {
  if (about === 'check') return `check ${name === '' ? url : name}`;
  return about === 'uptime' ? `the site ${url}` : about === 'certificate' ? 'the certificate' : 'the redirect to https';
};

function problem(item: Item, { zone }: Message): string {
  const { failures, milliseconds, location, since } = item;
  const more = failures.length > SHOWN_FAILURES ? `, and ${String(failures.length - SHOWN_FAILURES)} more` : '';
  const found = `${failures.slice(0, SHOWN_FAILURES).join('; ')}${more}`;
  const after = milliseconds === undefined ? '' : ` after ${(milliseconds / 1000).toFixed(1)} s`;
  return `${capital(what(item))} ${verbOf(item)}: ${found}${after} from ${location}. Since ${localTime(since, zone)}.`;
}

function recovery(item: Item, { zone }: Message): string {
  const { about, failures, since, until = item.at, location } = item;
  const evidence = failures.length === 0 ? '' : `: ${failures.join('; ')}`;
  const lasted =
    about === 'check' || about === 'uptime' ? ` It had failed for ${duration(since, until)}, since ${localTime(since, zone)}.` : '';
  return `${capital(what(item))} is well again${evidence}, seen from ${location} at ${localTime(until, zone)}.${lasted}`;
}

const withdrawal = (item: Item): string => `${capital(what(item))} is watched no longer.`;

const sentences = { problem, recovery, withdrawal } as const;

const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;
