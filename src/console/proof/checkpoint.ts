import { ApiError } from '../../client.ts';
import { browserPlatform } from '../../client/verify/browser-platform.ts';
import { keysThatSigned } from '../../client/verify/note-signatures.ts';
import { service } from '../service/service.ts';

interface CheckedCheckpoint {
  readonly origin: string;
  readonly size: number;
  readonly text: string;
  /** Names of those that signed beside the log itself. */
  readonly witnesses: readonly string[];
  /** Whether a published key signed it. */
  readonly isSigned: boolean;
}

export interface ShownSeal {
  readonly keys: readonly string[];
  /** Null: nothing has been sealed yet. */
  readonly checkpoint: CheckedCheckpoint | null;
}

/** The published keys, and the last checkpoint with its signatures verified in the browser. */
export async function loadSeal(signal: AbortSignal): Promise<ShownSeal> {
  const [text, published] = await Promise.all([checkpointText(signal), service.get('/ledger/key', { signal })]);
  const keys = published.data.split('\n').filter((line) => line.includes('+'));
  return { keys, checkpoint: text === null ? null : checked(text, keys) };
}

async function checkpointText(signal: AbortSignal): Promise<string | null> {
  try {
    return (await service.get('/ledger/checkpoint', { signal })).data;
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null;
    throw error;
  }
}

function checked(text: string, keys: readonly string[]): CheckedCheckpoint {
  const [origin = '', size = ''] = text.split('\n');
  const names = [...text.matchAll(/^\u2014 (\S+) /gm)].map(([, name = '']) => name);
  return {
    ...{ origin, size: Number(size), text },
    witnesses: names.filter((name) => name !== origin),
    isSigned: keysThatSigned(text, keys, browserPlatform).length > 0,
  };
}
