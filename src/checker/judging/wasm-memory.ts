/**
 * The heap limits of a worker do not count the memory of WebAssembly, and an XPath of 1 KiB can ask for gigabytes (`concat(/, /, …)`).
 * Imported before libxml2, which takes a refusal for what it is: no memory.
 */
const LARGEST = 64 * 1024 * 1024;
/** It never shrinks: a thread that has grown beyond this is better replaced. */
const COMFORTABLE = 32 * 1024 * 1024;
const PAGE = 64 * 1024;

interface Memory {
  readonly buffer: ArrayBuffer;
  grow: (this: Memory, pages: number) => number;
}

/** Node has it; the types that come with node and the language do not. */
declare const WebAssembly: { readonly Memory: { readonly prototype: Memory } };

let reached = 0;
const { grow } = WebAssembly.Memory.prototype;

WebAssembly.Memory.prototype.grow = function (pages) {
  const wanted = this.buffer.byteLength + pages * PAGE;
  if (wanted > LARGEST) throw new RangeError('no more memory for this page');
  reached = Math.max(reached, wanted);
  return grow.call(this, pages);
};

export const isSpent = (): boolean => reached > COMFORTABLE;
