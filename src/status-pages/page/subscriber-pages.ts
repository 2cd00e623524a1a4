import type { StatusColors, StatusPageLanguage } from '../status-page.settings.ts';
import { foreign, Markup as Raw, type Markup, markup } from '../../kernel/markup.ts';
import { itemsOfPage, type StatusPageModel } from '../model.ts';
import { subscriberWordsOf } from '../words/subscriber-words.ts';
import { wordsOf } from '../words/words.ts';
import type { PageReader } from './page-address.ts';
import { type HtmlPage, htmlPage } from './shell.ts';

export type SubscribeProblem = 'wrongEmail' | 'wrongWebhook' | 'wrongForm' | 'tooMany';

export interface SubscribeForm {
  readonly model: Pick<StatusPageModel, 'title' | 'colors' | 'groups'>;
  /** Whether the installation can send mail. */
  readonly hasMail: boolean;
  readonly problem: SubscribeProblem | null;
  /** What the reader typed in a form that was refused. */
  readonly typed: TypedSubscription | null;
}

export interface TypedSubscription {
  readonly kind: 'email' | 'webhook';
  readonly address: string;
  /** Keys of the items. */
  readonly keys: readonly string[];
}

/** The forms that subscribe to a page, which work without script. */
export function subscribePage({ model, hasMail, problem, typed }: SubscribeForm, { language, links }: PageReader): HtmlPage {
  const words = subscriberWordsOf(language);
  const { title, colors } = model;
  const alert = problem === null ? null : markup`<p class="banner" role="alert">${words[problem]}</p>`;
  const items = itemsOfPage(model);
  const isWanted = (kind: string, key: string): boolean => typed?.kind !== kind || typed.keys.includes(key);
  const valueOf = (kind: string): Markup | null => (typed?.kind === kind ? markup` value="${typed.address}"` : null);
  const choice = (kind: string): Markup | null =>
    items.length < 2
      ? null
      : markup`<fieldset><legend>${words.items}</legend>${items.map(
          ({ key, name }) =>
            markup`<label for="${kind}-${key}"><input type="checkbox" id="${kind}-${key}" name="item" value="${key}"${isWanted(kind, key) ? new Raw(' checked') : null}> ${foreign(name)}</label>`,
        )}</fieldset>`;
  const form = (kind: 'email' | 'webhook', label: string, input: Markup): Markup =>
    markup`<form class="stack" method="post" action="${links.to('subscribe')}"><label for="${kind}">${label}</label>${input}${choice(kind)}<button>${words.subscribe}</button></form>`;
  const mail = markup`<h2>${words.byMail}</h2>${form('email', words.email, markup`<input id="email" name="email" type="email" autocomplete="email" maxlength="254"${valueOf('email')} required>`)}`;
  const webhook = markup`<h2>${words.byWebhook}</h2><p class="soft">${words.webhookAbout}</p>${form('webhook', words.webhook, markup`<input id="webhook" name="webhook" type="url" maxlength="1000" placeholder="https://"${valueOf('webhook')} required>`)}`;
  const feeds = markup`<h2>${words.byFeed}</h2><p><a href="${links.file('feed.atom')}">Atom</a> · <a href="${links.file('feed.json')}">JSON</a></p>`;
  const body = markup`<header><p><b>${foreign(title)}</b></p><a href="${links.home()}">${wordsOf(language).backToPage}</a></header>
<main><h1>${words.title(title)}</h1>${alert}<p>${words.about}</p>${hasMail ? mail : null}${webhook}${feeds}</main>`;
  return htmlPage({ language, title: words.title(title), colors, body });
}

/** The same for every address: whether it is subscribed already cannot be seen. `secret`: of a webhook. */
export function signedUpPage(
  { title, colors }: Pick<LinkedPage, 'title' | 'colors'>,
  secret: string | null,
  { language, links }: PageReader,
): HtmlPage {
  const words = subscriberWordsOf(language);
  const key = secret === null ? null : markup`<p>${words.secretAbout} <code>${secret}</code></p>`;
  const body = markup`<main><h1>${words.title(title)}</h1><p>${secret === null ? words.checkMail : words.checkWebhook}</p>${key}<p><a href="${links.home()}">${wordsOf(language).backToPage}</a></p></main>`;
  return htmlPage({ language, title: words.title(title), colors, body });
}

export interface LinkedPage {
  readonly title: string;
  readonly colors: StatusColors;
  /** Null when the link does not say which page. */
  readonly url: string | null;
}

/** A link only shows what it does: programs that open the links of a mail neither confirm nor unsubscribe. */
export function linkPage(kind: 'confirm' | 'leave', action: string, { title, colors }: LinkedPage, language: StatusPageLanguage): HtmlPage {
  const words = subscriberWordsOf(language);
  const [heading, about, button] =
    kind === 'confirm' ? [words.confirmTitle, words.confirmAbout(title), words.confirm] : [words.leaveTitle, words.leaveAbout, words.leave];
  const body = markup`<main><h1>${heading}</h1><p>${about}</p><form method="post" action="${action}"><button>${button}</button></form></main>`;
  return htmlPage({ language, title: heading, colors, body });
}

export function linkDonePage(
  said: 'confirmed' | 'left' | 'linkInvalid' | 'full',
  { title, colors, url }: LinkedPage,
  language: StatusPageLanguage,
): HtmlPage {
  const words = subscriberWordsOf(language);
  const sentence = said === 'confirmed' ? words.confirmed(title) : words[said];
  const back = url === null ? null : markup`<p><a href="${url}">${wordsOf(language).backToPage}</a></p>`;
  const body = markup`<main><h1>${sentence}</h1>${back}</main>`;
  return htmlPage({ language, title: sentence, colors, body });
}
