/** Something that is measured in masses: how it is packed, and in which order it is kept. */
export interface PackKind<Item extends { readonly at: number }> {
  /** `<name>_flush` and `<name>_hour` hold it. */
  readonly name: 'sample' | 'run';
  pack(items: readonly Item[]): Buffer;
  unpack(packed: Uint8Array): readonly Item[];
  inOrder(items: readonly Item[]): readonly Item[];
}

export const HOUR = 3_600_000;
export const hourOf = (at: number): number => Math.floor(at / HOUR);

const ID_BYTES = 12;
/** Of what is not repacked yet a reader takes the rows of one slot only. */
const SLOTS = 8;

export function idBytes(id: string): Buffer {
  const bytes = Buffer.from(id, 'hex');
  if (bytes.length !== ID_BYTES || id.length !== ID_BYTES * 2) throw new RangeError(`${id} is no identifier`);
  return bytes;
}

export const idText = (bytes: Uint8Array): string => Buffer.from(bytes).toString('hex');

export const slotOf = (projectId: string): number => (idBytes(projectId)[ID_BYTES - 1] ?? 0) % SLOTS;

export const slots: readonly number[] = Array.from({ length: SLOTS }, (_, slot) => slot);

export { ID_BYTES };
