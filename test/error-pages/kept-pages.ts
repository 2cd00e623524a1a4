import { readFileSync } from 'node:fs';
import { brotliDecompressSync } from 'node:zlib';

export interface KeptPage {
  readonly source: string;
  readonly name: string;
  readonly how: string;
  readonly status: number;
  readonly type: string;
  readonly body: string;
}

/** Pages as the software served them: broken, and healthy ones that show or discuss errors (npm run error-pages). */
export function keptPages(kind: 'errors' | 'healthy'): KeptPage[] {
  const text = brotliDecompressSync(readFileSync(new URL(`${kind}.jsonl.br`, import.meta.url))).toString();
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as KeptPage);
}
