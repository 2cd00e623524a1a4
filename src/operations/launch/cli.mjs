#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { prepare, root } from './prepare.mjs';

const commandLine = join(root, 'dist', 'cli.js');
const asksForHelp = process.argv.includes('--help') || ['help', '--version'].includes(process.argv[2]);

// Whether a source changed since the build takes longer to find out than to print the help.
if (!asksForHelp || !existsSync(commandLine)) prepare();
await import(pathToFileURL(commandLine).href);
