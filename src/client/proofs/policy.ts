import { cosignaturesOf } from './cosignature.ts';
import { parseNote, parseVerifierKey, parseWitnessKey, type VerifierKey } from './signed-note.ts';

/** C2SP tlog-policy: which logs are trusted, and which witnesses must have cosigned a checkpoint. */
export interface TrustPolicy {
  /** Empty when the log is known from elsewhere. */
  readonly logs: readonly VerifierKey[];
  readonly witnesses: ReadonlyMap<string, VerifierKey>;
  readonly groups: ReadonlyMap<string, WitnessGroup>;
  /** The name of the witness or group that must have cosigned; with `none` no cosignature is needed. */
  readonly quorum: string;
}

interface WitnessGroup {
  readonly threshold: number;
  readonly members: readonly string[];
}

export class BadPolicy extends Error {
  override readonly name = 'BadPolicy';
}

const NONE = 'none';

class PolicyParser {
  readonly #logs: VerifierKey[] = [];
  readonly #witnesses = new Map<string, VerifierKey>();
  readonly #groups = new Map<string, WitnessGroup>();
  readonly #members = new Set<string>();
  #quorum: string | null = null;

  parse(bytes: Uint8Array): TrustPolicy {
    // Names are opaque octets, so that the meaning does not depend on a version of Unicode.
    const lines = Buffer.from(bytes).toString('latin1').split('\n');
    for (const [at, line] of lines.entries())
      try {
        this.#line(line);
      } catch (error) {
        throw new BadPolicy(`line ${String(at + 1)}: ${error instanceof Error ? error.message : String(error)}`);
      }
    if (this.#quorum === null) throw new BadPolicy('it has no quorum line');
    return { logs: this.#logs, witnesses: this.#witnesses, groups: this.#groups, quorum: this.#quorum };
  }

  #line(line: string): void {
    if (/[^\t\u0020-\u007e\u0080-\u00ff]/.test(line)) throw new Error('it contains a control character');
    const [keyword = '', ...items] = line.split(/[\t ]+/).filter(Boolean);
    if (keyword === '' || keyword.startsWith('#')) return;
    if (keyword === 'log') this.#log(items);
    else if (keyword === 'witness') this.#witness(items);
    else if (keyword === 'group') this.#group(items);
    else if (keyword === 'quorum') this.#setQuorum(items);
    else throw new Error(`"${keyword}" must be log, witness, group or quorum`);
  }

  #log(items: readonly string[]): void {
    const [vkey = ''] = between(items, 1, 2, 'log VKEY [URL]');
    const key = parseVerifierKey(utf8(vkey));
    if (this.#logs.some((known) => isSameKey(known, key))) throw new Error('this log is listed twice');
    this.#logs.push(key);
  }

  #witness(items: readonly string[]): void {
    const [name = '', vkey = ''] = between(items, 2, 3, 'witness NAME VKEY [URL]');
    this.#refuseTaken(name);
    const key = parseWitnessKey(utf8(vkey));
    if ([...this.#witnesses.values()].some((known) => isSameKey(known, key))) throw new Error('this witness is listed twice');
    this.#witnesses.set(name, key);
  }

  #group(items: readonly string[]): void {
    const [name = '', wanted = '', ...members] = between(items, 3, Infinity, 'group NAME all|any|K NAME...');
    this.#refuseTaken(name);
    for (const member of members) {
      this.#refuseUnknown(member);
      if (this.#members.has(member)) throw new Error(`"${utf8(member)}" is a member already, and can be one only once`);
      this.#members.add(member);
    }
    const threshold = { all: members.length, any: 1 }[wanted] ?? (/^[1-9]\d{0,8}$/.test(wanted) ? Number(wanted) : 0);
    if (threshold < 1 || threshold > members.length)
      throw new Error(`"${utf8(wanted)}" must be all, any or a number from 1 to ${String(members.length)}`);
    this.#groups.set(name, { threshold, members });
  }

  #setQuorum(items: readonly string[]): void {
    const [name = ''] = between(items, 1, 1, 'quorum NAME');
    if (this.#quorum !== null) throw new Error('there is a quorum already');
    if (name !== NONE) this.#refuseUnknown(name);
    this.#quorum = name;
  }

  #isKnown(name: string): boolean {
    return this.#witnesses.has(name) || this.#groups.has(name);
  }

  #refuseTaken(name: string): void {
    if (name === NONE || this.#isKnown(name)) throw new Error(`the name "${utf8(name)}" is taken`);
  }

  #refuseUnknown(name: string): void {
    if (!this.#isKnown(name)) throw new Error(`"${utf8(name)}" is not a witness or group of a line above`);
  }
}

const utf8 = (octets: string): string => Buffer.from(octets, 'latin1').toString();

function between(items: readonly string[], least: number, most: number, form: string): readonly string[] {
  if (items.length < least || items.length > most) throw new Error(`it must have the form ${form}`);
  return items;
}

/** Also under another name. */
const isSameKey = (one: VerifierKey, other: VerifierKey): boolean => one.key.equals(other.key);

/** Throws `BadPolicy`, which names the line. */
export const parsePolicy = (bytes: Uint8Array): TrustPolicy => new PolicyParser().parse(bytes);

export interface QuorumVerdict {
  readonly isMet: boolean;
  /** Names of the witnesses that cosigned. */
  readonly cosigners: readonly string[];
}

/** Whether the witnesses that cosigned the checkpoint are a quorum of the policy. */
export function quorumOf({ witnesses, groups, quorum }: TrustPolicy, checkpoint: string): QuorumVerdict {
  const note = parseNote(checkpoint);
  const signed = new Set(note === null ? [] : cosignaturesOf(note, [...witnesses.values()]).map(({ key }) => key));
  const cosigners = [...witnesses].flatMap(([name, key]) => (signed.has(key) ? [name] : []));
  const hasWitnessed = (name: string): boolean => {
    const group = groups.get(name);
    return group === undefined ? cosigners.includes(name) : group.members.filter(hasWitnessed).length >= group.threshold;
  };
  return { isMet: quorum === NONE || hasWitnessed(quorum), cosigners: cosigners.map(utf8) };
}
