import { expect, it } from '@jest/globals';
import { readPagePlace } from './kept-pages.ts';
import { VariableReader } from './variable-reader.ts';

const AWS_KEYS = { AWS_ACCESS_KEY_ID: 'id', AWS_SECRET_ACCESS_KEY: 'secret' };
const read = (variables: Record<string, string>) => {
  const reader = new VariableReader(variables);
  return { place: readPagePlace(reader), problems: reader.problems };
};

it('reads a folder, a bucket of AWS, and one of another store', () => {
  expect(read({})).toEqual({ place: undefined, problems: [] });
  expect(read({ KEPT_PAGES: 'file:///var/lib/pages' }).place).toEqual({ kind: 'folder', path: '/var/lib/pages' });
  const keys = { accessKeyId: 'id', secretAccessKey: 'secret' };
  expect(read({ KEPT_PAGES: 's3://bucket/a/b/?region=eu-central-1', ...AWS_KEYS }).place).toEqual({
    ...{ kind: 's3', endpoint: 'https://s3.eu-central-1.amazonaws.com', region: 'eu-central-1', bucket: 'bucket', prefix: 'a/b', ...keys },
  });
  expect(read({ KEPT_PAGES: 's3://bucket?endpoint=http://minio:9000/', ...AWS_KEYS }).place).toMatchObject({
    ...{ endpoint: 'http://minio:9000', region: 'us-east-1', bucket: 'bucket', prefix: '' },
  });
});

it.each(['pages', 'file://host/folder', 'file:///', 's3://', 's3://key:secret@bucket', 'https://bucket'])('refuses %s', (value) => {
  expect(read({ KEPT_PAGES: value, ...AWS_KEYS }).problems).toEqual([
    expect.stringContaining('KEPT_PAGES: must be file:///FOLDER or s3://BUCKET'),
  ]);
});

it('refuses an object store without its keys, and an endpoint that is no address', () => {
  expect(read({ KEPT_PAGES: 's3://bucket' }).problems).toEqual([
    'AWS_ACCESS_KEY_ID: is required with KEPT_PAGES=s3://...',
    'AWS_SECRET_ACCESS_KEY: is required with KEPT_PAGES=s3://...',
  ]);
  expect(read({ KEPT_PAGES: 's3://bucket?endpoint=minio', ...AWS_KEYS }).problems).toEqual([
    expect.stringContaining('endpoint must be a URL'),
  ]);
});
