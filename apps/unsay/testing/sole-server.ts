import type { OpenFolder } from '../src/open-folder.ts';

/** What a folder has that no other server shares. */
export const SOLE_SERVER: Pick<
  OpenFolder,
  'storeName' | 'sealedBy' | 'path' | 'others' | 'alone' | 'secret' | 'backUp' | 'close'
> = {
  storeName: 'of a test',
  sealedBy: { provider: 'none', keyId: 'none' },
  path: ':memory:',
  others: { announce: () => undefined, listen: async () => undefined },
  alone: (work) => work(),
  secret: async (_name, bytes) => '5'.repeat(bytes * 2),
  backUp: () => undefined,
  close: async () => undefined,
};
