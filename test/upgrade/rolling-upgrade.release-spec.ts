import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, jest } from '@jest/globals';
import { buildAt, whyNotFrom } from './former-version.ts';
import { upgradeWhileChecking } from './rolling-upgrade.ts';

jest.setTimeout(1_800_000);

/** UPGRADE_FROM: a commit of this repository; UPGRADE_BUILT: a folder in which an earlier version is built (docs/faults.md#upgrade). */
const { UPGRADE_BUILT: built, UPGRADE_FROM: from = 'HEAD~1' } = process.env;
const reason = built === undefined ? whyNotFrom(from) : null;
const title = 'an installation keeps checking, and loses and doubles nothing, while it is upgraded';

if (reason !== null) it.skip(`${title} (skipped: ${reason})`, () => undefined);
else
  it(`${title} from ${built ?? from}`, async () => {
    const folder = mkdtempSync(join(tmpdir(), 'watchledger-former-'));
    const lines: string[] = [];
    try {
      const main = built === undefined ? buildAt(from, folder) : join(built, 'dist', 'main.js');
      await upgradeWhileChecking(main, (line) => lines.push(line));
    } catch (error) {
      // They say in a failure how far it came.
      process.stderr.write(`${lines.join('\n')}\n`);
      throw error;
    } finally {
      rmSync(folder, { recursive: true, force: true });
    }
    expect(lines).not.toEqual([]);
  });
