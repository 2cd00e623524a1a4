import type { Keyring } from '../platform/security/keyring/keyring.ts';

/** For settings that do not leave the process: nothing is encrypted. */
export const plainKeyring: Keyring = {
  seal: (subject, text) => Promise.resolve({ subject, sealed: text }),
  sealFirst: (subject, text) => Promise.resolve({ subject, sealed: text }),
  open: ({ sealed }) => Promise.resolve(sealed),
  erase: () => Promise.resolve(),
};
