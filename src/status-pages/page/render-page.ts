import { foreign, Markup, markup } from '../../kernel/markup.ts';
import { itemsOfPage, type ItemStatus, type ShownIncident, type StatusPageModel } from '../model.ts';
import type { PageWords } from '../words/page-words.ts';
import { minuteOf, dayOf, delayIn, durationIn, listOfNames, momentOf, percentIn, timeOf, wordsOf } from '../words/words.ts';
import { barPatterns, barsOf } from './bars.ts';
import { marksOf, timeLine, timeSteps } from './time-line.ts';
import { asInstant, PageLinks, statusPathOf } from './page-address.ts';
import { type HtmlPage, htmlPage } from './shell.ts';
import { SHOWN_DAY, SHOWN_DAYS, firstDayAt, type ItemState, utcMidnight } from '../../watches/uptime/shown-state.ts';

type AddressedPage = StatusPageModel & { readonly links: PageLinks };

/** The first line of the page: its answer. */
export function firstSentenceOf(page: Pick<StatusPageModel, 'groups' | 'incidents'>, words: PageWords): string {
  const items = itemsOfPage(page);
  const open = openIncidentsOf(page).length;
  const named = (state: ItemState): readonly string[] => items.flatMap((item) => (item.state === state ? [item.name] : []));
  const [failing, unknown, planned] = [named('failing'), named('unknown'), named('maintenance')];
  if (failing.length === items.length && items.length > 1) return words.everythingFails;
  if (unknown.length === items.length) return words.nothingKnown;
  const said = [
    ...(failing.length > 0 ? [words.fail(listOfNames(failing, words), failing.length)] : []),
    ...(unknown.length > 0 ? [words.notMeasured(listOfNames(unknown, words))] : []),
    ...(planned.length > 0 ? [words.plannedOn(listOfNames(planned, words))] : []),
  ];
  // What people report counts although the measurements show nothing of it.
  if (open > 0 && failing.length === 0)
    return [words.incidentsOpen(open), ...(said.length === 0 ? [words.allMeasuredWell] : said)].join(' ');
  if (said.length === 0) return words.everythingWorks;
  return [...said, ...(named('working').length > 0 ? [words.restWorks] : [])].join(' ');
}

export const openIncidentsOf = ({ incidents }: Pick<StatusPageModel, 'incidents'>): readonly ShownIncident[] =>
  incidents.filter(({ state }) => state !== 'resolved');

/** Shape first, colour second. */
const GLYPHS: Readonly<Record<ItemState, Markup>> = {
  working: new Markup('<path d="M1 6.5l3 3 7-7" fill="none" stroke="currentColor" stroke-width="2"/>'),
  failing: new Markup('<path d="M6 0l6 11H0z" fill="currentColor"/>'),
  maintenance: new Markup('<path d="M2 1h3v10H2zM7 1h3v10H7z" fill="currentColor"/>'),
  unknown: new Markup('<circle cx="6" cy="6" r="4.5" fill="none" stroke="currentColor" stroke-width="2" stroke-dasharray="3 2"/>'),
};

interface RenderOptions {
  /** What it says could not be read again since then. */
  readonly staleSince?: number | null;
  readonly links?: PageLinks;
  /** The page as it is now, whose line of time a page of the past shows. */
  readonly present?: StatusPageModel;
}

export function renderStatusPage(
  page: StatusPageModel,
  language: StatusPageModel['languages'][number],
  { staleSince = null, links = new PageLinks(statusPathOf(page.slug)), present = page }: RenderOptions = {},
): HtmlPage {
  const [model, words] = [{ ...page, links }, wordsOf(language)];
  const items = itemsOfPage(model);
  const failing = items.filter(({ state }) => state === 'failing');
  const { title, colors, access } = model;
  const sentence = firstSentenceOf(model, words);
  // Messages would leave the circle of those who may see a page for members.
  const subscribe = access === 'members' ? null : markup`<a class="button" href="${links.to('subscribe')}">${words.subscribe}</a>`;
  const body = markup`<header><p><b>${foreign(title)}</b> ${words.status}</p>${subscribe}</header>
<main>
${bannerOf(model, words, staleSince)}<h1${failing.length > 0 ? new Markup(' class="failing"') : null}>${sentence}</h1>
<p class="soft">${words.asOf(timeOf(model.at, words))}${firstRecorded(failing, model.at, words)}</p>
${model.words.about === '' ? null : markup`<p class="pre">${model.words.about}</p>`}
${openIncidents(model, words)}${model.groups.map((group) => groupSection(group, model, words))}
${scale(model, words)}${plannedSection(model, words)}${pastIncidents(model, words)}${otherTimes(model, present, words)}</main>
${footerOf(model, words)}`;
  return htmlPage({
    language,
    colors,
    title: `${sentence} ${title}`,
    head: feedLinks(links, title),
    body: markup`${barPatterns}${body}`,
  });
}

const feedLinks = (links: PageLinks, title: string): Markup =>
  markup`<link rel="alternate" type="application/atom+xml" title="${title}" href="${links.file('feed.atom')}">
<link rel="alternate" type="application/feed+json" title="${title}" href="${links.file('feed.json')}">
`;

function bannerOf(model: AddressedPage, words: PageWords, staleSince: number | null): Markup | null {
  if (staleSince !== null) return markup`<p class="banner" role="status">${words.stale(momentOf(staleSince, words))}</p>`;
  if (!model.isPast) return null;
  return markup`<p class="banner" role="status">${words.past(momentOf(model.at, words))} <a href="${model.links.home()}">${words.backToNow}</a></p>`;
}

function firstRecorded(failing: readonly ItemStatus[], at: number, words: PageWords): Markup | null {
  const [first] = failing.toSorted((one, other) => (one.since ?? Infinity) - (other.since ?? Infinity));
  const { since = null, recorded = null } = first ?? {};
  if (since === null || recorded === null) return null;
  return markup` ${words.firstFailing(instantIn(since, at, words, true), instantIn(recorded.at, at, words, true), delayIn(recorded.at - since, words))}`;
}

/** With its date where that is not the day of the page. */
const instantIn = (at: number, now: number, words: PageWords, isExact = false): string => {
  const clock = isExact ? timeOf(at, words) : minuteOf(at, words);
  return utcMidnight(at) === utcMidnight(now) ? clock : `${dayOf(at, words)}, ${clock}`;
};

function openIncidents({ incidents, links, at }: AddressedPage, words: PageWords): readonly Markup[] {
  return openIncidentsOf({ incidents }).map((incident) => incidentSection(incident, { links, at }, words));
}

function pastIncidents({ incidents, links, at }: AddressedPage, words: PageWords): Markup {
  const past = incidents.filter(({ state }) => state === 'resolved');
  const shown =
    past.length === 0 ? markup`<p class="soft">${words.noIncidents}</p>` : past.map((one) => incidentSection(one, { links, at }, words));
  const isSilent = incidents.length > past.length && past.length === 0;
  return isSilent ? markup`` : markup`<h2>${words.pastIncidents}</h2>${shown}`;
}

/** A heading of an incident or an item, one level below the heading above it. */
const nameOf = (link: Markup, level: 2 | 3): Markup =>
  level === 2 ? markup`<h2 class="name">${link}</h2>` : markup`<h3 class="name">${link}</h3>`;

function incidentSection(
  { id, title, state, publishedAt, firstFailing, items, updates }: ShownIncident,
  { links, at: now }: Pick<AddressedPage, 'links' | 'at'>,
  words: PageWords,
): Markup {
  const record = links.to('record/incidents');
  const link = markup`<a href="${record}#${id}">${foreign(title)}</a>`;
  const about = items.length === 0 ? null : markup`<p class="soft">${items.join(', ')}</p>`;
  const said = updates.map(({ state: then, wordings }) => {
    const last = wordings.at(-1);
    const first = wordings[0];
    if (last === undefined || first === undefined) return null;
    const before = wordings.slice(0, -1);
    const edits =
      before.length === 0
        ? null
        : markup` <span class="soft">${words.edited(instantIn(last.at, now, words))}.</span> <details><summary>${words.wordingBefore}</summary>${before.map(
            ({ text, at }) => markup`<p class="pre">${instantIn(at, now, words)}: ${text}</p>`,
          )}</details>`;
    const proof = `${record}#n${String(first.n)}`;
    return markup`<div class="said pre"><a class="quiet" href="${proof}"><time datetime="${new Date(first.at).toISOString()}">${instantIn(first.at, now, words)}</time></a> · ${words.incidentStates[then]} · ${last.text}${edits}</div>`;
  });
  const delay =
    firstFailing === null
      ? null
      : markup`<p class="soft">${words.saidAfter(instantIn(publishedAt, now, words, true), delayIn(publishedAt - firstFailing, words), instantIn(firstFailing, now, words, true))}</p>`;
  return markup`<section class="incident${state === 'resolved' ? '' : ' open'}" id="${id}">${nameOf(link, state === 'resolved' ? 3 : 2)}${about}${said}${delay}</section>`;
}

function groupSection({ name, items }: StatusPageModel['groups'][number], model: AddressedPage, words: PageWords): Markup {
  const heading = name === '' ? null : markup`<h2>${foreign(name)}</h2>`;
  return markup`${heading}<ul class="items">${items.map((item) => itemLine(item, name === '' ? 2 : 3, model, words))}</ul>`;
}

function itemLine(item: ItemStatus, level: 2 | 3, { links, at }: AddressedPage, words: PageWords): Markup {
  const { key, name, state, up } = item;
  const record = links.to(`record/${key}`);
  return markup`<li class="${state}"><div class="line"><svg viewBox="0 0 12 12" aria-hidden="true">${GLYPHS[state]}</svg>${nameOf(markup`<a href="${record}">${foreign(name)}</a>`, level)}<span class="state">${stateIn(item, at, words)}</span><span class="up">${up === null ? words.noFigure : percentIn(up, words)}</span></div>${barsOf(item, record, words)}</li>`;
}

export function stateIn({ state, since, recorded, until }: ItemStatus, at: number, words: PageWords): string {
  if (state === 'failing' && since !== null) {
    const said = words.failingSince(instantIn(since, at, words), durationIn(at - since, words));
    return recorded === null ? said : `${said}, ${words.recordedLater(delayIn(recorded.at - since, words))}`;
  }
  if (state === 'maintenance' && until !== null) return words.plannedUntil(instantIn(until, at, words));
  if (state === 'unknown' && since !== null) return words.unknownSince(instantIn(since, at, words));
  return words.states[state];
}

const scale = ({ at, isPast }: StatusPageModel, words: PageWords): Markup =>
  markup`<p class="scale"><span><span class="d90">${dayOf(firstDayAt(at), words)}</span><span class="d30">${dayOf(firstDayAt(at) + (SHOWN_DAYS - 30) * SHOWN_DAY, words)}</span></span><span>${words.hatched}</span><span>${isPast ? dayOf(at, words) : words.today}</span></p>`;

function plannedSection({ planned }: StatusPageModel, words: PageWords): Markup | null {
  if (planned.length === 0) return null;
  const lines = planned.map(
    ({ from, to, items }) =>
      markup`<p>${momentOf(from, words)} – ${utcMidnight(from) === utcMidnight(to) ? minuteOf(to, words) : momentOf(to, words)} · ${items.join(', ')}</p>`,
  );
  return markup`<h2>${words.planned}</h2>${lines}`;
}

function otherTimes(model: AddressedPage, present: StatusPageModel, words: PageWords): Markup {
  const { links, at, isPast } = model;
  // What is older than the line has a line of its own.
  const shown = at < firstDayAt(present.at) ? model : present;
  const line = {
    marks: marksOf(shown, words),
    at,
    now: shown.at,
    isPast,
    end: shown === present ? words.today : dayOf(at, words),
    hrefOf: (instant: number) => links.home(asInstant(instant)),
  };
  const chosen = links.chosen === null ? null : markup`<input type="hidden" name="lang" value="${links.chosen}">`;
  return markup`<h2>${words.otherTime}</h2>${timeLine(line, words)}${timeSteps(line, links.home(), words)}<form method="get" action="${new PageLinks(links.base).home()}">${chosen}<label for="asOf">${words.instantField}</label><input id="asOf" name="asOf" type="datetime-local" step="1" value="${asInstant(at).slice(0, 19)}" required><button>${words.showInstant}</button></form><p class="soft">${words.anyDay}</p>`;
}

function footerOf({ links, languages, words: own, at, isPast }: AddressedPage, words: PageWords): Markup {
  const others =
    languages.length < 2
      ? null
      : markup` · ${languages.map((language, index) => markup`${index === 0 ? null : ', '}<a href="${links.homeIn(language, isPast ? asInstant(at) : null)}" lang="${language}" hreflang="${language}">${wordsOf(language).name}</a>`)}`;
  const footer = own.footer === '' ? null : markup`<p class="pre">${own.footer}</p>`;
  return markup`<footer>${footer}<p>${words.sealed} ${words.utc}</p><p><a href="${links.file('feed.atom')}">Atom</a> · <a href="${links.file('feed.json')}">JSON</a> · <a href="${links.file('badge.svg')}">${words.badge}</a> · <a href="${links.file('record.json')}">${words.proofs}</a>${others}</p></footer>`;
}
