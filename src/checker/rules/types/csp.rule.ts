import { effective, policiesOf } from '../content-security-policy.ts';
import { type RuleRow, textRow } from '../rule-row.ts';

/** `csp:<directive>`: what the Content Security Policies of an answer together allow. */
export const cspRow = (directive: string): RuleRow =>
  textRow(
    `${directive} of the Content Security Policy`,
    'no such directive',
    (answer, page) => ({
      values: effective(policiesOf(answer, page), directive),
      moreToCome: page.cut && page.elements.policies.length === 0,
    }),
    { reads: 'head', isExpensive: true },
  );
