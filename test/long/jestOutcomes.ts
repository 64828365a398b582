import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

import { buildFolder, repository } from '../../tooling/paths.mjs';
import { cleanEnvironment, npmInTerminal } from '../../tooling/processes.mjs';

const tested = { fullName: z.string(), status: z.string(), duration: z.number().nullish() };
/* Its name is the path of the file. */
const testedFile = z.object({ name: z.string(), assertionResults: z.array(z.object(tested)) });
const results = z.object({ testResults: z.array(testedFile) });

export interface Outcome {
	/** The name of the test file, without its end. */
	readonly file: string;
	readonly title: string;
	readonly status: string;
	readonly seconds: number;
}

/**
 * Runs tests in a separate process, and returns what came of each.
 *
 * @param command of npm that starts Jest
 * @param name of the file for its results
 */
export async function jestOutcomes(
	command: readonly string[],
	name: string,
	{ args, env, minutes }: { args: readonly string[]; env: Record<string, string>; minutes: number },
): Promise<Outcome[]> {
	const file = path.join(buildFolder, `${name}.json`);
	rmSync(file, { force: true });
	mkdirSync(buildFolder, { recursive: true });
	await npmInTerminal([...command, '--json', `--outputFile=${file}`, ...args], {
		cwd: repository,
		env: cleanEnvironment(env),
		minutes,
	});
	const { testResults } = results.parse(JSON.parse(readFileSync(file, 'utf8')));
	return testResults.flatMap(({ name: tested, assertionResults }) =>
		assertionResults.map(({ fullName: title, status, duration }) => ({
			file: path.basename(tested, '.test.ts'),
			title,
			status,
			seconds: Math.round((duration ?? 0) / 1000),
		})),
	);
}
