import path from 'node:path';
import { fileURLToPath } from 'node:url';

/** The folder of the repository. */
export const repository = fileURLToPath(new URL('../..', import.meta.url));

/** Where commands leave the packed tarball and other results; not in git. */
export const buildFolder = path.join(repository, '.build');
