import { inflateSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { reportTable, weekReport } from '../../../test/support/notifications/sample-reports.ts';
import { png, chartCeiling, PICTURE_HEIGHT, responsePicture, PICTURE_WIDTH } from './response-picture.ts';
import { reportMail } from './report-sender.ts';

/** To be read by a person: what arrives, word for word. */
describe.each(Object.entries(reportTable))('the report: %s', (_, report) => {
  it('as text', () => {
    const { subject, text } = reportMail(report);
    expect(`Subject: ${subject}\n\n${text}`).toMatchSnapshot();
  });

  it('as HTML', () => {
    expect(reportMail(report).html).toMatchSnapshot();
  });
});

it('counts failures of the shown projects only and says how many are omitted', () => {
  const { subject } = reportMail({ ...weekReport, projects: weekReport.projects.slice(0, 1), more: 9 });
  expect(subject).toMatch(/: 2 failures in 1 of 10 projects$/);
});

it('never rounds a percentage to 0 or 100', () => {
  const [project] = weekReport.projects;
  const { text } = reportMail({
    ...weekReport,
    projects: [{ ...project!, uptime: { up: 99.995, down: 0.005, timeout: 0, unknownMs: 0 } }],
  });
  expect(text).toContain('Uptime: over 99.99 % (0.01 % down)');
});

describe('the chart of response times', () => {
  const points = weekReport.projects[0]!.responseTimes!.points;

  it('shows a week', () => {
    const { points: pixels } = responsePicture(points, weekReport, weekReport.zone);
    // A letter for a patch of eight by eight points: what most of it shows.
    const patches = Array.from({ length: PICTURE_HEIGHT / 8 }, (_, row) =>
      Array.from({ length: PICTURE_WIDTH / 8 }, (__, column) => {
        const patch = Array.from(
          { length: 64 },
          (___, point) => pixels[(row * 8 + (point >> 3)) * PICTURE_WIDTH + column * 8 + (point & 7)],
        );
        return patch.filter((colour) => colour === 2).length >= 32 ? '#' : patch.includes(1) ? '.' : ' ';
      }).join(''),
    );
    expect(`\n${patches.join('\n')}\n`).toMatchSnapshot();
  });

  it('is a PNG with the drawn pixels', () => {
    const picture = responsePicture(points, weekReport, weekReport.zone);
    const bytes = png(picture);
    expect(bytes.subarray(1, 4).toString()).toBe('PNG');
    expect([bytes.readUInt32BE(16), bytes.readUInt32BE(20)]).toEqual([PICTURE_WIDTH, PICTURE_HEIGHT]);
    const start = bytes.indexOf('IDAT') + 4;
    const rows = inflateSync(bytes.subarray(start, start + bytes.readUInt32BE(start - 8)));
    expect(rows).toHaveLength(PICTURE_HEIGHT * (PICTURE_WIDTH + 1));
    expect(rows.subarray(1, PICTURE_WIDTH + 1).equals(picture.points.subarray(0, PICTURE_WIDTH))).toBe(true);
    expect(bytes.length).toBeLessThan(4_000);
  });

  it('has a round maximum above every value', () => {
    const at = (milliseconds: number) => chartCeiling([{ at: 0, milliseconds }]);
    expect([0.2, 1, 1.5, 99, 100, 101, 499, 845, 9_000].map(at)).toEqual([1, 1, 2, 100, 100, 200, 500, 1_000, 10_000]);
  });

  it('is attached once per project with answers and referenced by its HTML', () => {
    const { html = '', pictures = [] } = reportMail(weekReport);
    expect(pictures.map(({ cid }) => html.includes(`src="cid:${cid}"`))).toEqual([true]);
  });
});
