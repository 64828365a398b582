// Writes the sandbox's samples into the examples: `npm run examples:samples`.
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import type { Workflow } from '../n8nHost/workflows';
import { samplesFor } from '../practice/exampleSamples';
import { repository } from '../tooling/paths.mjs';

const folder = path.join(repository, 'examples');

for (const file of readdirSync(folder).filter((each) => each.endsWith('.json'))) {
	const location = path.join(folder, file);
	const { settings, ...example }: Workflow = JSON.parse(readFileSync(location, 'utf8'));
	const written = { ...example, pinData: samplesFor(example), settings };
	writeFileSync(location, `${JSON.stringify(written, null, 2)}\n`);
}
