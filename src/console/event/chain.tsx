import { goTo, hrefOf } from '../frame/address.ts';
import { preciseClockOf, localInstants } from '../time/instants.ts';
import type { HistoryEvent } from '../timeline/event-row.tsx';
import { layOut } from './chain-layout.ts';
import { serverNow } from '../time/server-clock.ts';

const ROW = 30;
const STEP = 22;
const LEFT = 84;
const MAX_TEXT = 110;
/** A wide one. */
const LETTER = 8;

/** From cause to phone: each event below what caused it. */
export function Chain({
  events,
  current,
  projectId,
}: {
  readonly events: readonly HistoryEvent[];
  readonly current: string;
  readonly projectId: string;
}) {
  const placed = layOut(events);
  const x = (column: number): number => LEFT + column * STEP;
  const y = (row: number): number => 18 + row * ROW;
  const texts = new Map(placed.map(({ event }) => [event.id, shortened(localInstants(event.summary, serverNow()))]));
  const width = Math.max(...placed.map(({ event, column }) => x(column) + 12 + (texts.get(event.id) ?? '').length * LETTER));
  const columnOf = new Map(placed.map(({ row, column }) => [row, column]));
  return (
    <div class="chain" role="group" aria-label="Chain of events" tabIndex={0}>
      <svg width={width} height={placed.length * ROW + 8}>
        {placed.map(({ event, column, row, causeRow }) => {
          const cause = causeRow === null ? null : { x: x(columnOf.get(causeRow) ?? 0), y: y(causeRow) };
          const href = hrefOf(['projects', projectId, 'events', event.id]);
          const isCurrent = event.id === current;
          return (
            <g key={event.id} class={isCurrent ? 'this' : ''}>
              <text class="when" x="0" y={y(row) + 4}>
                {preciseClockOf(Date.parse(event.recordedAt))}
              </text>
              {cause !== null && <path d={`M${String(cause.x)} ${String(cause.y + 5)}V${String(y(row))}H${String(x(column) - 5)}`} />}
              <circle cx={x(column)} cy={y(row)} r="4.5" />
              <a
                href={href}
                aria-current={isCurrent ? 'page' : undefined}
                onClick={(click) => {
                  if (click.ctrlKey || click.metaKey || click.shiftKey) return;
                  click.preventDefault();
                  goTo(href);
                }}
              >
                <text x={x(column) + 12} y={y(row) + 4}>
                  {texts.get(event.id)}
                </text>
              </a>
            </g>
          );
        })}
      </svg>
    </div>
  );
}

const shortened = (text: string): string => (text.length > MAX_TEXT ? `${text.slice(0, MAX_TEXT)}…` : text);
