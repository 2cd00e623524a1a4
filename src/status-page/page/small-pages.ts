import { noColors, type StatusPageLanguage } from '../../domain/status-page/settings.ts';
import { markup } from '../../statement/page/markup.ts';
import { momentOf, wordsOf } from '../words/words.ts';
import type { PageReader } from './page-address.ts';
import { type HtmlPage, htmlPage } from './shell.ts';

/** For every slug that is not public: whether it exists cannot be seen. */
export function lockedPage({ language, links }: PageReader, isRefused: boolean): HtmlPage {
  const words = wordsOf(language);
  const refusal = isRefused ? markup`<p class="banner" role="alert">${words.passwordWrong}</p>` : null;
  const body = markup`<main><h1>${words.passwordTitle}</h1><p>${words.passwordAbout}</p>${refusal}<form method="post" action="${links.to('password')}"><label for="password">${words.passwordField}</label><input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required><button>${words.open}</button></form><p>${words.membersAbout} <a href="/console">${words.signIn}</a> · <a href="${links.home()}">${words.openAgain}</a></p></main>`;
  return htmlPage({ language, title: words.passwordTitle, colors: noColors, body });
}

/** The record cannot be read, and nothing of the page is in memory. */
export function unavailablePage(language: StatusPageLanguage): HtmlPage {
  const words = wordsOf(language);
  const body = markup`<main><h1>${words.unavailableTitle}</h1><p>${words.unavailableAbout}</p></main>`;
  return htmlPage({ language, title: words.unavailableTitle, colors: noColors, body });
}

/** An instant before the page existed, or one that cannot be read. */
export function noInstantPage(
  { language, links }: PageReader,
  said: { readonly beginning: number } | { readonly problem: string },
): HtmlPage {
  const words = wordsOf(language);
  const sentence = 'beginning' in said ? words.notYet(momentOf(said.beginning, words)) : said.problem;
  const body = markup`<main><h1>${sentence}</h1><p><a href="${links.home()}">${words.backToNow}</a></p></main>`;
  return htmlPage({ language, title: sentence, colors: noColors, body });
}
