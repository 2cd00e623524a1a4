import type { ShownSpan } from '../time/scale.ts';

interface UptimeEvent {
  readonly type: string;
  readonly at: string;
}

/** The stretches of a span in which the site was down, from its events in the order of time. `wasDown`: it was so before the first of them. */
export function outagesIn(events: readonly UptimeEvent[], { from, to }: ShownSpan, wasDown: boolean): readonly ShownSpan[] {
  const outages: ShownSpan[] = [];
  let since = wasDown ? from : null;
  for (const { type, at } of events) {
    const instant = Math.min(to, Math.max(from, Date.parse(at)));
    if (type === 'UptimeWentDown') since ??= instant;
    else if (type === 'UptimeWentUp' && since !== null) {
      outages.push({ from: since, to: instant });
      since = null;
    }
  }
  return since === null ? outages : [...outages, { from: since, to }];
}
