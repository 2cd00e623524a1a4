import { noColors, type StatusPageLanguage } from '../status-page.settings.ts';
import { markup } from '../../kernel/markup.ts';
import { momentOf, wordsOf } from '../words/words.ts';
import { asInstant, type PageReader } from './page-address.ts';
import { type HtmlPage, htmlPage } from './shell.ts';

/** For every slug that is not public: whether it exists cannot be seen. */
export function lockedPage({ language, links }: PageReader, isRefused: boolean): HtmlPage {
  const words = wordsOf(language);
  const refusal = isRefused ? markup`<p class="banner" role="alert">${words.passwordWrong}</p>` : null;
  const body = markup`<main><h1>${words.passwordTitle}</h1><p>${words.passwordAbout}</p>${refusal}<form method="post" action="${links.to('password')}"><label for="password">${words.passwordField}</label><input id="password" name="password" type="password" autocomplete="current-password" maxlength="200" required><button>${words.open}</button></form><p>${words.membersAbout} <a href="${links.signIn()}">${words.signIn}</a> · <a href="${links.home()}">${words.openAgain}</a></p></main>`;
  return htmlPage({ language, title: words.passwordTitle, colors: noColors, body });
}

/** The record cannot be read, and nothing of the page is in memory. */
export function unavailablePage(language: StatusPageLanguage): HtmlPage {
  const words = wordsOf(language);
  const body = markup`<main><h1>${words.unavailableTitle}</h1><p>${words.unavailableAbout}</p></main>`;
  return htmlPage({ language, title: words.unavailableTitle, colors: noColors, body });
}

/** An instant before the page existed, which begins then, or one that is no instant of the past. */
export function noInstantPage({ language, links }: PageReader, problem: { readonly beginning: number } | 'invalid'): HtmlPage {
  const words = wordsOf(language);
  const [title, about] = problem === 'invalid' ? [words.noSuchInstant, words.instantForm] : [words.notYet, null];
  const first = problem === 'invalid' ? null : problem.beginning;
  const beginning =
    first === null ? null : markup`<a href="${links.home(asInstant(first))}">${words.beginning(momentOf(first, words))}</a> · `;
  const body = markup`<main><h1>${title}</h1><p>${about}</p><p>${beginning}<a href="${links.home()}">${words.backToNow}</a></p></main>`;
  return htmlPage({ language, title, colors: noColors, body });
}
