import { describe, expect, it } from '@jest/globals';
import { keptPages, type KeptPage } from '../../../test/error-pages/kept-pages.ts';
import { Page } from '../page/page.ts';
import { detect } from './detect-error.ts';

const isDetected = ({ body, type }: KeptPage): boolean =>
  detect(new Page({ body: Buffer.from(body), contentType: type === '' ? 'text/html' : type, cut: false })) !== null;

const percent = (part: number, of: number): string => `${((100 * part) / of).toFixed(1)} %`;

describe('default errors on pages as software serves them', () => {
  it('finds at least 92 % of the pages of broken software', () => {
    const errors = keptPages('errors');
    const missed = errors.filter((page) => !isDetected(page));
    process.stdout.write(
      `default errors: ${percent(errors.length - missed.length, errors.length)} of ${String(errors.length)} error pages found\n`,
    );
    expect(errors.length).toBeGreaterThan(1000);
    expect(missed.length / errors.length).toBeLessThan(0.08);
  });

  it('flags no healthy page that shows, searches for or discusses errors', () => {
    const healthy = keptPages('healthy');
    const flagged = healthy.filter(isDetected).map(({ name }) => name);
    process.stdout.write(`default errors: ${String(flagged.length)} of ${String(healthy.length)} healthy pages flagged\n`);
    expect(healthy.length).toBeGreaterThan(400);
    expect(flagged).toEqual([]);
  });
});
