import { ofNumber, ofText } from '../comparers.ts';
import type { Page } from '../../page/page.ts';
import { type RuleRow, textRow } from '../rule-row.ts';
import { textLines } from '../text-lines.ts';

interface Line {
  readonly name: string;
  readonly value: string;
  /** The place of the line in the text, without a comment and the line end. */
  readonly from: number;
  readonly to: number;
}

/** The characters of a file that are read; crawlers may ignore the rest (RFC 9309, section 2.5). */
const MAX_READ = 512 * 1024;

const linesOf = (text: string): Line[] =>
  [...textLines(text.slice(0, MAX_READ), /\r\n?|\n/g)].flatMap(({ from, text: line }) => {
    const content = line.split('#', 1)[0] ?? '';
    const colon = content.indexOf(':');
    if (colon < 0) return [];
    const name = content.slice(0, colon).replace('\ufeff', '').trim().toLowerCase();
    return [{ name, value: content.slice(colon + 1).trim(), from, to: from + content.trimEnd().length }];
  });

/** The lines of the groups for a crawler; without one, those for all others (RFC 9309, section 2.2.1). */
function linesFor(lines: readonly Line[], agent: string): readonly Line[] {
  const [own, others]: [Line[], Line[]] = [[], []];
  let agents: string[] = [];
  let isHead = false;
  let isNamed = false;
  for (const line of lines) {
    if (line.name === 'user-agent') {
      if (!isHead) agents = [];
      isHead = true;
      agents.push(line.value.toLowerCase());
      isNamed ||= line.value.toLowerCase() === agent;
    } else if (line.name !== 'sitemap') {
      isHead = false;
      if (agents.includes(agent)) own.push(line);
      if (agents.includes('*')) others.push(line);
    }
  }
  return isNamed ? own : others;
}

const partsOf = (parameter: string): readonly [directive: string, agent: string] => {
  const [directive = '', agent = '*'] = parameter.split(':');
  return [directive, agent];
};

/** The lines whose values `robots:<parameter>` compares, in the same order. */
export function robotsLines(page: Page, parameter: string): readonly Pick<Line, 'value' | 'from' | 'to'>[] {
  const [directive, agent] = partsOf(parameter);
  const lines = linesOf(page.html);
  const read = directive === 'sitemap' ? lines : linesFor(lines, agent.toLowerCase());
  return read.filter(({ name }) => name === directive);
}

/** `robots:<directive>` and `robots:<directive>:<crawler>`: the values of a directive of a robots.txt. */
export function robotsRow(parameter: string): RuleRow {
  const [directive, agent] = partsOf(parameter);
  return textRow(
    `${directive} of robots.txt${agent === '*' ? '' : ` for ${agent}`}`,
    'no such line',
    (_, page) => ({ values: robotsLines(page, parameter).map(({ value }) => value), moreToCome: page.cut }),
    { comparers: directive === 'crawl-delay' ? ofNumber : ofText, isExpensive: true },
  );
}
