import { readFileSync } from 'node:fs';

/** A checkpoint that somebody kept in a file. What mail programs and editors do to the ends of lines and files says nothing about it. */
export const readNote = (file: string): string => `${readFileSync(file, 'utf8').replaceAll('\r\n', '\n').trim()}\n`;
