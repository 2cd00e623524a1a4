import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import type { RuleCondition } from '../rules/rule.ts';
import { bytePlaces, locateRules } from './locate-rules.ts';

type Given = readonly [type: RuleCondition['type'], op: RuleCondition['op'], val: string];

/** The bytes of each rule, as text of the charset. */
function located(body: Buffer, contentType: string, ...rules: readonly Given[]): readonly (string | null)[] {
  const answer = { url: 'https://site.test/', httpVersion: '1.1', status: 200, statusText: '', redirectedBy: null, cut: false };
  const job = { type: 'simple', defaultErrors: false, rules: rules.map(([type, op, val]) => ({ type, op, val })) } as const;
  const ranges = locateRules({ ...job, answer: { ...answer, headers: [['Content-Type', contentType]], body } });
  const charset = /charset=(.*)/.exec(contentType)?.[1] ?? 'utf-8';
  return ranges.map((range) => range && `${String(range.line)}: ${new TextDecoder(charset).decode(body.subarray(range.from, range.to))}`);
}
const html = 'text/html; charset=utf-8';

describe('the bytes of a rule', () => {
  const page = Buffer.from(
    '<!doctype html>\n<title>Größe &amp; Preis</title>\n<meta name="description" content="Schöne Schuhe">\n' +
      '<p>Ein <b>Schuh</b>  kostet\n 19&euro;</p><script>19€</script>\n<i>Ende</i>',
  );

  it('are those of its match in the HTML, in the text, in titles and meta tags', () => {
    expect(
      located(
        page,
        html,
        ['html', 'sub', 'Größe &amp;'],
        ['html', 'regex', '<b>\\w+'],
        ['text', 'sub', 'Schuh kostet 19€'],
        ['text', '!sub', 'Ende'],
        ['title', 'eq', 'Größe & Preis'],
        ['title', 'eq', 'Other'],
        ['meta-description', 'sub', 'Schuhe'],
      ),
    ).toEqual([
      '2: Größe &amp;',
      '4: <b>Schuh',
      '4: Schuh</b>  kostet\n 19&euro;',
      '6: Ende',
      '2: Größe &amp; Preis',
      '2: Größe &amp; Preis',
      '3: <meta name="description" content="Schöne Schuhe">',
    ]);
  });

  it('are those of the value in JSON, also behind equal names and strings that look like brackets', () => {
    const json = Buffer.from('{"a":"]}\\"","items":[{"n":"ü"},\n{"n":1.5e3,"n":"zwei"}],"deep":{"a":{"b":[[],[true]]}}}');
    expect(
      located(
        json,
        'application/json',
        ['json:$.items[*].n', 'eq', 'zwei'],
        ['json:$.items[0].n', 'eq', 'x'],
        ['json:$.deep.a.b[1][0]', 'eq', 'true'],
        ['json:$.deep.a', '!sub', 'x'],
        ['json:$.none', 'eq', 'x'],
      ),
    ).toEqual(['2: "zwei"', '1: "ü"', '2: true', '2: {"b":[[],[true]]}', null]);
  });

  it('are null for what is no text of the page', () => {
    const rules: readonly Given[] = [
      ['status', 'eq', '200'],
      ['header', 'sub', 'text/html'],
      ['size', 'gt', '1'],
      ['html', 'xpath', '//p['],
      ['html', 'regex', '('],
    ];
    expect(located(page, html, ...rules)).toEqual(rules.map(() => null));
  });

  it.each([
    ['utf-16le', Buffer.from('\ufeff<p>a€𝄞b</p>\nc', 'utf16le')],
    ['shift_jis', Buffer.from([0x3c, 0x70, 0x3e, 0x82, 0xa0, 0x61, 0x0a, 0x62])],
    ['windows-1252', Buffer.from([0x3c, 0x70, 0x3e, 0xe4, 0x80, 0x61, 0x0a, 0x62])],
  ])('are counted in the charset %s', (charset, body) => {
    const [a, last] = located(body, `text/html; charset=${charset}`, ['html', 'sub', 'a'], ['html', 'regex', '[bc]\\z']);
    expect([a, last]).toEqual(['1: a', expect.stringMatching(/^2: [bc]$/)]);
  });

  it('contain the match, whatever stands around it', () => {
    const marks = [
      'x',
      ' ',
      '\n',
      '&amp;',
      '&nbsp;',
      '&#x41;',
      '<b>',
      '</b>',
      '<p>',
      '€',
      '𝄞',
      '<!-- needle -->',
      '<script>needle</script>',
    ];
    const parts = fc.array(fc.constantFrom(...marks));
    fc.assert(
      fc.property(parts, parts, (before, after) => {
        const [text] = located(Buffer.from(`<p>${before.join('')}needle${after.join('')}`), html, ['text', 'sub', 'needle']);
        expect(text).toMatch(/^\d+: needle$/);
      }),
    );
  });
});

it('finds characters in bytes as they are decoded, also in invalid ones', () => {
  const bytes = fc.uint8Array({ maxLength: 60 }).map((array) => Buffer.from(array));
  const valid = fc.string({ unit: 'binary', maxLength: 40 }).map((text) => Buffer.from(text));
  fc.assert(
    fc.property(fc.oneof(bytes, valid), (body) => {
      const text = new TextDecoder().decode(body);
      const wanted = Array.from({ length: text.length + 1 }, (_, index) => index);
      const places = bytePlaces(body, 'utf-8', wanted);
      expect(places).toEqual([...places].sort((one, other) => one - other));
      if (text.includes('\ufffd') || Buffer.from(text).length !== body.length) return;
      for (const index of wanted)
        if (!/[\udc00-\udfff]/.test(text.charAt(index))) expect(body.subarray(places[index]).toString()).toBe(text.slice(index));
    }),
  );
});
