import { parentPort } from 'node:worker_threads';
import { threadStatPath } from './thread-time.ts';
import type { WorkerReady } from './worker-slot.ts';
import type { ComparedPage, WorkerReport, WorkerTask } from './judge-job.ts';
import { judgePage } from './judge-page.ts';
import { judgeXPaths } from './judge-xpaths.ts';
import { type NamedText, unifiedDiff } from './unified-diff.ts';
import { locateRules } from '../locating/locate-rules.ts';
import { decodeText } from '../page/charset.ts';
import { readHomepage } from '../page/homepage.ts';
import { capturingProblem } from '../rules/extract-value.ts';
import { compilePattern } from '../rules/patterns.ts';
import { compileJsonPath } from '../rules/json-path.ts';
import type { Expression } from '../../projects/checks/rule-syntax.ts';
import { xpathProblem } from '../rules/xpath.ts';

/**
 * Heap limits of a worker exclude WebAssembly memory, and an XPath of 1 KiB can allocate gigabytes (`concat(/, /, …)`). Must be imported before libxml2,
 * which handles the error as out of memory.
 */
const MAX_BYTES = 64 * 1024 * 1024;
/** The memory never shrinks: a thread beyond this is replaced after its task. */
const REPLACE_BEYOND = 32 * 1024 * 1024;
const PAGE = 64 * 1024;

interface Memory {
  readonly buffer: ArrayBuffer;
  grow: (this: Memory, pages: number) => number;
}

/** Missing in the types of Node and of the language. */
declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } };

let reached = 0;
const { grow } = WebAssembly.Memory.prototype;

WebAssembly.Memory.prototype.grow = function (pages) {
  const wanted = this.buffer.byteLength + pages * PAGE;
  if (wanted > MAX_BYTES) throw new RangeError('no more memory for this page');
  reached = Math.max(reached, wanted);
  return grow.call(this, pages);
};

const isMemoryGrown = (): boolean => reached > REPLACE_BEYOND;

/** Worker thread; holds no state beyond the current task, so it may be terminated at any time. */
const port = parentPort;
if (port === null) throw new Error('judge-worker must run as a worker thread');
const report = (event: WorkerReport): void => port.postMessage(event);

function problemOf({ kind, source }: Expression): string | null {
  if (kind === 'xpath') return xpathProblem(source);
  if (kind === 'capture') return capturingProblem(source);
  const compiled = kind === 'pattern' ? compilePattern(source) : compileJsonPath(source);
  return compiled.ok ? null : compiled.reason;
}

const textOf = ({ name, body, contentType, cut }: ComparedPage): NamedText => ({ name, text: decodeText(body, contentType, cut).text });

port.on('message', (task: WorkerTask) => {
  if (task.kind === 'judge') judgePage(task.job, report, judgeXPaths);
  else if (task.kind === 'locate') report({ kind: 'located', ranges: locateRules(task.job) });
  else if (task.kind === 'inspect') report({ kind: 'inspected', ...readHomepage(task.homepage) });
  else if (task.kind === 'compare') report({ kind: 'compared', diff: unifiedDiff(textOf(task.before), textOf(task.after)) });
  else for (const expression of task.expressions) report({ kind: 'expressionRead', problem: problemOf(expression) });
  port.postMessage(isMemoryGrown() ? 'spent' : 'done');
});
port.postMessage({ ready: threadStatPath() } satisfies WorkerReady);
