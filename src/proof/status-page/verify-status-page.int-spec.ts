import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { ORIGIN, sampleEvents, sealed, signer, verifierKey } from '../../../test/support/sealed-log.ts';
import { type Site, startHttp } from '../../../test/support/servers/site.ts';
import { AT, examplePage, itemOf, upBut } from '../../../test/support/status-page-model.ts';
import type { LogEvent } from '../../kernel/event.ts';
import { createSigner } from '../seal/signer.ts';
import { leafOf } from '../../client/proofs/leaf.ts';
import { hashToText, leafHash } from '../../client/proofs/merkle-tree.ts';
import { parseVerifierKey } from '../../client/proofs/signed-note.ts';
import type { ShownIncident, StatusPageModel } from '../../status-pages/model.ts';
import { renderStatusPage } from '../../status-pages/page/render-page.ts';
import { PROVEN_RECORD, type ProvenRecord } from './proven-record.ts';
import { type CliOutput, WrongUse } from '../../platform/cli/command.ts';
import { verifyStatusPage } from './verify-status-page.ts';

const CANARY = '<script>alert(1)</script> & "more"';
const iso = (at: number): string => new Date(at).toISOString();
const [base] = sampleEvents(1);

function eventOf(n: number, type: string, at: number, data: object): LogEvent {
  if (base === undefined) throw new Error('no sample');
  return { ...base, n, type, stream: 'incidents-page', revision: n, scope: 'system', recordedAt: iso(at).replace('Z', '000Z'), data };
}

const began = AT - 600_000;
/** An incident that was edited and resolved, and a failing item, in a log with other events. */
const history: readonly LogEvent[] = [
  ...sampleEvents(5),
  eventOf(5, 'IncidentPublished', AT - 500_000, {
    ...{ pageId: 'page', incidentId: 'i', updateId: 'u', title: CANARY, text: 'We look.', state: 'investigating', items: [] },
  }),
  eventOf(6, 'IncidentUpdateEdited', AT - 400_000, { pageId: 'page', incidentId: 'i', updateId: 'u', from: 'We look.', to: 'We know.' }),
  { ...eventOf(7, 'CheckFailed', began + 16_000, { since: iso(began) }), scope: 'project-a' },
  eventOf(8, 'IncidentUpdated', AT - 300_000, { pageId: 'page', incidentId: 'i', updateId: 'v', state: 'resolved', text: 'It is over.' }),
];

const incident: ShownIncident = {
  ...{ id: 'i', title: CANARY, state: 'resolved', publishedAt: AT - 500_000, firstFailing: null, items: [] },
  updates: [
    { state: 'resolved', wordings: [{ text: 'It is over.', at: AT - 300_000, n: 8 }] },
    {
      state: 'investigating',
      wordings: [
        { text: 'We look.', at: AT - 500_000, n: 5 },
        { text: 'We know.', at: AT - 400_000, n: 6 },
      ],
    },
  ],
};
const failing = itemOf('Shop', {
  known: upBut({ from: began, to: AT, state: 'down' }),
  ...{ current: 'failing', since: began, recorded: { n: 7, at: began + 16_000 } },
});
const model = examplePage({ groups: [{ name: '', items: [failing] }], incidents: [incident] });

async function recordOf(shown: StatusPageModel, log = history): Promise<ProvenRecord> {
  const { tree, checkpoint } = sealed(log);
  const behind = log.filter(({ n }) => n >= 5 && n <= 8);
  const events = await Promise.all(
    behind.map(async (event) => {
      const [leaf, isIncident] = [leafOf(event), event.scope === 'system'];
      return {
        ...{ n: event.n, recordedAt: iso(Date.parse(event.recordedAt)), kind: isIncident ? 'published' : 'failing' },
        ...{ about: isIncident ? null : iso(began), item: isIncident ? null : failing.key, leafHash: hashToText(leafHash(leaf)) },
        ...(isIncident && { leaf }),
        path: (await tree.inclusion(event.n, log.length)).map(hashToText),
      };
    }),
  );
  const items = shown.groups.flatMap((group) => group.items);
  return {
    ...{ format: PROVEN_RECORD, title: shown.title, slug: shown.slug, at: iso(shown.at), checkpoint: checkpoint.note, events },
    items: items.map(({ key, name, state, since, recorded }) => ({
      ...{ key, name, state, since: since === null ? null : iso(since), recordedAt: recorded === null ? null : iso(recorded.at) },
      event: recorded?.n ?? null,
    })),
    incidents: shown.incidents.map(({ id, title, state, updates }) => ({
      ...{ id, title, state },
      updates: updates.map((update) => ({ ...update, wordings: update.wordings.map((one) => ({ ...one, at: iso(one.at) })) })),
    })),
    keys: [signer.verifierKey],
  };
}

let site: Site;
let served: { record: ProvenRecord; html: string; consistency: readonly string[] };
let folder: string;
beforeAll(async () => {
  site = await startHttp((request, response) => {
    const url = request.url ?? '';
    if (url === '/status/example') response.end(served.html);
    else if (url === '/status/example/record.json') response.end(JSON.stringify(served.record));
    else if (url.includes('/consistency/')) response.end(JSON.stringify({ path: served.consistency }));
    else response.writeHead(404).end();
  });
  folder = mkdtempSync(join(tmpdir(), 'pin-'));
});
afterAll(async () => {
  rmSync(folder, { recursive: true });
  await site.close();
});
beforeEach(async () => {
  served = { record: await recordOf(model), html: renderStatusPage(model, 'en').html, consistency: [] };
});

interface Result {
  readonly status: number;
  readonly value: Record<string, unknown>;
  readonly text: string;
}

async function verified(trust: Partial<Parameters<typeof verifyStatusPage>[1]> = {}, path = '/status/example'): Promise<Result> {
  let [value, text]: [unknown, string] = [null, ''];
  const output = {
    result: (given: unknown, said: string | (() => string)) => {
      [value, text] = [given, typeof said === 'string' ? said : said()];
    },
  } as unknown as CliOutput;
  const keys = trust.pin === undefined ? [verifierKey] : null;
  const status = await verifyStatusPage(`${site.url}${path}`, { keys, policy: null, pin: null, ...trust }, output, { lagMs: 0 });
  return { status, value: value as Record<string, unknown>, text };
}

describe('verify --status-page', () => {
  it('proves the words of incidents, their edits and the events behind items, and says what it cannot prove', async () => {
    const { status, value, text } = await verified();
    expect([status, value['proven']]).toEqual([0, { incidents: 1, texts: 3, edits: 1, events: 4, failures: 1 }]);
    expect(text).toContain(
      'Proven: 3 texts of 1 incidents stand in the log word for word, 1 of them before an edit that the page shows as one',
    );
    expect(text).toContain('Not proven: what was measured');
  });

  const change = (from: string, to: string): void => {
    served.html = served.html.replaceAll(from, to);
  };
  const tampered: readonly (readonly [string, () => void | Promise<void>, string])[] = [
    ['another text on the page', () => change('It is over.', 'It never was.'), 'the page does not show "It is over."'],
    ['an edit that the page hides', () => change('We look.', ''), 'the page does not show "We look."'],
    ['an incident that is no longer shown', () => change('class="incident"', 'class="hidden"'), 'does not show the incident'],
    [
      'an incident that the log does not have',
      () => change('</main>', '<section class="incident" id="x">All is well</section></main>'),
      'the page shows an incident (x) that its record does not have',
    ],
    [
      'another text in page and record',
      async () => {
        const updates = incident.updates.map((update) => ({
          ...update,
          wordings: update.wordings.map((one) => ({ ...one, text: `${one.text}!` })),
        }));
        const other = { ...model, incidents: [{ ...incident, updates }] };
        served = {
          ...served,
          record: { ...(await recordOf(other)), events: served.record.events },
          html: renderStatusPage(other, 'en').html,
        };
      },
      'does not say what its events say',
    ],
    [
      'an earlier time',
      () => {
        const [first, ...rest] = served.record.incidents;
        const updates = first?.updates.map((update) => ({
          ...update,
          wordings: update.wordings.map((one) => ({ ...one, at: iso(AT - 590_000) })),
        }));
        served.record = { ...served.record, incidents: [{ ...first, updates } as never, ...rest] };
      },
      'does not say what its events say',
    ],
    [
      'words that are not those of the hash',
      () => {
        const events = served.record.events.map((event) => ({
          ...event,
          ...(event.leaf !== undefined && { leaf: event.leaf.replace('over', 'fine') }),
        }));
        served.record = { ...served.record, events };
      },
      'the words of event 8 are not those of its hash',
    ],
    [
      'an event that is left out between two wordings',
      () => {
        served.record = { ...served.record, events: served.record.events.filter(({ n }) => n !== 6) };
      },
      'does not say what its events say',
    ],
    [
      'another log',
      async () => {
        served.record = await recordOf(
          model,
          history.map((event) => (event.n === 2 ? { ...event, data: {} } : event)),
        );
        served.record = { ...served.record, checkpoint: sealed(history).checkpoint.note };
      },
      'event 5 is not in the log under the hash that the page names',
    ],
    [
      'a failure without its event',
      () => {
        served.record = { ...served.record, items: served.record.items.map((item) => ({ ...item, event: 3 })) };
      },
      'the page names no event of the failure of "Shop"',
    ],
    [
      'a failure that began later',
      () => {
        served.record = { ...served.record, items: served.record.items.map((item) => ({ ...item, since: iso(AT) })) };
      },
      'the failure of "Shop" is not the one of event 7',
    ],
    ['something else', () => void (served.record = {} as never), 'is not the record of a status page'],
  ];
  it.each(tampered)('refutes %s', async (_what, tamper, said) => {
    await tamper();
    const { status, text } = await verified();
    expect([status, text.startsWith('NOT PROVEN: '), text.includes(said), text]).toEqual([1, true, true, text]);
  });

  it('takes no checkpoint of a key that is not trusted, and tells what it could not fetch from what is refuted', async () => {
    const other = parseVerifierKey(createSigner(ORIGIN, Buffer.alloc(32, 7)).verifierKey);
    expect((await verified({ keys: [other] })).text).toContain('NOT PROVEN: the checkpoint is not signed by a trusted key');
    expect((await verified({}, '/status/unknown')).text).toContain('NOT CHECKED: ');
    await expect(
      verified({}, '').then(() => verifyStatusPage('nonsense', { keys: [], policy: null, pin: null }, {} as never)),
    ).rejects.toThrow(WrongUse);
  });

  it('pins the keys of the first look, and requires that the log was only extended since the last', async () => {
    const pin = join(folder, 'pin.json');
    const first = await verified({ pin });
    expect([first.status, first.value['firstLook'], first.text.includes('Trusted on first use')]).toEqual([0, true, true]);
    expect(JSON.parse(readFileSync(pin, 'utf8'))).toEqual({ keys: [signer.verifierKey], checkpoint: served.record.checkpoint });
    const longer = [...history, eventOf(9, 'IncidentDrafted', AT, {})];
    served = {
      ...served,
      record: await recordOf(model, longer),
      consistency: (await sealed(longer).tree.consistency(9, 10)).map(hashToText),
    };
    const second = await verified({ pin });
    expect([second.status, second.value['extends'], second.value['firstLook']]).toEqual([0, { size: 9 }, false]);
    const rewritten = longer.map((event) => (event.n === 2 ? { ...event, data: {} } : event));
    const { tree } = sealed([...rewritten, eventOf(10, 'IncidentDrafted', AT, {})]);
    served = {
      ...served,
      record: await recordOf(model, [...rewritten, eventOf(10, 'IncidentDrafted', AT, {})]),
      consistency: (await tree.consistency(10, 11)).map(hashToText),
    };
    expect((await verified({ pin })).text).toContain('the log was changed: it does not contain the 10 events of the last look');
    served = { ...served, record: await recordOf(model) };
    expect((await verified({ pin })).text).toContain('fewer than at the last look');
  });
});
