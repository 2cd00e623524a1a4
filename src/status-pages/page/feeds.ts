import { Markup, markup } from '../../kernel/markup.ts';
import { itemsOfPage, type StatusPageModel } from '../model.ts';
import { wordsOf } from '../words/words.ts';
import { firstSentenceOf } from './render-page.ts';

interface Entry {
  readonly id: string;
  readonly title: string;
  readonly text: string;
  readonly url: string;
  readonly publishedAt: string;
  readonly updatedAt: string;
}

const iso = (at: number): string => new Date(at).toISOString();

/** One entry for each update of an incident, the newest first. `url`: of the page. */
function entriesOf({ incidents, languages }: StatusPageModel, url: string): readonly Entry[] {
  const words = wordsOf(languages[0] ?? 'en');
  return incidents
    .flatMap(({ id, title, updates }) =>
      updates.flatMap(({ state, wordings }): readonly Entry[] => {
        const [first, last] = [wordings[0], wordings.at(-1)];
        if (first === undefined || last === undefined) return [];
        return [
          {
            id: `urn:watchledger:incident:${id}:${String(first.n)}`,
            title: `${title} · ${words.incidentStates[state]}`,
            text: last.text,
            url: `${url}#${id}`,
            publishedAt: iso(first.at),
            updatedAt: iso(last.at),
          },
        ];
      }),
    )
    .toSorted((one, other) => (one.publishedAt < other.publishedAt ? 1 : -1));
}

/** RFC 4287. */
export function atomFeed(model: StatusPageModel, url: string): string {
  const entries = entriesOf(model, url);
  const updated =
    entries
      .map(({ updatedAt }) => updatedAt)
      .sort()
      .at(-1) ?? iso(model.openedAt);
  const items = entries.map(
    (
      entry,
    ) => markup`<entry><id>${entry.id}</id><title>${entry.title}</title><link href="${entry.url}"/><published>${entry.publishedAt}</published><updated>${entry.updatedAt}</updated><content type="text">${entry.text}</content></entry>
`,
  );
  return `${new Markup('<?xml version="1.0" encoding="utf-8"?>\n').text}${
    markup`<feed xmlns="http://www.w3.org/2005/Atom"><id>${url}</id><title>${model.title}</title><link href="${url}"/><link rel="self" href="${url}/feed.atom"/><updated>${updated}</updated><author><name>${model.title}</name></author>
${items}</feed>
`.text
  }`;
}

/** JSON Feed 1.1; `_status` has the state of every item and its days. */
export function jsonFeed(model: StatusPageModel, url: string): string {
  const words = wordsOf(model.languages[0] ?? 'en');
  const instantOrNull = (at: number | null): string | null => (at === null ? null : iso(at));
  return JSON.stringify({
    version: 'https://jsonfeed.org/version/1.1',
    title: model.title,
    home_page_url: url,
    feed_url: `${url}/feed.json`,
    items: entriesOf(model, url).map(({ id, title, text, url: of, publishedAt, updatedAt }) => ({
      id,
      url: of,
      title,
      content_text: text,
      date_published: publishedAt,
      date_modified: updatedAt,
    })),
    _status: {
      about: `${url}/feed.json`,
      at: iso(model.at),
      position: String(model.n),
      sentence: firstSentenceOf(model, words),
      items: itemsOfPage(model).map(({ key, name, state, since, recorded, until, up, days }) => ({
        key,
        name,
        state,
        since: instantOrNull(since),
        recordedAt: instantOrNull(recorded?.at ?? null),
        until: instantOrNull(until),
        up,
        days: days.map(({ at, upMs, downMs, unknownMs, maintenanceMs }) => ({
          day: iso(at).slice(0, 10),
          upMs,
          downMs,
          unknownMs,
          maintenanceMs,
        })),
      })),
      planned: model.planned.map(({ from, to, items }) => ({ from: iso(from), to: iso(to), items })),
    },
  });
}
