import { htmlToXml } from '../rules/html-to-xml.ts';
import { tooMuchForTree } from '../rules/tree-size.ts';
import { xpathSentence } from '../rules/sentences.ts';
import { XPathTree } from '../rules/xpath.ts';
import type { JudgeXPaths } from './judge-page.ts';

/** Null: it is nested deeper than either parser goes, as only building it can tell where end tags do not match. */
function treeOf(html: string): XPathTree | null {
  try {
    return new XPathTree(htmlToXml(html));
  } catch {
    return null;
  }
}

/** One tree for all XPaths of a page. On a page that was cut none of them can be decided. */
export const judgeXPaths: JudgeXPaths = (page, rules, tell) => {
  const fails = (rule: { place: number; expression: string }, found: string): void =>
    tell({ kind: 'fails', failure: { rule: rule.place, sentence: xpathSentence(rule.expression, found) } });
  const impossible = page.cut ? 'but the page was cut after 5 MiB' : tooMuchForTree(page.html);
  if (impossible !== null) {
    for (const rule of rules) fails(rule, page.cut ? impossible : `but ${impossible}`);
    return;
  }
  const [first] = rules;
  if (first !== undefined) tell({ kind: 'begins', rule: first.place });
  const tree = treeOf(page.html);
  if (tree === null) {
    for (const rule of rules) fails(rule, 'but the page is nested too deep or too large to be made a tree of');
    return;
  }
  tell({ kind: 'prepared' });
  try {
    for (const rule of rules) {
      tell({ kind: 'begins', rule: rule.place });
      const result = tree.test(rule.expression);
      if (result.kind === 'fails') fails(rule, result.found);
      if (result.kind === 'invalid') fails(rule, `but ${result.reason}`);
    }
  } finally {
    tree.close();
  }
};
