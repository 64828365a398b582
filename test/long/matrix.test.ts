import { readFileSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

import {
	DEFAULT_N8N_VERSION,
	isN8nVersion,
	N8N_VERSIONS,
	type N8nVersion,
} from '../../tooling/n8nVersions.mjs';
import { repository } from '../../tooling/paths.mjs';
import { markdownTable } from '../../tooling/markdown';
import { PostgreSql } from '../../n8nHost/postgreSql';
import { writeSection } from './reliabilityReport';
import { jestOutcomes, type Outcome } from './jestOutcomes';

jest.setTimeout(7_200_000);

const hostOf = (version: N8nVersion, hasPostgres = false) => ({
	name: `n8n ${version}, Node ${N8N_VERSIONS[version].node}${hasPostgres ? ', PostgreSQL' : ''}`,
	version,
	hasPostgres,
});
type Host = ReturnType<typeof hostOf>;

const VERSIONS = Object.keys(N8N_VERSIONS)
	.filter(isN8nVersion)
	.filter((each) => each !== 'latest');
/** All, or those whose name contains LONG_HOSTS, e.g. `2.35.7` or `PostgreSQL`. */
const HOSTS = [
	...VERSIONS.map((version) => hostOf(version)),
	hostOf(DEFAULT_N8N_VERSION, true),
].filter(({ name }) => name.includes(process.env.LONG_HOSTS ?? ''));

/** Rows of the table, and the file of end-to-end tests that each of them counts. */
const ROWS: ReadonlyArray<readonly [row: string, file: string]> = [
	['The package loads; tokens are renewed, for n8n’s HTTP Request node, too', 'package'],
	['Every operation, and no secret is stored', 'operations'],
	['Payments are sent once, and again after a refusal', 'payments'],
	['The trigger', 'trigger'],
	['Events acknowledged when finished', 'acknowledge'],
	['The polling trigger', 'polling'],
];

/** Runs the end-to-end tests in one n8n, in a separate process. */
async function outcomesOn({ name, version }: Host, postgres?: PostgreSql): Promise<Outcome[]> {
	const database = postgres && { PAYROLL_PAYMENTS_POSTGRES: String(postgres.port) };
	const command = ['run', '--silent', 'test:e2e', '--'];
	return await jestOutcomes(command, `matrix-${name.replace(/[ ,]+/g, '-')}`, {
		args: ['--testPathPatterns', `e2e/(${ROWS.map(([, file]) => file).join('|')})\\.test`],
		env: { PAYROLL_PAYMENTS_N8N: version, ...database },
		minutes: 20,
	});
}

const manifest = z.object({ pnpm: z.object({ overrides: z.record(z.string()) }) });

/** A sentence about what the manifest of a version installs in the place of n8n's own libraries. */
function replacedLibraries(version: N8nVersion): string[] {
	const file = path.join(repository, 'tooling', 'hosts', `n8n-${version}`, 'package.json');
	const { pnpm } = manifest.parse(JSON.parse(readFileSync(file, 'utf8')));
	const libraries = Object.entries(pnpm.overrides)
		.filter(([library]) => /^(@n8n\/|n8n-)[^>]*$/.test(library))
		.map(([library, replacement]) => `${library} ${replacement}`)
		.join(', ');
	const reason = 'because the registry lacked its own';
	const said = `n8n ${version} has these libraries of the version before, ${reason}: ${libraries}.`;
	return libraries === '' ? [] : [said];
}

it('the packed package works on every supported n8n', async () => {
	const outcomes = new Map<Host, Outcome[]>();
	let postgres: PostgreSql | undefined;
	for (const host of HOSTS) {
		/* The last of them has it. */
		if (host.hasPostgres) postgres = await PostgreSql.start();
		outcomes.set(host, await outcomesOn(host, postgres));
	}
	await postgres?.stop();
	const cell = (file: string) => (host: Host) => {
		const fitting = (outcomes.get(host) ?? []).filter((outcome) => outcome.file === file);
		return `${fitting.filter(({ status }) => status === 'passed').length} of ${fitting.length}`;
	};
	const rows = ROWS.map(([what, file]) => [what, ...HOSTS.map(cell(file))]);
	const failed = [...outcomes].flatMap(([{ name }, all]) =>
		all.filter(({ status }) => status !== 'passed').map(({ title }) => `- ${name}: ${title}`),
	);
	const all = [...outcomes.values()].flat();
	writeSection('matrix', {
		versions: postgres?.version ?? 'SQLite',
		result: `${all.filter(({ status }) => status === 'passed').length} of ${all.length} checks passed on ${HOSTS.length} n8n`,
		figures: [
			'Checks passed, from the packed tarball in a real n8n, as one process, with SQLite unless it says PostgreSQL:',
			markdownTable(['', ...HOSTS.map(({ name }) => name)], rows),
			...VERSIONS.flatMap(replacedLibraries),
			...(failed.length === 0 ? [] : [`Not passed:\n\n${failed.join('\n')}`]),
		],
	});
	expect(failed).toEqual([]);
	expect(rows.flat()).not.toContain('0 of 0');
});
