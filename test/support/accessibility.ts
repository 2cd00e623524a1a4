import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import type { ChromiumPage } from './chromium.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');

/** What axe-core finds wrong with the page that is open, by rule and element. Its script is run beside the page, whose policy allows none. */
export async function accessibilityProblems(page: ChromiumPage): Promise<readonly string[]> {
  if ((await page.evaluate("typeof axe === 'undefined'")) === true) await page.evaluate(AXE);
  const run = `axe.run(document, { resultTypes: ['violations'] }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ target }) => id + ' ' + target.join(' '))))`;
  return (await page.evaluate(run)) as readonly string[];
}
