import type { StatusPageLanguage } from '../status-page.settings.ts';
import { subscriberWordsOf } from '../words/subscriber-words.ts';
import { listOfNames, momentOf, wordsOf } from '../words/words.ts';
import { FAINT, mailPage, unlinked } from '../../platform/mail/html.ts';
import { escaped } from '../../kernel/markup.ts';
import { oneLine } from '../../alerts/composing/words.ts';
import type { StatusNotice } from './status-notice.ts';
import type { SignUp } from './subscriber-links.ts';

const LONGEST_SUBJECT = 200;

/** The page that a message is about: its title, and its address. */
export interface MessagePage {
  readonly title: string;
  readonly url: string;
}

interface ComposedMail {
  readonly subject: string;
  readonly text: string;
  readonly html?: string;
}

/** Composes a mail in which nothing but the link becomes one, because anyone can give a page any title. */
export function composeConfirmation(title: string, link: string, { language, expiresAt }: SignUp): ComposedMail {
  const words = subscriberWordsOf(language);
  const shown = unlinked(oneLine(title, 100));
  const text = `${words.mailConfirm(shown, momentOf(expiresAt, wordsOf(language)))}\n\n${link}\n\n${words.mailIgnore}\n`;
  return { subject: words.mailConfirmSubject(shown), text };
}

interface Said {
  readonly heading: string;
  readonly lines: readonly string[];
  /** The fragment of the page's address. */
  readonly fragment: string;
}

function saidIn(notice: StatusNotice, language: StatusPageLanguage): Said {
  const [words, page] = [subscriberWordsOf(language), wordsOf(language)];
  if (notice.about === 'incident') {
    const about = notice.names.length === 0 ? [] : [notice.names.join(', ')];
    const heading = `${notice.title}: ${page.incidentStates[notice.state]}`;
    return { heading, lines: [notice.text, ...about], fragment: `#${notice.incidentId}` };
  }
  const [from, to] = [momentOf(Date.parse(notice.from), page), momentOf(Date.parse(notice.to), page)];
  const names = listOfNames(notice.names, page);
  if (notice.about === 'cancelled')
    return { heading: words.cancelledSubject(names), lines: [words.cancelled(from, to, names)], fragment: '' };
  const repeat = notice.repeat === null ? [] : [words.repeats[notice.repeat]];
  return { heading: words.plannedSubject(names), lines: [words.planned(from, to, names), ...repeat], fragment: '' };
}

export function composeStatusMail(notice: StatusNotice, page: MessagePage, leave: string, language: StatusPageLanguage): ComposedMail {
  const words = subscriberWordsOf(language);
  const { heading, lines, fragment } = saidIn(notice, language);
  const url = `${page.url}${fragment}`;
  const text = `${[...lines, url].join('\n\n')}\n\n-- \n${words.mailFoot(page.title)}\n${words.mailLeave}: ${leave}\n`;
  const html = mailPage(
    [
      `<h2>${escaped(heading)}</h2>`,
      ...lines.map((line) => `<p style="white-space:pre-line">${escaped(line)}</p>`),
      `<p><a href="${escaped(url)}">${escaped(url)}</a></p>`,
      `<p style="${FAINT}">${escaped(words.mailFoot(page.title))} <a href="${escaped(leave)}">${words.mailLeave}</a></p>`,
    ],
    language,
  );
  return { subject: oneLine(`[${page.title}] ${heading}`, LONGEST_SUBJECT), text, html };
}

export const webhookConfirmation = ({ title, url }: MessagePage, confirm: string, expiresAt: number, at: number): string =>
  JSON.stringify({
    type: 'subscription.confirm',
    timestamp: new Date(at).toISOString(),
    data: { page: { title, url }, confirm, expiresAt: new Date(expiresAt).toISOString() },
  });

export function webhookNotice(notice: StatusNotice, { title, url }: MessagePage, leave: string, at: number): string {
  const { about, names, ...facts } = notice;
  const type =
    about === 'incident'
      ? notice.isFirst
        ? 'incident.published'
        : 'incident.updated'
      : about === 'planned'
        ? 'work.planned'
        : 'work.cancelled';
  return JSON.stringify({
    type,
    timestamp: new Date(at).toISOString(),
    data: { page: { title, url }, ...facts, items: names, unsubscribe: leave },
  });
}
