import { browserPlatform } from '../../statement/browser/browser-platform.ts';
import { keysThatSigned } from '../../statement/browser/note-signatures.ts';
import { service } from '../service/service.ts';

export interface CheckedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly text: string;
  readonly keys: readonly string[];
  /** Names of those that signed beside the log itself. */
  readonly witnesses: readonly string[];
  /** Whether a published key signed it. */
  readonly isSigned: boolean;
}

/** The last checkpoint of the seal, with its signatures verified in the browser. */
export async function loadCheckpoint(signal: AbortSignal): Promise<CheckedCheckpoint> {
  const [checkpoint, published] = await Promise.all([
    service.get('/ledger/checkpoint', { signal }),
    service.get('/ledger/key', { signal }),
  ]);
  const keys = published.data.split('\n').filter((line) => line.includes('+'));
  const text = checkpoint.data;
  const [origin = '', size = ''] = text.split('\n');
  const names = [...text.matchAll(/^\u2014 (\S+) /gm)].map(([, name = '']) => name);
  return {
    ...{ origin, size: Number(size), text, keys },
    witnesses: names.filter((name) => name !== origin),
    isSigned: keysThatSigned(text, keys, browserPlatform).length > 0,
  };
}
