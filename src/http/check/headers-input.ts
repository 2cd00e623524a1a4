import { InvalidInput } from '../../kernel/errors.ts';

const FORBIDDEN = /^(host|content-length|transfer-encoding|connection|proxy-.*)$/i;
const LINE = /^([!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}):[ \t]*([\x20-\x7e\x80-\xff\t]{0,4096})$/;

/** Extra headers, one a line (decisions.md, T10). Answers them with single line ends. */
export function readHeaders(given: unknown, field: string): string {
  if (typeof given !== 'string' || given.length > 8192)
    throw new InvalidInput(`${field}: must be text of at most 8192 characters, one header a line`);
  const lines = given.split(/\r?\n/).filter((line) => line.trim() !== '');
  for (const line of lines) {
    const name = LINE.exec(line)?.[1];
    if (name === undefined) throw new InvalidInput(`${field}: "${line.slice(0, 60)}" is not a header line "Name: value"`);
    if (FORBIDDEN.test(name)) throw new InvalidInput(`${field}: the header ${name} cannot be set`);
  }
  return lines.join('\n');
}
