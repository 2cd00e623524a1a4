import { expect, it } from '@jest/globals';
import { SiteYaml } from './site-yaml.ts';

const written = (text: string, key: string, site: object): string => {
  const file = new SiteYaml(text, ' yaml-language-server: $schema=http://127.0.0.1:3000/schemas/site.json');
  file.write(key, site);
  return file.toString();
};

it('writes a new file in the order of the site', () => {
  expect(written('', 'a', { key: 'a', url: 'https://a.example', groups: [{ name: 'G', checks: [{ name: 'x', url: '/' }] }] })).toBe(
    `# yaml-language-server: $schema=http://127.0.0.1:3000/schemas/site.json
key: a
url: https://a.example
groups:
  - name: G
    checks:
      - name: x
        url: /
`,
  );
});

const KEPT = `# Of the shop team.
key: a
url: https://a.example # behind a proxy
period: "1 hour"
groups:
  # What customers see.
  - name: G
    httpAuth: {user: u, password: "\${file:password}"}
    checks:
      - {name: x, url: /} # the front page
      - {name: y, url: /y}
---
key: b
url: https://b.example
`;

it('keeps comments, spellings, references and other sites where nothing changes', () => {
  const site = {
    ...{ key: 'a', url: 'https://a.example', period: '1 hour' },
    groups: [
      {
        name: 'G',
        httpAuth: { user: 'u', password: '${env:A_G_PASSWORD}' },
        checks: [
          { name: 'x', url: '/' },
          { name: 'y', url: '/y' },
        ],
      },
    ],
  };
  const same = written(KEPT, 'a', site);
  expect(written(same, 'a', site)).toBe(same);
  for (const kept of ['# Of the shop team.', '# behind a proxy', '# What customers see.', '# the front page', '${file:password}', 'key: b'])
    expect(same).toContain(kept);
});

it('changes, adds and removes what differs alone', () => {
  const after = written(KEPT, 'a', {
    ...{ key: 'a', url: 'https://other.example' },
    groups: [
      {
        name: 'G',
        httpAuth: { user: 'u', password: '${env:A_G_PASSWORD}' },
        checks: [
          { name: 'z', url: '/z' },
          { name: 'x', url: '/new' },
        ],
      },
    ],
  });
  expect(after).toContain('url: https://other.example # behind a proxy');
  expect(after).not.toContain('period');
  expect(after).not.toContain('name: y');
  expect(after.indexOf('/z')).toBeLessThan(after.indexOf('/new'));
  expect(after).toContain('# the front page');
  expect(after).toContain('# What customers see.');
});

it('leaves what an anchor says', () => {
  const text =
    'key: a\nurl: https://a.example\nx: &rules [{op: sub, val: a}]\ngroups:\n  - name: G\n    checks:\n      - {name: x, url: /, rules: *rules}\n'.replace(
      /^x: .*\n/m,
      '',
    );
  expect(
    written(text.replace(', rules: *rules', ''), 'a', {
      key: 'a',
      url: 'https://a.example',
      groups: [{ name: 'G', checks: [{ name: 'x', url: '/' }] }],
    }),
  ).toContain('{name: x, url: /}');
});

it('leaves a text in which nothing changes as it is, and keeps the line ends of one in which something does', () => {
  const site = { key: 'a', url: 'https://a.example', title: 'A', groups: [{ name: 'G' }] };
  const indented = 'key:   a\r\nurl: \'https://a.example\'\r\ntitle: "A"\r\ngroups:\r\n    -   name: G # first\r\n';
  expect(written(indented, 'a', site)).toBe(indented);
  const changed = written(indented, 'a', { ...site, title: 'B' });
  expect(changed).toContain('title: "B"\r\n');
  expect(changed.replaceAll('\r\n', '')).not.toMatch(/[\r\n]/);
});
