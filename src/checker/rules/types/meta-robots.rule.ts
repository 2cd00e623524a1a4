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

/** The text of a header, or of a meta tag and which one of its name that is. */
interface Directives {
  readonly text: string;
  readonly tag: { readonly name: string; readonly index: number } | null;
}

function sourcesOf(answer: StoredAnswer, page: Page, agent: string): readonly Directives[] {
  const headers = headerValues(answer, 'x-robots-tag').map((header) => ({ text: forAgent(header, agent), tag: null }));
  const names = agent === 'robots' ? [agent] : ['robots', agent];
  const tags = names.flatMap((name) => (page.facts.metas.get(name) ?? []).map((text, index) => ({ text, tag: { name, index } })));
  return [...headers, ...tags];
}

const expanded = (text: string): string[] =>
  directivesIn(text).flatMap((one) => (one === 'none' ? ['none', 'noindex', 'nofollow'] : [one]));

const agentOf = (agent: string | null): string => agent?.toLowerCase() ?? 'robots';

/** The meta tag that a directive is of; null where a header says it first. */
export const robotsTag = (answer: StoredAnswer, page: Page, agent: string | null, directive: string): Directives['tag'] =>
  sourcesOf(answer, page, agentOf(agent)).find(({ text }) => expanded(text).includes(directive))?.tag ?? null;

const directivesOf = (answer: StoredAnswer, page: Page, agent: string): string[] => [
  ...new Set(sourcesOf(answer, page, agent).flatMap(({ text }) => expanded(text))),
];

/** `meta-robots`: what the page and `X-Robots-Tag` ask of every crawler; `meta-robots:<crawler>` adds what they ask of that one. */
export const metaRobotsRow = (agent: string | null): RuleRow =>
  textRow(
    `the robots directives${agent === null ? '' : ` for ${agent}`}`,
    'no directive',
    (answer, page) => ({ values: directivesOf(answer, page, agentOf(agent)), moreToCome: page.cut }),
    { reads: 'head', isExpensive: true },
  );
