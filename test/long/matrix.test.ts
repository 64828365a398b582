import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

import { N8N_VERSIONS } from '../../scripts/lib/n8nVersions.mjs';
import { buildFolder, repository } from '../../scripts/lib/paths.mjs';
import { cleanEnvironment, npmInTerminal } from '../../scripts/lib/processes.mjs';
import { markdownTable } from '../support/markdown';
import { writeSection } from '../support/reliabilityReport';

jest.setTimeout(3_600_000);

const VERSIONS =
	process.env.LONG_VERSIONS?.split(',') ??
	Object.keys(N8N_VERSIONS).filter((version) => version !== 'latest');

const results = z.object({
	testResults: z.array(
		z.object({
			assertionResults: z.array(
				z.object({ ancestorTitles: z.array(z.string()), title: z.string(), status: z.string() }),
			),
		}),
	),
});

/** Rows of the table, and the end-to-end tests that each of them counts. */
const ROWS: ReadonlyArray<readonly [string, RegExp]> = [
	['Nodes, credentials and icons load', /^the packed package .*(brings|serves)/],
	['Wallet sign-in, and reading a balance with its token', /^the packed package .*signs in/],
	['The examples can be imported, and n8n knows all their nodes', /^the packed package .*imports/],
	['The first example runs as imported', /^the packed package .*runs/],
	['Every operation', /^every operation in a real n8n/],
	['The trigger’s delivery table', /^the delivery table/],
	['Every way to authenticate a delivery', /^every way to authenticate/],
];

type Outcome = z.infer<typeof results>['testResults'][number]['assertionResults'][number];

/** Runs the end-to-end tests on one version of n8n, in a separate process. */
async function outcomesOn(version: string): Promise<Outcome[]> {
	const file = path.join(buildFolder, `matrix-${version}.json`);
	rmSync(file, { force: true });
	mkdirSync(buildFolder, { recursive: true });
	await npmInTerminal(
		[
			...['run', '--silent', 'test:e2e', '--', '--json', `--outputFile=${file}`],
			...['--testPathPatterns', 'e2e/(package|operations|trigger)\\.test'],
			...['-t', 'packed package|every operation|delivery table|every way to authenticate'],
		],
		{
			cwd: repository,
			env: cleanEnvironment({ PAYROLL_PAYMENTS_N8N: version }),
			minutes: 15,
		},
	);
	const { testResults } = results.parse(JSON.parse(readFileSync(file, 'utf8')));
	return testResults
		.flatMap(({ assertionResults }) => assertionResults)
		.filter(({ status }) => status !== 'pending');
}

it('the packed package works on every supported n8n', async () => {
	const outcomes = new Map<string, Outcome[]>();
	for (const version of VERSIONS) outcomes.set(version, await outcomesOn(version));
	const cell = (pattern: RegExp) => (version: string) => {
		const fitting = (outcomes.get(version) ?? []).filter(({ ancestorTitles, title }) =>
			pattern.test([...ancestorTitles, title].join(' ')),
		);
		return `${fitting.filter(({ status }) => status === 'passed').length} of ${fitting.length}`;
	};
	const rows = ROWS.map(([what, pattern]) => [what, ...VERSIONS.map(cell(pattern))]);
	const failed = [...outcomes].flatMap(([version, all]) =>
		all
			.filter(({ status }) => status !== 'passed')
			.map(({ title }) => `- n8n ${version}: ${title}`),
	);
	writeSection(
		'matrix',
		'Versions of n8n',
		'Node 24 for n8n',
		[
			'Checks passed, from the packed tarball in a real n8n with SQLite:',
			markdownTable(['', ...VERSIONS.map((version) => `n8n ${version}`)], rows),
			...(failed.length === 0 ? [] : [`Not passed:\n\n${failed.join('\n')}`]),
		].join('\n\n'),
	);
	expect(failed).toEqual([]);
	expect(rows.flat()).not.toContain('0 of 0');
});
