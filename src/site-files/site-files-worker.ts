import { parentPort } from 'node:worker_threads';
import { threadStatPath } from '../checker/judging/thread-time.ts';
import type { WorkerReady } from '../checker/judging/worker-slot.ts';
import type { ParsedSites } from './site-file-parser.ts';
import { type GivenFile, readSiteFiles } from './read-site-files.ts';

/** Worker thread: a mebibyte of YAML takes a second to parse, and hostile aliases must not block the main thread. */
const port = parentPort;
if (port === null) throw new Error('site-files-worker must run as a worker thread');
// The parser reads a variable of the environment at every token, which takes half of its time unless the environment is a plain object.
process.env = { ...process.env };
port.on('message', (files: readonly GivenFile[]) => {
  const { sites, pages, problems } = readSiteFiles(files);
  port.postMessage({
    sites: sites.map(({ file, fileIndex, site }) => ({ file, fileIndex, site })),
    pages: pages.map(({ file, fileIndex, page }) => ({ file, fileIndex, page })),
    problems,
  } satisfies ParsedSites);
  port.postMessage('done');
});
port.postMessage({ ready: threadStatPath() } satisfies WorkerReady);
