import type { StatusPageLanguage } from '../status-page.settings.ts';
import { cs } from './cs.ts';
import { de } from './de.ts';
import { en } from './en.ts';
import type { PageWords } from './page-words.ts';

const table: Readonly<Record<StatusPageLanguage, PageWords>> = { en, de, cs };

export const wordsOf = (language: StatusPageLanguage): PageWords => table[language];

/** The language of the page that suits `?lang=` or `Accept-Language` best; else its first. */
export function chooseLanguage(offered: readonly StatusPageLanguage[], asked: unknown, accept: string | undefined): StatusPageLanguage {
  const [first = 'en'] = offered;
  const wanted = offered.find((language) => language === asked);
  if (wanted !== undefined) return wanted;
  const ranked = (accept ?? '')
    .slice(0, 500)
    .split(',')
    .map((part, index) => {
      const [tag = '', ...parameters] = part.trim().split(';');
      const quality = Number(/^\s*q=([\d.]+)/.exec(parameters.join(';'))?.[1] ?? 1);
      return { language: tag.slice(0, 2).toLowerCase(), quality: Number.isNaN(quality) ? 0 : quality, index };
    })
    .filter(({ quality }) => quality > 0)
    .sort((one, other) => other.quality - one.quality || one.index - other.index);
  for (const { language } of ranked) {
    const found = offered.find((one) => one === language);
    if (found !== undefined) return found;
  }
  return first;
}

/** `A`, `A and B`, `A, B and C`. */
export const listOfNames = (names: readonly string[], { and }: PageWords): string =>
  names.length < 2 ? (names[0] ?? '') : `${names.slice(0, -1).join(', ')} ${and} ${names.at(-1) ?? ''}`;

/** Rounded down to minutes, and from two days on to hours. */
export function durationIn(milliseconds: number, words: PageWords): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 120) return words.minutes(minutes);
  const hours = Math.floor(minutes / 60);
  return hours < 48 ? words.hours(hours, minutes % 60) : words.days(Math.floor(hours / 24), hours % 24);
}

/** With seconds where they matter: how long the service took to say something. */
export const delayIn = (milliseconds: number, words: PageWords): string =>
  milliseconds < 120_000 ? words.seconds(Math.max(0, Math.round(milliseconds / 1_000))) : durationIn(milliseconds, words);

const formats = new Map<string, Intl.DateTimeFormat>();

function format(kind: 'time' | 'clock' | 'moment' | 'date' | 'day', locale: string): Intl.DateTimeFormat {
  const key = `${kind} ${locale}`;
  const known = formats.get(key);
  if (known !== undefined) return known;
  const day = { day: 'numeric', month: 'long' } as const;
  const clock = { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' } as const;
  const options: Intl.DateTimeFormatOptions = {
    day,
    clock,
    time: { ...clock, second: '2-digit' as const },
    date: { ...day, year: 'numeric' as const },
    moment: { ...day, year: 'numeric' as const, ...clock },
  }[kind];
  const made = new Intl.DateTimeFormat(locale, { timeZone: 'UTC', ...options });
  formats.set(key, made);
  return made;
}

/** `14:21:07` */
export const timeOf = (at: number, { locale }: PageWords): string => format('time', locale).format(at);
/** `14:21` */
export const minuteOf = (at: number, { locale }: PageWords): string => format('clock', locale).format(at);
/** `23 November 2026 at 14:21` */
export const momentOf = (at: number, { locale }: PageWords): string => format('moment', locale).format(at);
/** `23 November 2026` */
export const dateOf = (at: number, { locale }: PageWords): string => format('date', locale).format(at);
/** `24 August` */
export const dayOf = (at: number, { locale }: PageWords): string => format('day', locale).format(at);

/** At most two decimals, rounded down: 100 % stands only where nothing failed. */
export const percentIn = (percent: number, { locale }: PageWords): string =>
  `${(Math.floor(percent * 100) / 100).toLocaleString(locale, { minimumFractionDigits: 2, maximumFractionDigits: 2 })} %`;
