import type { Page } from '../../page/page.ts';
import { type RuleRow, textRow } from '../rule-row.ts';
import { headerValues, type StoredAnswer } from '../stored-answer.ts';

/** Directives whose value follows a colon; before any other colon stands the name of a crawler. */
const WITH_VALUE = /^(?:max-snippet|max-image-preview|max-video-preview|unavailable_after)\s*:/i;
const AGENT = /^\s*([A-Za-z0-9_-]+)\s*:/;

/** The directives of a header for a crawler, or for all. */
function forAgent(header: string, agent: string): string {
  if (WITH_VALUE.test(header.trim())) return header;
  const named = AGENT.exec(header);
  if (named === null) return header;
  return named[1]?.toLowerCase() === agent ? header.slice(named[0].length) : '';
}

const directivesIn = (text: string): string[] =>
  text
    .toLowerCase()
    .split(',')
    .map((directive) => directive.trim().replace(/\s*:\s*/, ':'))
    .filter(Boolean);

function directivesOf(answer: StoredAnswer, page: Page, agent: string): string[] {
  const headers = headerValues(answer, 'x-robots-tag').map((header) => forAgent(header, agent));
  const names = agent === 'robots' ? [agent] : ['robots', agent];
  const tags = names.flatMap((name) => page.facts.metas.get(name) ?? []);
  const directives = [...headers, ...tags].flatMap(directivesIn);
  return [...new Set(directives.flatMap((one) => (one === 'none' ? ['none', 'noindex', 'nofollow'] : [one])))];
}

/** `meta-robots`: what the page and `X-Robots-Tag` ask of every crawler; `meta-robots:<crawler>` adds what they ask of that one. */
export const metaRobotsRow = (agent: string | null): RuleRow =>
  textRow(
    `the robots directives${agent === null ? '' : ` for ${agent}`}`,
    'no directive',
    (answer, page) => ({ values: directivesOf(answer, page, agent?.toLowerCase() ?? 'robots'), moreToCome: page.cut }),
    { reads: 'head', isExpensive: true },
  );
