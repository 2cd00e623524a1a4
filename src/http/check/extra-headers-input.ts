import { readExtraHeaders } from '../../checker/probe/extra-headers.ts';
import { InvalidInput } from '../../kernel/errors.ts';

/** Extra headers, one a line (docs/spec/decisions.md#T10). Answers them with single line ends. */
export function readHeaders(given: unknown, field: string): string {
  if (typeof given !== 'string') throw new InvalidInput(`${field}: must be text, one header a line`);
  const read = readExtraHeaders(given);
  if (!read.ok) throw new InvalidInput(`${field}: ${read.reason}`);
  return read.headers.map(([name, value]) => `${name}: ${value}`).join('\n');
}
