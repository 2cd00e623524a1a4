/** Above every user id that is ever assigned, within the 32 bits of the interface's integers. */
const LEAST = 2 ** 30;

/** Stands for an invitation where the interface wants a user id. It says nothing about the account that the address may have. */
export const invitationNumber = (invitationId: string): number => LEAST + (Number.parseInt(invitationId.slice(-8), 16) % LEAST);
