import { ofNumber, ofText } from '../comparers.ts';
import type { Page } from '../../page/page.ts';
import { type RuleRow, textRow } from '../rule-row.ts';

interface Line {
  readonly name: string;
  readonly value: string;
}

/** In characters; crawlers may leave out the rest (RFC 9309, section 2.5). */
const MAX_READ = 512 * 1024;

const linesOf = (text: string): Line[] =>
  text
    .slice(0, MAX_READ)
    .split(/\r\n?|\n/)
    .flatMap((line) => {
      const content = line.split('#', 1)[0] ?? '';
      const colon = content.indexOf(':');
      return colon < 0
        ? []
        : [{ name: content.slice(0, colon).replace('\ufeff', '').trim().toLowerCase(), value: content.slice(colon + 1).trim() }];
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

function valuesOf(page: Page, directive: string, agent: string): string[] {
  const lines = linesOf(page.html);
  const read = directive === 'sitemap' ? lines : linesFor(lines, agent);
  return read.flatMap(({ name, value }) => (name === directive ? [value] : []));
}

/** `robots:<directive>` and `robots:<directive>:<crawler>`: the values of a directive of a robots.txt. */
export function robotsRow(parameter: string): RuleRow {
  const [directive = '', agent = '*'] = parameter.split(':');
  return textRow(
    `${directive} of robots.txt${agent === '*' ? '' : ` for ${agent}`}`,
    'no such line',
    (_, page) => ({ values: valuesOf(page, directive, agent.toLowerCase()), moreToCome: page.cut }),
    { comparers: directive === 'crawl-delay' ? ofNumber : ofText, isExpensive: true },
  );
}
