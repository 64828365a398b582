// Runs the steps of .github/workflows/publish.yml on this machine, in a fresh clone of the current
// commit: `npm run release:check`. Publishing is a dry run, and steps that need GitHub are left out.
// `npm run release:check -- --skip Test` also leaves out the steps of that name.
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import { parse } from 'yaml';

import { repository } from '../tooling/paths.mjs';
import { cleanEnvironment, run } from '../tooling/processes.mjs';
import { say } from '../tooling/progress.mjs';

/**
 * @typedef {object} Step
 * @property {string} [name]
 * @property {string} [uses]
 * @property {string} [run]
 * @property {string} [working-directory]
 * @property {Record<string, string>} [env]
 */

const {
	values: { skip },
} = parseArgs({ options: { skip: { type: 'string', multiple: true, default: [] } } });

const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-release-'));
const clone = path.join(folder, 'clone');
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1));
process.on('exit', () => rmSync(folder, { recursive: true, force: true }));

/** What a command prints when a server can't be reached. */
const NO_CONNECTION = /(?:ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ETIMEDOUT)[^\n]*/;

/**
 * Why a step isn't run here, if it isn't.
 *
 * @param {Step} step
 */
function obstacleOf(step) {
	if (step.run === undefined) return 'is an action of GitHub';
	if (step.name !== undefined && skip.includes(step.name)) return 'left out by --skip';
	if (/\$\{\{ github\./.test(JSON.stringify(step))) return 'needs what only GitHub can fill in';
	return undefined;
}

/**
 * Runs a step as GitHub's runner does, and says whether it succeeded or can't run here.
 *
 * @param {Step} step
 * @param {Record<string, string>} env
 */
async function succeeds(step, env) {
	const title = step.name ?? step.uses ?? step.run;
	const obstacle = obstacleOf(step);
	if (obstacle !== undefined) {
		say(`- ${title}: not run, ${obstacle}`);
		return true;
	}
	const withoutSecrets = Object.entries(step.env ?? {}).filter(
		([, value]) => !/\$\{\{/.test(value),
	);
	const script = step.run?.replaceAll(/\bnpm publish\b/g, 'npm publish --dry-run') ?? '';
	try {
		await run('bash', ['--noprofile', '--norc', '-eo', 'pipefail', '-c', script], {
			cwd: path.join(clone, step['working-directory'] ?? ''),
			env: cleanEnvironment({ ...env, ...Object.fromEntries(withoutSecrets) }),
		});
		say(`- ${title}: passed${script === step.run ? '' : ', as a dry run'}`);
		return true;
	} catch (error) {
		const text = String(error);
		/* A test that can't connect has failed. */
		const [connection] =
			(/\bnpm (ci|audit|publish)\b/.test(script) && NO_CONNECTION.exec(text)) || [];
		if (connection === undefined) say(`- ${title}: FAILED\n${text}`);
		else say(`- ${title}: not run, no connection: ${connection}`);
		return connection !== undefined;
	}
}

await run('git', ['clone', '--quiet', repository, clone]);
const read = (/** @type {string} */ file) => readFileSync(path.join(clone, file), 'utf8');
const commit = await run('git', ['log', '-1', '--format=%h %s'], { cwd: clone });
const { version } = JSON.parse(read('package.json'));
say(`Version ${version}, ${commit.trim()}, Node.js ${process.version}`);

/** @type {{ jobs: Record<string, { steps: Step[] }> }} */
const { jobs } = parse(read('.github/workflows/publish.yml'));
let succeeded = true;
for (const [name, { steps }] of Object.entries(jobs)) {
	say(`Job ${name}`);
	for (const step of steps) {
		succeeded = succeeded && (await succeeds(step, { GITHUB_REF_NAME: `v${version}` }));
	}
}
if (succeeded) say(read('release/SHA256SUMS').trim());
process.exitCode = succeeded ? 0 : 1;
