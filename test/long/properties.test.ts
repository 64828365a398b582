import { readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

import { buildFolder, repository } from '../../scripts/lib/paths.mjs';
import { cleanEnvironment, npmInTerminal } from '../../scripts/lib/processes.mjs';
import { markdownTable } from '../support/markdown';
import { writeSection } from '../support/reliabilityReport';

/** How many times more cases than in the unit tests each property gets. */
const FACTOR = Number(process.env.LONG_FACTOR ?? 40);

jest.setTimeout(900_000);

const results = z.object({
	testResults: z.array(
		z.object({
			assertionResults: z.array(
				z.object({ fullName: z.string(), status: z.string(), duration: z.number().nullish() }),
			),
		}),
	),
});

/** The properties checked against an independent library, and the unit tests' number of cases. */
const PROPERTIES = [
	['reads what siwe writes', 'sign-in messages written by `siwe`', 100],
	[
		'refuses any message with one line changed',
		'sign-in messages with a changed line, against `siwe`',
		2_000,
	],
	[
		'lets nothing be signed that siwe',
		'sign-in messages with changed characters, signed, against `siwe`',
		2_000,
	],
	['is signed only where ethers signs the very same bytes', 'typed data, against `ethers`', 500],
	['signs no spelling of another role', 'spellings of roles in 32 bytes, made by `ethers`', 2_000],
	['signs any text as ethers does', 'texts, against `ethers`', 20],
] as const;

it('the wallet agrees with independent libraries over many more cases', async () => {
	const file = path.join(buildFolder, 'properties.json');
	rmSync(file, { force: true });
	await npmInTerminal(
		[
			...['exec', '--', 'jest', '--json', `--outputFile=${file}`],
			...['--selectProjects', 'unit', 'properties'],
			...['--testTimeout=600000', '--testPathPatterns', 'unit/(signing|idempotency)'],
			...['-t', PROPERTIES.map(([name]) => name).join('|')],
		],
		{
			cwd: repository,
			env: cleanEnvironment({ PROPERTY_FACTOR: String(FACTOR) }),
			minutes: 14,
		},
	);
	const outcomes = results
		.parse(JSON.parse(readFileSync(file, 'utf8')))
		.testResults.flatMap(({ assertionResults }) => assertionResults);
	const rows = PROPERTIES.map(([name, what, quick]) => {
		const outcome = outcomes.find(({ fullName }) => fullName.includes(name));
		const seconds = Math.round((outcome?.duration ?? 0) / 1000);
		return [what, quick * FACTOR, outcome?.status ?? 'not found', seconds];
	});
	const tried = PROPERTIES.reduce((sum, [, , quick]) => sum + quick * FACTOR, 0);
	writeSection('properties', {
		versions: `Node ${process.versions.node}`,
		result: `${rows.filter(([, , status]) => status === 'passed').length} of ${rows.length} properties hold over ${tried} cases`,
		figures: [
			`The unit tests' properties, ${FACTOR} times the cases (LONG_FACTOR): the wallet must sign what ` +
				'the other library signs, and read what it reads.',
			markdownTable(['', 'tried', 'outcome', 'seconds'], rows),
		],
	});
	expect(rows.map(([, , status]) => status)).toEqual(PROPERTIES.map(() => 'passed'));
});
