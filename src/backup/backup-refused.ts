import { StartRefused } from '../kernel/start-refused.ts';

/** A file that is not a whole backup, or not one for this installation. Said in one line; nothing was changed. */
export class BackupRefused extends StartRefused {}
