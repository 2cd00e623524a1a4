import { capitalized } from '../parts/words.ts';

/** Names of checks, groups, members and service accounts by the path of a comparison, such as `tests/64f0…`. */
export type NamesByPath = ReadonlyMap<string, string>;

/** `tests/64f0….status.lastRun` as `Check Homepage: last run`. */
export function thingOf(path: string, names: NamesByPath): string {
  const [whole = path, fields = ''] = /^([^.]+)\.(.+)$/.exec(path)?.slice(1) ?? [];
  const name = whole === 'project' ? '' : (names.get(whole) ?? whole);
  const field = fields
    .replace(/^status\./, '')
    .split('.')
    .map(spoken)
    .join(', ');
  const words = [name, field].filter((part) => part !== '').join(': ');
  return words === whole ? words : capitalized(words);
}

/** Names that only programs know. */
const WORDS: Readonly<Record<string, string>> = {
  url: 'address',
  sslExpiration: 'end of the certificate',
  sslStatus: 'certificate',
  sslAlertPeriod: 'days before the end of the certificate from which it warns',
  sslError: 'what is wrong with the certificate',
  uptimeEnabled: 'seconds between probes',
  uptimeUrl: 'address of the probes',
  httpsRedirectStatus: 'redirect to https',
  httpsRedirectFinalUrl: 'where the redirect to https ends',
  isWordPress: 'WordPress',
  isPayer: 'owner',
  areaId: 'group',
};

/** `lastRun` as `last run`. */
export const spoken = (name: string): string => WORDS[name] ?? name.replace(/[A-Z]/g, (letter) => ` ${letter.toLowerCase()}`);
