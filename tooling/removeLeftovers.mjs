// Removes what nothing needs once n8n is installed: pnpm's store, and the source maps. It takes ten
// seconds, so installations.mjs runs it as a process beside n8n's start: `node removeLeftovers.mjs
// STORE MODULES`.
import { rm } from 'node:fs/promises';

import { removeSourceMaps } from './sourceMaps.mjs';

const [, , store = '', modules = ''] = process.argv;
await Promise.all([rm(store, { recursive: true, force: true }), removeSourceMaps(modules)]);
