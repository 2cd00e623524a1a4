import { noColors, noWords } from '../../src/status-pages/status-page.settings.ts';
import type { Interval } from '../../src/platform/observations/samples/timeline.ts';
import { type ItemFacts, itemStatus } from '../../src/status-pages/item-status.ts';
import { type StatusPageModel } from '../../src/status-pages/model.ts';
import { SHOWN_DAY, firstDayAt } from '../../src/watches/uptime/shown-state.ts';

export const AT = Date.UTC(2026, 10, 21, 14, 21, 7);
const FROM = firstDayAt(AT);

/** Up since the first day that is shown, apart from these spans. */
export const upBut = (...spans: readonly Interval[]): readonly Interval[] => {
  const known: Interval[] = [];
  let from = FROM;
  for (const span of spans) {
    if (span.from > from) known.push({ from, to: span.from, state: 'up' });
    known.push(span);
    from = span.to;
  }
  return from < AT ? [...known, { from, to: AT, state: 'up' }] : known;
};

export const itemOf = (name: string, facts: Partial<ItemFacts> = {}) =>
  itemStatus(
    {
      ...{ key: name.toLowerCase().replace(/\W/g, ''), name, known: upBut(), maintenance: [], current: 'working' },
      ...{ since: FROM, recorded: null, maintenanceUntil: null },
      ...facts,
    },
    AT,
  );

/** The page of the sketch. */
export function examplePage(changes: Partial<StatusPageModel> = {}): StatusPageModel {
  const began = AT - 23 * 60_000 - 3_000;
  const gap = FROM + 50 * SHOWN_DAY;
  const short = (day: number) => ({ from: FROM + day * SHOWN_DAY, to: FROM + day * SHOWN_DAY + 900_000, state: 'down' as const });
  return {
    ...{
      slug: 'example',
      title: 'Example Shop',
      access: 'public',
      languages: ['en', 'de', 'cs'],
      words: noWords,
      colors: noColors,
      at: AT,
      isPast: false,
      n: 4711,
    },
    openedAt: FROM - 30 * SHOWN_DAY,
    groups: [
      {
        name: '',
        items: [
          itemOf('Shop', { known: upBut(short(31)) }),
          itemOf('Checkout', {
            known: upBut(short(61), { from: began, to: AT, state: 'down' }),
            ...{ current: 'failing', since: began, recorded: { n: 4700, at: began + 16_000 } },
          }),
          itemOf('Accounts'),
          itemOf('API', {
            known: upBut(short(20)).flatMap((one) =>
              one.to > gap
                ? [
                    { ...one, to: gap },
                    { ...one, from: gap + 2 * SHOWN_DAY },
                  ]
                : [one],
            ),
          }),
          itemOf('Warehouse', { maintenance: [{ from: AT - 3_600_000, to: AT }], maintenanceUntil: AT + 5_900_000 }),
        ],
      },
    ],
    incidents: [
      {
        ...{
          id: 'incident-1',
          title: 'Payments cannot be completed',
          state: 'identified',
          publishedAt: AT - 1_200_000,
          firstFailing: began,
          items: ['Checkout'],
        },
        updates: [
          {
            state: 'identified',
            wordings: [{ text: 'We have found the cause: our payment provider refuses connections.', at: AT - 660_000, n: 4706 }],
          },
          {
            state: 'investigating',
            wordings: [
              { text: 'We are looking into it, no orders were lost.', at: AT - 1_200_000, n: 4702 },
              { text: 'We are looking into it.', at: AT - 1_080_000, n: 4704 },
            ],
          },
        ],
      },
    ],
    planned: [{ from: AT + 2 * SHOWN_DAY, to: AT + 2 * SHOWN_DAY + 3_600_000, items: ['Shop', 'Checkout'] }],
    ...changes,
  };
}
