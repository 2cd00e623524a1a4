import { type PageDocument, type PageElement, type FileVerdict, verifyOwnFile } from './verify-own-file.ts';

declare const document: PageDocument;
declare const DOMParser: new () => { parseFromString(text: string, type: 'text/html'): PageDocument };

const verifier = document.currentScript?.textContent ?? '';

// What stands behind this script belongs to the page, too.
document.addEventListener('DOMContentLoaded', () => {
  // After the first paint.
  setTimeout(() => void run(), 0);
});

async function run(): Promise<void> {
  const box = document.querySelector('#verdict');
  const started = performance.now();
  let verdict: FileVerdict;
  try {
    verdict = await verifyOwnFile(document, verifier, (text) => new DOMParser().parseFromString(text, 'text/html'));
  } catch (error) {
    const message = `this file cannot be verified: ${error instanceof Error ? error.message : 'unknown error'}`;
    verdict = { kind: 'different', finding: { kind: 'form', message } };
  }
  if (box !== null) show(box, verdict, performance.now() - started);
}

function show(box: PageElement, verdict: FileVerdict, ms: number): void {
  box.className = `verdict ${verdict.kind}`;
  if (verdict.kind === 'different') {
    box.replaceChildren(element('b', '▲ Not equal.'), ` ${verdict.finding.message}`);
    return;
  }
  const { statement, size, signers } = verdict;
  const list = element('ul');
  const open = statement.days.filter(({ measured }) => measured).map(({ day }) => day);
  list.append(
    element('li', `${String(statement.evidence.events.length)} events are in the log under ${String(size)} events, each with its proof.`),
    element('li', 'Every figure was computed again from these events, and the text of this page from the figures.'),
    element(
      'li',
      `Checkpoint and statement are signed by ${signers.join(' and ')}. Compare this key with the one that you were given before.`,
    ),
    ...(open.length === 0 ? [] : [element('li', `Not closed yet, so stated by the service alone: ${open.join(', ')}.`)]),
    element('li', `Verified in ${String(Math.round(ms))} ms in this browser, without any request.`),
  );
  box.replaceChildren(element('b', '✓ Equal.'), ' What this page says follows from the signed record.', list);
}

function element(name: string, text = ''): PageElement {
  const made = document.createElement(name);
  if (text !== '') made.append(text);
  return made;
}
