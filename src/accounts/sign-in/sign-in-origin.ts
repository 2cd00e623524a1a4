import type { FastifyRequest } from 'fastify';
import type { SignInOrigin } from '../sessions/session.commands.ts';

const MAX_USER_AGENT = 200;

export const signInOriginOf = ({ ip, headers }: FastifyRequest): SignInOrigin => {
  const userAgent = headers['user-agent']?.replace(/[^ -~]/g, '').slice(0, MAX_USER_AGENT);
  return { address: ip, userAgent: userAgent === undefined || userAgent === '' ? null : userAgent };
};
