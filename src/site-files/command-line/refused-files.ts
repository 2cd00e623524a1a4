import { type FileProblem, inOneLine } from '../read-site-files.ts';
import type { CliOutput } from '../../platform/cli/command.ts';

/** Shows what is wrong in files; answers the exit status. */
export function refusedFiles(output: CliOutput, problems: readonly FileProblem[]): number {
  output.result({ valid: false, problems }, () => problems.map(inOneLine).join('\n'));
  return 2;
}
