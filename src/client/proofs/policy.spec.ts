import { describe, expect, it } from '@jest/globals';
import { createCosigner, createSigner, signCheckpoint } from '../../proof/seal/signer.ts';
import { parsePolicy, quorumOf } from './policy.ts';

const log = createSigner('shop.example/log', Buffer.alloc(32, 1));
const cosigners = Array.from({ length: 6 }, (_, at) => createCosigner(`w${String(at)}.example`, Buffer.alloc(32, 10 + at)));
const key = (at: number): string => cosigners[at]?.verifierKey ?? '';
const note = signCheckpoint({ origin: log.name, size: 1, root: Buffer.alloc(32, 7) }, [log]);
const [text = ''] = note.split('\n\n');
const cosigned = (...by: readonly number[]): string => note + by.map((at) => cosigners[at]?.cosignatureLine(`${text}\n`, 1) ?? '').join('');
const policy = (lines: string) => parsePolicy(Buffer.from(lines));

/** The example of the specification. */
const TWO_LEVELS = `# two organisations
log ${log.verifierKey} https://shop.example/
\twitness X1 ${key(0)}
witness X2 ${key(1)} https://w1.example/
witness X3 ${key(2)}
group X-witnesses 2 X1 X2 X3

witness Y1 ${key(3)}
witness Y2 ${key(4)}
witness Y3 ${key(5)}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum   X-and-Y
`;

describe('a policy in the form of C2SP tlog-policy', () => {
  it.each([
    [[], false],
    [[0, 1], false],
    [[0, 3], false],
    [[3, 4, 5], false],
    [[0, 2, 5], true],
    [[0, 1, 2, 3, 4, 5], true],
  ])('with two levels of groups, cosigned by %j: %s', (by, isMet) => {
    expect(quorumOf(policy(TWO_LEVELS), cosigned(...by)).isMet).toBe(isMet);
  });

  it('counts no cosignature of another checkpoint, and none under a name alone', () => {
    const only = policy(`witness W ${key(0)}\nquorum W\n`);
    expect(quorumOf(only, note + (cosigners[0]?.cosignatureLine('other\n', 1) ?? '')).isMet).toBe(false);
    expect(quorumOf(only, note + createCosigner('w0.example', Buffer.alloc(32, 99)).cosignatureLine(`${text}\n`, 1)).isMet).toBe(false);
    expect(quorumOf(only, cosigned(0))).toEqual({ isMet: true, cosigners: ['W'] });
  });

  it('needs no cosignature with the quorum none, and may list no log', () => {
    const none = policy('quorum none');
    expect([none.logs, quorumOf(none, note).isMet]).toEqual([[], true]);
  });

  it('takes names as octets', () => {
    const kelvin = policy(`witness K ${key(0)}\nwitness \u212A ${key(1)}\nquorum \u212A\n`);
    expect(quorumOf(kelvin, cosigned(0)).isMet).toBe(false);
    expect(quorumOf(kelvin, cosigned(1))).toEqual({ isMet: true, cosigners: ['\u212A'] });
  });

  it.each([
    ['', /no quorum line/],
    ['quorum none\nquorum none\n', /line 2: there is a quorum already/],
    [`quorum W\nwitness W ${key(0)}\n`, /line 1: "W" is not a witness or group of a line above/],
    [`witness none ${key(0)}\nquorum none\n`, /the name "none" is taken/],
    [`witness W ${key(0)}\nwitness W ${key(1)}\nquorum W\n`, /line 2: the name "W" is taken/],
    [`witness V ${key(0)}\nwitness W ${key(0)}\nquorum W\n`, /line 2: this witness is listed twice/],
    [
      `log ${log.verifierKey}\nlog ${createSigner('other', Buffer.alloc(32, 1)).verifierKey}\nquorum none\n`,
      /line 2: this log is listed twice/,
    ],
    [`log ${key(0)}\nquorum none\n`, /line 1: a verifier key must/],
    [`witness W ${log.verifierKey}\nquorum W\n`, /line 1: a witness key must/],
    [`witness W ${key(0)}\ngroup G 2 W\nquorum G\n`, /line 2: "2" must be all, any or a number from 1 to 1/],
    [`witness W ${key(0)}\ngroup G 0 W\nquorum G\n`, /line 2: "0" must be/],
    [`witness W ${key(0)}\ngroup G all\nquorum G\n`, /line 2: it must have the form group/],
    [`witness W ${key(0)}\ngroup G any W W\nquorum G\n`, /line 2: "W" is a member already/],
    [`witness W ${key(0)}\ngroup G any W\ngroup H any W\nquorum G\n`, /line 3: "W" is a member already/],
    ['group G any none\nquorum G\n', /line 1: "none" is not a witness/],
    ['quorum none\r\n', /line 1: it contains a control character/],
    ['quorums none\n', /line 1: "quorums" must be log, witness, group or quorum/],
  ])('is refused with the line: %j', (lines, reason) => {
    expect(() => policy(lines)).toThrow(reason);
  });
});
