import { setTimeout } from 'node:timers/promises';
import type { Views, ViewsAt } from './views/views.ts';

const LOOK_MS = 50;
const PATIENCE_MS = 30_000;

/** The read models with every event up to a position, for a process manager that decides by them. */
export async function viewsContaining(viewsAt: Pick<ViewsAt, 'now'>, n: number): Promise<Views> {
  const views = viewsAt.now();
  for (let waited = 0; views.position() < n; waited += LOOK_MS) {
    if (waited >= PATIENCE_MS) throw new Error('the read models are behind the log');
    await setTimeout(LOOK_MS);
  }
  return views;
}
