import type { CliCommand } from '../command.ts';
import { projection } from '../generate/projection.action.ts';

export const command: CliCommand = { about: 'Write the beginnings of something', actions: { projection } };
