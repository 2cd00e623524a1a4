import { nodePlatform } from '../node-platform.ts';
import { pageSha256, splitFile, type StatementPage } from '../page/page-file.ts';
import { renderPage, verifierElement } from '../page/render-page.ts';
import { verifierScript } from '../verifier-script.ts';
import type { CliOutput } from '../../../platform/cli/command.ts';
import type { FileTrust } from '../../command-line/file-trust.ts';
import { type FurtherCheck, verifyStatementText } from './verify-statement-text.ts';

const OTHER_VERSION =
  '\nNote: the page and the verifier in this file are the signed ones, but not those of this version of Watchledger. ' +
  'The text of the page was not compared with the data: rely on the figures above.';

/** The data as in a statement in JSON; then the page around it, byte by byte. The verifier in the file is compared, never run. */
export async function verifyStatementPage(file: string, trust: FileTrust, output: CliOutput, verifier = verifierScript()): Promise<number> {
  const parts = splitFile(file);
  if (parts === null) {
    const message = 'the file contains no statement, or its data is not in the form in which it is written';
    output.result({ intact: false, finding: { kind: 'form', message } }, `NOT EQUAL: ${message}`);
    return 1;
  }
  return verifyStatementText(parts.text, trust, output, pageCheck(parts.page, verifier));
}

const pageCheck =
  (page: StatementPage, verifier: string): FurtherCheck =>
  (statement) => {
    const ours = renderPage(statement, verifier, nodePlatform);
    const signed = statement.pageSha256;
    if (pageSha256(page, nodePlatform) === signed) {
      const isOurs = page.before === ours.before && page.after === ours.after;
      return { problem: null, note: isOurs ? '\nThe page says what the data says, and the verifier in it is ours.' : OTHER_VERSION };
    }
    const isOurVersion = pageSha256(ours, nodePlatform) === signed;
    return { problem: { kind: 'page', message: isOurVersion ? changedPlace(page, ours, verifier) : `page: ${NOT_SIGNED}` }, note: '' };
  };

const NOT_SIGNED = 'the page around the data, or the verifier in it, is not the one that was signed';

function changedPlace(page: StatementPage, ours: StatementPage, verifier: string): string {
  if (!page.after.startsWith(verifierElement(verifier)))
    return 'verifier: the verifier in this file is not ours; do not rely on what it says';
  // The data is one line.
  const linesOf = ({ before, after }: StatementPage): readonly string[] => `${before}\n${after}`.split('\n');
  const [stated, expected] = [linesOf(page), linesOf(ours)];
  let line = 0;
  while (line < expected.length && stated[line] === expected[line]) line++;
  const [one, other] = [stated[line], expected[line]];
  return `page, line ${String(line + 1)}: the page says ${excerpt(one, other)}, the data gives ${excerpt(other, one)}`;
}

const [BEFORE, AFTER] = [20, 60];

/** A line around the first character that differs. */
function excerpt(line = '', other = ''): string {
  let at = 0;
  while (at < line.length && line[at] === other[at]) at++;
  return JSON.stringify(line.slice(Math.max(0, at - BEFORE), at + AFTER));
}
