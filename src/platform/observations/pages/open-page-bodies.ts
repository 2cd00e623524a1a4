import type { PagePlace } from '../../config/kept-pages.ts';
import { FolderBodies } from './folder-bodies.ts';
import type { PageBodies } from './page-bodies.ts';
import { S3Bodies } from './s3-bodies.ts';

/** Null when the bodies are in the database. */
export const openPageBodies = (place: PagePlace | undefined): PageBodies | null =>
  place === undefined ? null : place.kind === 'folder' ? new FolderBodies(place.path) : new S3Bodies(place);
