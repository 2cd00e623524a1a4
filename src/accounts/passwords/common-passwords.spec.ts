import { expect, it } from '@jest/globals';
import { PasswordTooCommon, refuseCommonPassword } from './common-passwords.ts';

it.each(['password', '12345678', 'Password1', 'QWERTYUIOP', 'ｐａｓｓｗｏｒｄ', ' iloveyou '])('refuses %s', async (password) => {
  await expect(refuseCommonPassword(password)).rejects.toThrow(PasswordTooCommon);
});

it.each(['correct horse', 'a long enough password', 'x7!kd92_Qm'])('accepts %s', async (password) => {
  await expect(refuseCommonPassword(password)).resolves.toBeUndefined();
});
