import { createReadStream, readFileSync } from 'node:fs';
import { parseVerifierKey, type VerifierKey } from '../../ledger/verify/signed-note.ts';
import { verifyExport } from '../../ledger/verify/verify-export.ts';
import { type CliOutput, WrongUse } from '../command.ts';
import { reasonOf } from '../../kernel/system-error.ts';

/** Needs neither server nor database, only the file and the key. */
export async function verifyFile(file: string, keys: readonly VerifierKey[], output: CliOutput): Promise<number> {
  const chunks = file === '-' ? process.stdin : createReadStream(file);
  const verdict = await verifyExport(chunks, keys);
  if (verdict.kind === 'tampered') {
    output.result({ intact: false, finding: verdict.finding }, `NOT INTACT: ${verdict.finding.message}`);
    return 1;
  }
  const { head, checkpoint, key } = verdict;
  const { project, span, count } = head;
  output.result(
    { intact: true, project, span, count, checkpoint: { origin: checkpoint.origin, size: checkpoint.size }, key: key.text },
    `Intact: ${String(count)} events of project ${project}, as sealed by ${checkpoint.origin} under ${String(checkpoint.size)} events.`,
  );
  return 0;
}

/** One key, or several separated by commas, as `GET /ledger/key` lists them. */
export function readKeys(text: string): readonly VerifierKey[] {
  try {
    return text
      .split(/[\s,]+/)
      .filter(Boolean)
      .map(parseVerifierKey);
  } catch (error) {
    throw new WrongUse(`--key: ${reasonOf(error)}`);
  }
}

/** A checkpoint kept in a file; mail programs and editors change line ends and trailing white space. */
export const readNote = (file: string): string => `${readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
