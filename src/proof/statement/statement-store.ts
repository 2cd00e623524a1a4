import { promisify } from 'node:util';
import { gunzip, gzip } from 'node:zlib';
import { Injectable } from '@nestjs/common';
import pg from 'pg';
import { joinFile, splitFile, type StatementFile } from './page/page-file.ts';

const [compressed, expanded] = [promisify(gzip), promisify(gunzip)];

/** The files of issued statements, by the hash of the data in them. */
@Injectable()
export class StatementStore {
  constructor(private readonly pool: pg.Pool) {}

  async get(projectId: string, sha256: string): Promise<StatementFile | null> {
    const { rows } = await this.pool.query<{ document: Buffer }>({
      name: 'statement_document',
      text: 'SELECT document FROM statement WHERE project_id = $1 AND sha256 = $2',
      values: [Buffer.from(projectId, 'hex'), Buffer.from(sha256, 'hex')],
    });
    return rows[0] === undefined ? null : splitFile((await expanded(rows[0].document)).toString());
  }

  /** Before its event is appended: an event without its document could not be answered. */
  async put(projectId: string, sha256: string, file: StatementFile): Promise<void> {
    await this.pool.query('INSERT INTO statement (project_id, sha256, document) VALUES ($1, $2, $3) ON CONFLICT DO NOTHING', [
      Buffer.from(projectId, 'hex'),
      Buffer.from(sha256, 'hex'),
      await compressed(joinFile(file)),
    ]);
  }

  /** A document whose event was not appended, because another instance was first. */
  async remove(projectId: string, sha256: string): Promise<void> {
    await this.pool.query('DELETE FROM statement WHERE project_id = $1 AND sha256 = $2', [
      Buffer.from(projectId, 'hex'),
      Buffer.from(sha256, 'hex'),
    ]);
  }
}
