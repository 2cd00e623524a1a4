import { readFileSync } from 'node:fs';
import { type CliInput, type CliOption, WrongUse } from '../command.ts';

export const tokenFile: CliOption = {
  type: 'string',
  value: 'FILE',
  about: 'file with the token (default: the variable WATCHLEDGER_TOKEN)',
};

/** Never an argument, which other users of the machine can read. */
export function givenToken(input: CliInput): string {
  const file = input.text('token-file');
  const token = file === undefined ? process.env['WATCHLEDGER_TOKEN'] : readFileSync(file, 'utf8').trim();
  if (token === undefined || token === '') throw new WrongUse('WATCHLEDGER_TOKEN: is not set; or give --token-file FILE');
  return token;
}
