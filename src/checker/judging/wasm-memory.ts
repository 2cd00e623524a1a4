/**
 * Heap limits of a worker exclude WebAssembly memory, and an XPath of 1 KiB can allocate gigabytes (`concat(/, /, …)`). Must be imported before libxml2,
 * which handles the error as out of memory.
 */
const MAX_BYTES = 64 * 1024 * 1024;
/** The memory never shrinks: a thread beyond this is replaced after its task. */
const REPLACE_BEYOND = 32 * 1024 * 1024;
const PAGE = 64 * 1024;

interface Memory {
  readonly buffer: ArrayBuffer;
  grow: (this: Memory, pages: number) => number;
}

/** Missing in the types of Node and of the language. */
declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } };

let reached = 0;
const { grow } = WebAssembly.Memory.prototype;

WebAssembly.Memory.prototype.grow = function (pages) {
  const wanted = this.buffer.byteLength + pages * PAGE;
  if (wanted > MAX_BYTES) throw new RangeError('no more memory for this page');
  reached = Math.max(reached, wanted);
  return grow.call(this, pages);
};

export const isMemoryGrown = (): boolean => reached > REPLACE_BEYOND;
