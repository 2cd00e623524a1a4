import { StartRefused } from '../../kernel/start-refused.ts';

/** The file is not a complete backup, or not one for this installation; nothing was changed. */
export class BackupRefused extends StartRefused {}
