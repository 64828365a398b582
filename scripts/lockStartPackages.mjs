// Writes scripts/start from package.json and package-lock.json: `npm run lock`, after each change of
// these.
import { writeFileSync } from 'node:fs';
import path from 'node:path';

import { repository } from '../tooling/paths.mjs';
import { startPackages } from '../tooling/startPackages.mjs';

const { manifest, lock } = startPackages();
for (const [file, content] of Object.entries({
	'package.json': manifest,
	'package-lock.json': lock,
})) {
	writeFileSync(
		path.join(repository, 'scripts', 'start', file),
		`${JSON.stringify(content, undefined, '\t')}\n`,
	);
}
