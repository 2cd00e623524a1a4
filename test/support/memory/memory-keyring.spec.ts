import { describe } from '@jest/globals';
import { keyringContract } from '../../../src/platform/security/keyring/keyring.contract.ts';
import { MemoryKeyring } from './memory-keyring.ts';

describe('the keyring in memory', () => {
  const keyring = new MemoryKeyring();
  keyringContract(() => keyring);
});
