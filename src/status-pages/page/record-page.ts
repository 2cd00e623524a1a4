import type { StatusColors } from '../status-page.settings.ts';
import { foreign, markup } from '../../kernel/markup.ts';
import { dateOf, delayIn, momentOf, wordsOf } from '../words/words.ts';
import type { PageReader } from './page-address.ts';
import { type HtmlPage, htmlPage } from './shell.ts';

export type RecordedKind = 'working' | 'failing' | 'maintenance' | 'day' | 'published' | 'updated' | 'edited';

/** The title of a published incident, or the text of an update. */
interface RecordedIncident {
  readonly id: string;
  readonly words: string;
}

/** An event by its place in the log: its content is not public, but for that of published incidents. */
export interface RecordedEvent {
  readonly n: number;
  readonly at: number;
  readonly kind: RecordedKind;
  /** The day, or the instant, that it is about. */
  readonly about: string | null;
  /** Null when it is about no incident. */
  readonly incident: RecordedIncident | null;
  /** The hash of its leaf in the Merkle tree, in base64. */
  readonly hash: string;
}

interface RecordOf {
  readonly title: string;
  readonly colors: StatusColors;
  /** Its name; null: the events of the incidents. */
  readonly item: string | null;
  /** The newest first. */
  readonly events: readonly RecordedEvent[];
}

/** The whole text stands on the page. */
const MOST_WORDS = 100;
const shortened = (words: string): string => (words.length > MOST_WORDS ? `${words.slice(0, MOST_WORDS).trimEnd()}…` : words);

/** The events behind an item or the incidents of a page; a day of a bar is a fragment of its address. */
export function recordPage({ title, colors, item, events }: RecordOf, { language, links }: PageReader): HtmlPage {
  const words = wordsOf(language);
  const [name, sentence] = item === null ? [words.incidents, words.recordOfIncidents] : [item, words.recordAbout];
  const said = { ...words.states, ...words.incidentEvents, day: words.dayClosed };
  const seen = new Set<string>();
  const rows = events.map(({ n, at, kind, about, incident, hash }) => {
    const instant = about === null ? NaN : Date.parse(about);
    const day = new Date(Number.isNaN(instant) ? at : instant).toISOString().slice(0, 10);
    // A bar leads to the newest event of its day, an incident to its newest event.
    const place = incident?.id ?? day;
    const anchor = seen.has(place) ? null : markup` id="${place}"`;
    seen.add(place);
    const delay = kind === 'failing' || kind === 'working' ? `, ${words.recordedLater(delayIn(at - instant, words))}` : null;
    const shown =
      about === null || Number.isNaN(instant)
        ? null
        : markup` ${kind === 'day' ? dateOf(instant, words) : momentOf(instant, words)}${delay}`;
    return markup`<tr${anchor}><td id="n${n}">${momentOf(at, words)}</td><td>${said[kind]}${shown}${incident === null ? null : markup`: ${foreign(shortened(incident.words))}`}</td><td><a href="${links.file(`proof/${String(n)}`)}">${n}</a></td><td><code>${hash}</code></td></tr>
`;
  });
  const body = markup`<header><p><b>${foreign(title)}</b> ${words.record}</p><a href="${links.home()}">${words.backToPage}</a></header>
<main><h1>${foreign(name)}</h1><p class="soft">${sentence} ${words.utc}</p>
<table><thead><tr><th scope="col">${words.recordedAt}</th><th scope="col">${words.event}</th><th scope="col">${words.position}</th><th scope="col">${words.hash}</th></tr></thead><tbody>${rows}</tbody></table></main>`;
  return htmlPage({ language, title: `${name} · ${words.record} · ${title}`, colors, isWide: true, body });
}
