// Builds dist/: `npm run build`.
import { installDependencies } from '../tooling/installations.mjs';
import { buildPackage } from '../tooling/packaging.mjs';
import { say } from '../tooling/progress.mjs';

try {
	await installDependencies('start');
	await buildPackage();
} catch (error) {
	say(error instanceof Error ? error.message : String(error));
	process.exitCode = 1;
}
