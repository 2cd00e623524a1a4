/** The bodies of kept pages outside of the database, as objects that are written once and never changed. */
export interface PageBodies {
  put(name: string, bytes: Uint8Array): Promise<void>;
  /** Null if there is none. */
  get(name: string): Promise<Buffer | null>;
  /** Also where there is none. */
  delete(name: string): Promise<void>;
}

/** Injection token; the value is null where they are in the database. */
export const PAGE_BODIES = Symbol('PageBodies');
