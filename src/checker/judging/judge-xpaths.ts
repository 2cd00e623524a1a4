import { htmlToXml } from '../rules/html-to-xml.ts';
import { tooMuchForTree } from '../rules/tree-size.ts';
import { xpathSentence } from '../rules/sentences.ts';
import { wellNestedToXml } from '../rules/well-nested-html.ts';
import { XPathTree } from '../rules/xpath.ts';
import type { JudgeXPaths, XPathRule } from './judge-page.ts';

/** Null if the page is nested too deep for the parsers; the scan before cannot tell where end tags do not match. */
function treeOf(html: string, xml: string | null): XPathTree | null {
  try {
    return new XPathTree(xml ?? htmlToXml(html));
  } catch {
    return null;
  }
}

/** One tree for all XPaths of a page. On a page that was cut none of them can be decided. */
export const judgeXPaths: JudgeXPaths = (page, rules, report) => {
  const reportFailure = (rule: XPathRule, found: string): void =>
    report({ kind: 'ruleFailed', failure: { rule: rule.index, sentence: xpathSentence(rule.expression, found) } });
  const wellNested = page.cut ? null : wellNestedToXml(page.html);
  const obstacle = page.cut ? 'the page was cut after 5 MiB' : wellNested === null ? tooMuchForTree(page.html) : null;
  if (obstacle !== null) {
    for (const rule of rules) reportFailure(rule, `but ${obstacle}`);
    return;
  }
  const [first] = rules;
  if (first !== undefined) report({ kind: 'ruleStarted', rule: first.index });
  const tree = treeOf(page.html, wellNested);
  if (tree === null) {
    for (const rule of rules) reportFailure(rule, 'but the page is nested too deep or too large to build a tree of it');
    return;
  }
  report({ kind: 'prepared' });
  try {
    for (const rule of rules) {
      report({ kind: 'ruleStarted', rule: rule.index });
      const result = tree.test(rule.expression);
      if (result.kind === 'fails') reportFailure(rule, result.found);
      if (result.kind === 'invalid') reportFailure(rule, `but ${result.reason}`);
    }
  } finally {
    tree.close();
  }
};
