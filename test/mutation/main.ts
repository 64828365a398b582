// Mutation testing: changes the code in every way that Stryker knows, one at a time, and runs the
// tests that reach the change. `npm run test:mutation`, or one part with e.g. `-- signing`. What
// neither the code nor the tests of a part have changed since the last run isn't tried again, except
// with `--force`; a change elsewhere (test/support, another room) needs that.
import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import path from 'node:path';
import { parseArgs } from 'node:util';

import type { Stryker } from '@stryker-mutator/core';
import stryker from '@stryker-mutator/core/package.json';
import { z } from 'zod';

import jestConfig from '../../jest.config.mjs';
import { markdownTable } from '../../tooling/markdown';
import { writeSection, type Part as Section } from '../long/reliabilityReport';
import { buildFolder, repository } from '../../tooling/paths.mjs';
import { SURVIVORS, type Place, type Survivor } from './survivors';

const NODE = 'nodes/PayrollPayments/';

/** Percent of the mutants that tests reach. */
const LEAST_SCORE = 90;

interface Part {
	readonly section: Section;
	/** Below nodes/PayrollPayments. */
	readonly mutated: readonly string[];
	/** Below test. */
	readonly tests: readonly string[];
	/** Milliseconds after which a test hangs; property tests have limits of their own. */
	readonly testTimeout?: number;
	/** Whether every survivor is explained in survivors.ts. */
	readonly explained?: true;
}

const PARTS: Readonly<Record<string, Part>> = {
	signing: {
		section: 'mutationsSigning',
		mutated: ['signing/**/*.ts'],
		tests: ['unit/signing/*.test.ts'],
		explained: true,
	},
	contract: {
		section: 'mutationsContract',
		mutated: ['contract/*.ts'],
		tests: [
			'unit/api/credentials.test.ts',
			'unit/contract/*.test.ts',
			'unit/operations/{formRules,interface}.test.ts',
			'unit/signing/{administratorRoles,remoteSigner}.test.ts',
			'unit/trigger/parseEvent.test.ts',
			'n8n/{fieldNames,outputSchemas,reads,services,subtitle}.test.ts',
		],
	},
	idempotency: {
		section: 'mutationsIdempotency',
		mutated: ['idempotency/*.ts'],
		tests: ['{unit/idempotency/*,unit/trigger/recordEvent,n8n/laterTries}.test.ts'],
		/* The clock of these tests takes a whole processor while one hangs. */
		testTimeout: 5_000,
		explained: true,
	},
	permissions: {
		section: 'mutationsPermissions',
		mutated: ['api/credentialLimits.ts'],
		tests: ['unit/operations/formRules.test.ts', 'unit/api/{credentials,credentialLimits}.test.ts'],
		explained: true,
	},
	session: {
		section: 'mutationsSession',
		mutated: ['api/{authentication,clock,session,signIn,storedSession}.ts'],
		tests: [
			'unit/api/{client,credentials,outboundRequests,session,signIn}*.test.ts',
			'n8n/{action,endlessAnswers,permissions,secrets,session,signingGuard}.test.ts',
		],
	},
	refusals: {
		section: 'mutationsRefusals',
		mutated: ['api/{doubtfulRefusals,failureBody,failureText}.ts'],
		tests: ['unit/api/{client,doubtfulRefusals,failures}.test.ts', 'n8n/endlessAnswers.test.ts'],
	},
	money: {
		section: 'mutationsMoney',
		mutated: [
			'shared/money.ts',
			'signing/typedAmount.ts',
			'operations/payment/*.ts',
			'run/{approve,earlierTry,write,run}.ts',
		],
		tests: [
			'unit/contract/formats*.test.ts',
			'unit/shared/money.test.ts',
			'unit/signing/typedAmount.test.ts',
			'unit/{operations,run}/*.test.ts',
			'n8n/{action,looseAnswers,checkOnly,hostRuns,invitePeople}.test.ts',
			'n8n/{laterTries,openQuestions,outputSchemas,payRun,paymentChecks,paymentRows}.test.ts',
			'n8n/{payments,permissions,services,session,signingGuard}.test.ts',
			'n8n/conformance/contract.test.ts',
		],
		explained: true,
	},
	trigger: {
		section: 'mutationsTrigger',
		mutated: ['trigger/*.ts', '!trigger/triggerForm.ts'],
		tests: [
			'unit/operations/formRules.test.ts',
			'unit/trigger/*.test.ts',
			'n8n/{acknowledge,closedOptions,deliverySecrets,diagnosis,trigger}.test.ts',
		],
	},
};

/** Fails if a pattern of a part matches no file, each alternative in its braces taken for itself. */
function requireMatches(folder: string, patterns: readonly string[]): void {
	const positive = patterns.map((pattern) => pattern.replace(/^!/, ''));
	const listing = ['-O', 'failglob', '-c', `ls -d ${positive.join(' ')}`];
	const cwd = path.join(repository, folder);
	execFileSync('bash', listing, { cwd, stdio: ['ignore', 'ignore', 'inherit'] });
}

/** Fails if the parts name a file or test that isn't there; survivors.test.ts looks for the lines. */
function requireNamed(): void {
	for (const { mutated, tests } of Object.values(PARTS)) {
		requireMatches(NODE, mutated);
		requireMatches('test', tests);
	}
}

/** Cases of each property: what they notice at all, they notice early. */
process.env.PROPERTY_FACTOR ??= '0.1';

type Mutant = Awaited<ReturnType<Stryker['runMutationTest']>>[number];

const [unitProject] = jestConfig.projects;

const savedMutant = z.object({ static: z.boolean().optional(), status: z.string() }).passthrough();
const savedFile = z.object({ mutants: z.array(savedMutant) }).passthrough();
const savedResults = z.object({ files: z.record(savedFile) }).passthrough();

/**
 * Stryker knows no tests of a mutant that runs on load, so it doesn't notice new ones. On a busy
 * machine, trying all tests on such a mutant may also time out without being stuck.
 */
function forgetDoubtfulOnLoad(file: string): void {
	if (!existsSync(file)) return;
	const saved = savedResults.parse(JSON.parse(readFileSync(file, 'utf8')));
	for (const each of Object.values(saved.files)) {
		each.mutants = each.mutants.filter(
			(mutant) => !(mutant.static && ['Survived', 'Timeout'].includes(mutant.status)),
		);
	}
	writeFileSync(file, JSON.stringify(saved));
}

async function tryMutants(name: string, part: Part, force: boolean) {
	const { mutated, tests, testTimeout = 30_000 } = part;
	const results = path.join(buildFolder, 'mutation', `${name}.json`);
	forgetDoubtfulOnLoad(results);
	const { Stryker: MutationTest } = await import('@stryker-mutator/core');
	const inNode = (pattern: string) => pattern.replace(/^!?/, (sign) => `${sign}${NODE}`);
	return await new MutationTest({
		mutate: mutated.map(inNode),
		testRunner: 'jest',
		plugins: ['@stryker-mutator/jest-runner'],
		jest: {
			enableFindRelatedTests: false,
			config: {
				...unitProject,
				// Else Stryker adds those of jest.config.mjs, and each test file runs once for each.
				projects: [],
				testMatch: tests.map((pattern) => `<rootDir>/test/${pattern}`),
				testPathIgnorePatterns: ['/node_modules/'],
				testTimeout,
				setupFiles: ['<rootDir>/test/mutation/fastCheck.ts'],
				testEnvironment: path.join(__dirname, 'testEnvironment.cjs'),
				runner: path.join(__dirname, 'testRunner.cjs'),
			},
		},
		coverageAnalysis: 'perTest',
		// Most tests in n8n's engine wait rather than compute.
		concurrency: 3 * availableParallelism(),
		// Each run leaves modules behind, because all run in one context (test/jest/environment.cjs).
		maxTestRunnerReuse: 100,
		// Ends what blocks the process, where Jest's limit can't. Several share a processor.
		timeoutFactor: 6,
		timeoutMS: 30_000,
		dryRunTimeoutMinutes: 20,
		incremental: true,
		incrementalFile: results,
		force,
		cleanTempDir: 'always',
		tempDirName: path.join(buildFolder, 'mutation', 'sandbox'),
		ignorePatterns: ['/dist', '/.build', '/.n8n', '/docs/screenshots', '/benchmark'],
		reporters: ['progress-append-only', 'html'],
		htmlReporter: { fileName: path.join(buildFolder, 'mutation', `${name}.html`) },
		allowConsoleColors: process.stdout.isTTY,
	}).runMutationTest();
}

const isAlive = ({ status }: Mutant): boolean => status === 'Survived' || status === 'NoCoverage';

/** What identifies a survivor. Its line number would change too often. */
function placeOf({ fileName, location: { start, end }, replacement }: Mutant): Place {
	const lines = readFileSync(fileName, 'utf8').split('\n');
	// Lines and columns count from 1.
	const replaced = lines.slice(start.line - 1, end.line);
	replaced.push((replaced.pop() ?? '').slice(0, end.column - 1));
	replaced.unshift((replaced.shift() ?? '').slice(start.column - 1));
	return {
		file: path.relative(path.join(repository, NODE), fileName),
		line: lines[start.line - 1]?.trim() ?? '',
		from: replaced.join('\n'),
		to: replacement,
	};
}

const keyOf = ({ file, line, from, to }: Place): string => JSON.stringify([file, line, from, to]);

/** Splits the survivors into explained and unexplained ones, one explanation for each. */
function explain(mutants: readonly Mutant[]) {
	const files = new Set(mutants.map((mutant) => placeOf(mutant).file));
	const unused = SURVIVORS.filter(({ file }) => files.has(file));
	const explained: Survivor[] = [];
	const unexplained: Place[] = [];
	for (const place of mutants.filter(isAlive).map(placeOf)) {
		const index = unused.findIndex((survivor) => keyOf(survivor) === keyOf(place));
		if (index < 0) unexplained.push(place);
		else explained.push(...unused.splice(index, 1));
	}
	return { explained, unexplained, unused };
}

function scoreOf(mutants: readonly Mutant[]) {
	const count = (status: Mutant['status']) =>
		mutants.filter((mutant) => mutant.status === status).length;
	const [killed, timedOut, survived] = [count('Killed'), count('Timeout'), count('Survived')];
	const noticed = killed + timedOut;
	const score = (100 * noticed) / Math.max(1, noticed + survived);
	return { killed, timedOut, survived, notCovered: count('NoCoverage'), score };
}

function scoreRow(name: string, mutants: readonly Mutant[]): string[] {
	const { killed, timedOut, survived, notCovered, score } = scoreOf(mutants);
	return [name, ...[killed, timedOut, survived, notCovered].map(String), `${score.toFixed(1)} %`];
}

const shown = (text: string): string =>
	`\`${text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')}\``;

const survivorRow = ({ file, from, to, why }: Survivor) => [file, shown(from), shown(to), why];

function writeResult(
	{ section, tests }: Part,
	mutants: readonly Mutant[],
	explained: readonly Survivor[],
): void {
	const fileOf = (mutant: Mutant) => placeOf(mutant).file;
	const mutantsOf = (file: string) => mutants.filter((mutant) => fileOf(mutant) === file);
	const files = [...new Set(mutants.map(fileOf))].sort();
	const rows = files.map((file) => scoreRow(`\`${file}\``, mutantsOf(file)));
	const figures = [
		`Stryker makes one change at a time to the code, and runs the tests that reach it (below \`test\`:
${tests.map((each) => `\`${each}\``).join(', ')}). The score is the percentage of the covered
mutants that a test noticed, at least ${LEAST_SCORE} %. Property tests try a tenth of their cases.`,
		markdownTable(
			['', 'killed', 'timed out', 'survived', 'not covered', 'score'],
			[...rows, scoreRow('**all**', mutants)],
		),
	];
	if (explained.length > 0) {
		const isAll = explained.length === mutants.filter(isAlive).length;
		figures.push(
			`${isAll ? 'Every survivor is' : 'These survivors are'} explained in \`test/mutation/survivors.ts\`:`,
			markdownTable(['File', 'From', 'To', 'Why no test notices'], explained.map(survivorRow)),
		);
	}
	writeSection(section, {
		versions: `StrykerJS ${stryker.version}, Node ${process.versions.node}`,
		result: `${scoreOf(mutants).score.toFixed(1)} % of ${mutants.length} mutants noticed`,
		figures,
	});
}

/** Tries the mutants of one part, writes the result, and says whether it is good enough. */
async function passes(name: string, part: Part, force: boolean): Promise<boolean> {
	const mutants = await tryMutants(name, part, force);
	const { explained, unexplained, unused } = explain(mutants);
	writeResult(part, mutants, explained);
	for (const place of unexplained) console.log('survived:', place);
	for (const survivor of unused) console.log('explained, but no survivor:', survivor);
	const isExplained = !part.explained || unexplained.length === 0;
	return scoreOf(mutants).score >= LEAST_SCORE && isExplained && unused.length === 0;
}

async function main(): Promise<void> {
	const { values, positionals } = parseArgs({
		options: { force: { type: 'boolean', default: false } },
		allowPositionals: true,
	});
	const unknown = positionals.find((name) => !Object.hasOwn(PARTS, name));
	if (unknown !== undefined) throw new Error(`There is no part ${unknown}`);
	requireNamed();
	for (const [name, part] of Object.entries(PARTS)) {
		if (positionals.length > 0 && !positionals.includes(name)) continue;
		if (!(await passes(name, part, values.force))) process.exitCode = 1;
	}
}

void main().catch((error: unknown) => {
	console.error(error);
	process.exitCode = 1;
});
