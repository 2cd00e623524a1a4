import type { ProvenIncident } from './proven-record.ts';

/** A status page says what its log does not. */
export class RefutedPage extends Error {
  override readonly name = 'RefutedPage';
}

/** An event of a published incident whose words are proven. */
export interface ProvenIncidentEvent {
  readonly n: number;
  readonly type: string;
  readonly recordedAt: string;
  readonly data: Readonly<Record<string, unknown>>;
}

interface Wording {
  readonly text: string;
  readonly n: number;
  /** Milliseconds. */
  readonly at: number;
}

interface Said {
  readonly title: string;
  readonly updates: { readonly id: string; readonly state: string; readonly wordings: Wording[] }[];
}

export interface CheckedWords {
  readonly incidents: number;
  readonly texts: number;
  readonly edits: number;
  readonly unprovenTexts: number;
}

/** Compares the incidents of a page, as its record and as its HTML have them, with the proven events. */
export function checkWords(incidents: readonly ProvenIncident[], events: readonly ProvenIncidentEvent[], html: string): CheckedWords {
  const said = saidIn(events);
  const [oldest = Infinity] = events.map(({ n }) => n);
  let [texts, edits, unprovenTexts] = [0, 0, 0];
  for (const incident of incidents) {
    const wordings = incident.updates.flatMap((update) => update.wordings);
    // An incident that began before the events of the record cannot be compared with its events.
    if (wordings.some(({ n }) => n < oldest)) {
      unprovenTexts += wordings.length;
      continue;
    }
    requireSame(incident, said.get(incident.id));
    texts += wordings.length;
    edits += incident.updates.reduce((sum, update) => sum + update.wordings.length - 1, 0);
  }
  requireShown(incidents, html);
  return { incidents: incidents.length, texts, edits, unprovenTexts };
}

/** What the events say, by incident. */
function saidIn(events: readonly ProvenIncidentEvent[]): ReadonlyMap<string, Said> {
  const said = new Map<string, Said>();
  for (const { n, type, recordedAt, data } of events) {
    const at = Date.parse(recordedAt);
    const { incidentId, updateId, title, state, text, from, to } = Object.fromEntries(
      Object.entries(data).map(([name, value]) => [name, String(value)]),
    );
    if (incidentId === undefined || updateId === undefined) throw new RefutedPage(`event ${String(n)} is no event of an incident`);
    const known = said.get(incidentId);
    if (type === 'IncidentPublished')
      said.set(incidentId, {
        title: title ?? '',
        updates: [{ id: updateId, state: state ?? '', wordings: [{ text: text ?? '', n, at }] }],
      });
    else if (type === 'IncidentUpdated') known?.updates.push({ id: updateId, state: state ?? '', wordings: [{ text: text ?? '', n, at }] });
    else if (type === 'IncidentUpdateEdited') {
      const wordings = known?.updates.find(({ id }) => id === updateId)?.wordings;
      if (wordings !== undefined && wordings.at(-1)?.text !== from)
        throw new RefutedPage(`event ${String(n)} edits a wording that the page leaves out`);
      wordings?.push({ text: to ?? '', n, at });
    } else throw new RefutedPage(`event ${String(n)} is no event of an incident`);
  }
  return said;
}

function requireSame({ id, title, state, updates }: ProvenIncident, said: Said | undefined): void {
  if (said === undefined) throw new RefutedPage(`the incident "${title}" (${id}) stands in no event`);
  const spelled = (one: string, all: Said['updates']): string =>
    JSON.stringify([one, all.map((update) => [update.state, update.wordings.map(({ text, n, at }) => [text, n, at])])]);
  const shown = updates.toReversed().map((update) => ({
    id: '',
    state: update.state,
    wordings: update.wordings.map(({ text, n, at }) => ({ text, n, at: Date.parse(at) })),
  }));
  if (spelled(title, shown) !== spelled(said.title, said.updates) || state !== said.updates.at(-1)?.state)
    throw new RefutedPage(`the incident "${title}" (${id}) does not say what its events say`);
}

const SECTION = /<section class="incident[^"]*" id="([^"]*)">([^]*?)<\/section>/g;
// oxlint-disable-next-line no-control-regex -- exactly those that the page replaces
const UNPRINTABLE = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\p{Cs}]/gu;
const ENTITIES: Readonly<Record<string, string>> = { '&amp;': '&', '&lt;': '<', '&gt;': '>', '&quot;': '"', '&#39;': "'" };

/** The text of a part of the page, whose markup is that of this product. */
const textOf = (part: string): string =>
  part.replace(/<[^>]*>/g, '').replace(/&(?:amp|lt|gt|quot|#39);/g, (entity) => ENTITIES[entity] ?? entity);

/** The page shows each incident of its record with every wording, and no other. */
function requireShown(incidents: readonly ProvenIncident[], html: string): void {
  const sections = new Map([...html.matchAll(SECTION)].map(([, id = '', part = '']) => [id, textOf(part)]));
  const known = new Set(incidents.map(({ id }) => id));
  const unknown = [...sections.keys()].find((id) => !known.has(id));
  if (unknown !== undefined) throw new RefutedPage(`the page shows an incident (${unknown}) that its record does not have`);
  for (const { id, title, updates } of incidents) {
    const shown = sections.get(id);
    if (shown === undefined) throw new RefutedPage(`the page does not show the incident "${title}" (${id})`);
    const words = [title, ...updates.flatMap(({ wordings }) => wordings.map(({ text }) => text))];
    const missing = words.find((text) => !shown.includes(text.replace(UNPRINTABLE, '\ufffd')));
    if (missing !== undefined) throw new RefutedPage(`the page does not show "${missing.slice(0, 80)}", which its record has`);
  }
}
