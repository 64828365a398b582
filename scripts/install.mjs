// Installs the development dependencies that a command needs, unless they're there: `node
// scripts/install.mjs`, or `node scripts/install.mjs start` for those of `npm start` and the build.
import { installDependencies } from '../tooling/installations.mjs';
import { say } from '../tooling/progress.mjs';

try {
	await installDependencies(process.argv[2] === 'start' ? 'start' : 'all');
} catch (error) {
	say(error instanceof Error ? error.message : String(error));
	process.exitCode = 1;
}
