// Changes one value, bound or prefix of the node, the sandbox or openapi.yaml at a time, in a copy of
// the last commit, and checks that the conformance test fails: `npm run test:mutation:contract`.
import { execFileSync, spawn } from 'node:child_process';
import {
	mkdtempSync,
	readFileSync,
	realpathSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { z } from 'zod';

import { markdownTable } from '../../tooling/markdown';
import { writeSection } from '../long/reliabilityReport';
import { repository } from '../../tooling/paths.mjs';

/** A change, and the names of the tests that should notice; the whole test runs if they don't. */
interface Mutation {
	readonly file: string;
	readonly from: string;
	readonly to: string;
	readonly tests: string;
}

const NODE = 'nodes/PayrollPayments';
const SANDBOX = 'sandbox';

function inFile(file: string, tests: string, changes: ReadonlyArray<readonly [string, string]>) {
	return changes.map(([from, to]): Mutation => ({ file, from, to, tests }));
}

const MUTATIONS: readonly Mutation[] = [
	...inFile(`${NODE}/contract/roles.ts`, 'Administrator Invite: Create [^a]', [
		["'team_admin',\n\t'team_finance_admin',\n\t'team_viewer',", "'team_admin',\n\t'team_viewer',"],
		["'org_viewer',\n\t'org_hr_admin',\n]", "'org_viewer',\n]"],
		["'team_invite_initiator',\n\t'org", "'team_invite_initiator',\n\t'team_hr_admin',\n\t'org"],
	]),
	...inFile(`${NODE}/contract/roles.ts`, 'Invite: Create each of the 3 roles', [
		[", 'aor_contractor']", ']'],
	]),
	...inFile(`${NODE}/contract/limits.ts`, 'Payment: Create Instant amounts', [
		['least: 100,', 'least: 99,'],
		['least: 100,', 'least: 101,'],
		['most: 10_000_000_000 ', 'most: 10_000_000_001 '],
		['most: 10_000_000_000 ', 'most: 9_999_999_999 '],
	]),
	...inFile(`${NODE}/contract/currencies.ts`, 'Balance: Get each', [
		["USDT: 'requested'", "USDT: 'listed'"],
		['BTC:', 'XBT:'],
	]),
	...inFile(`${NODE}/contract/identifiers.ts`, 'Balance: Get .te-', [
		['IDENTIFIER_LENGTH = 15', 'IDENTIFIER_LENGTH = 16'],
	]),
	...inFile(`${NODE}/operations/balance/get.ts`, 'Balance: Get .te-', [
		["entityId('te', 'co', 'us')", "entityId('te', 'co')"],
	]),
	...inFile(`${NODE}/operations/invite/getAll.ts`, 'Invite: Get Many .te-', [
		["entityId('te', 'co')", "entityId('te', 'co', 'us')"],
	]),
	...inFile(`${NODE}/operations/administratorInvite/complete.ts`, 'Execute identifiers', [
		["identifier('in')", "identifier('tx')"],
	]),
	...inFile(`${NODE}/contract/limits.ts`, 'Webhook: Send Test', [
		['most: 10,', 'most: 11,'],
		['least: 1,', 'least: 0,'],
		['preset: 2', 'preset: 1'],
	]),
	...inFile(`${NODE}/operations/webhook/send.ts`, 'Webhook: Send Test', [
		["identifier('wh')", "identifier('us')"],
	]),
	...inFile(`${NODE}/contract/limits.ts`, 'Invite: Create 1, 100', [
		['EMAILS_PER_REQUEST = 100', 'EMAILS_PER_REQUEST = 101'],
	]),
	...inFile(`${NODE}/contract/limits.ts`, 'Team User: Get Many', [
		['EMAILS_PER_REQUEST = 100', 'EMAILS_PER_REQUEST = 101'],
		['LARGEST_PAGE = 500', 'LARGEST_PAGE = 501'],
	]),
	...inFile(`${NODE}/contract/events.ts`, 'menus|Webhook: Send Test each', [
		["'swap.token',", "'swap.tokens',"],
	]),
	...inFile(`${NODE}/contract/networks.ts`, 'menus', [["'polygon',", "'matic',"]]),
	...inFile(`${NODE}/trigger/fields.ts`, 'events the menus', [
		['reverted: ', 'reversed: '],
		['internal_pay_handler: ', 'internal: '],
	]),
	...inFile(`${NODE}/operations/nameReview/update.ts`, 'Name Review: Resolve', [
		["cancel: 'Cancel", "reject: 'Cancel"],
		["'action',", "'decision',"],
	]),
	...inFile(`${NODE}/contract/networks.ts`, 'Payment: Create Instant USD', [
		["arbitrum: { name: 'Arbitrum'", "base: { name: 'Base'"],
	]),
	...inFile(`${NODE}/contract/formats.ts`, 'Create Instant a signature', [
		['0-9a-fA-F]{130}$/', '0-9a-fA-F]{128}$/'],
		['!/^(?:0x)?0+$/.test(value)', 'true'],
	]),
	...inFile(`${NODE}/run/commonOptions.ts`, 'defaults', [['concurrency(5)', 'concurrency(6)']]),
	...inFile(`${NODE}/api/client.ts`, 'defaults', [['DEFAULT_RETRIES = 3', 'DEFAULT_RETRIES = 2']]),
	...inFile(`${SANDBOX}/description.ts`, 'the sandbox takes', [
		['...(rivals ? { not: { required: rivals } } : {}),', ''],
		['!Number.isNaN(time) && new Date(time)', 'Number.isNaN(time) || new Date(time)'],
		["each.in === 'query'", "each.in === 'path'"],
		[
			'additionalProperties: false,\n\t\tproperties: Object',
			'additionalProperties: true,\n\t\tproperties: Object',
		],
		["['path', 'query', ...(body ? ['body'] : [])]", "['path', 'query']"],
		["'DepositReceivedEvent' : 'EventEnvelope'", "'EventEnvelope' : 'EventEnvelope'"],
	]),
	...inFile(`${SANDBOX}/exchange.ts`, 'the sandbox takes', [
		['/^-?\\d+$/.test(first)', '/^\\d$/.test(first)'],
		["return first.split(',')", 'return [first]'],
		["if (needed === 'none') return undefined;", "if (needed !== 'optional') return undefined;"],
	]),
	...inFile(
		`${SANDBOX}/openapi.yaml`,
		'in its tables|menus|amounts|emails|pages|entities|the sandbox|roles|versions',
		[
			['minimum: 100, maximum', 'minimum: 99, maximum'],
			['maximum: 10000000000 ', 'maximum: 10000000001 '],
			['maximum: 500,', 'maximum: 501,'],
			['minItems: 1', 'minItems: 0'],
			["'^(te|co|us)-[", "'^(te|co)-["],
			["'^wh-[A-Za-z0-9_-]{12}$'", "'^wh-[A-Za-z0-9_-]{11,12}$'"],
			['[BTC, CAD,', '[CAD,'],
			['        - swap.token\n', ''],
			['[pending, complete,', '[complete,'],
			['enum: [contractor, team_employee,', 'enum: [contractor, team_hr_admin, team_employee,'],
			['(?!0{130}$)', ''],
			['enum: [arbitrum]', 'enum: [arbitrum, base]'],
			['required: [nanoid, role, invitee_name, email,', 'required: [nanoid, role, email,'],
		],
	),
];

const resultShape = z.object({
	numFailedTests: z.number(),
	numPassedTests: z.number(),
	testResults: z.array(
		z.object({
			assertionResults: z.array(z.object({ fullName: z.string(), status: z.string() })),
		}),
	),
});

/** How many copies are tried at the same time. */
const WORKERS = 3;

const folder = realpathSync(mkdtempSync(path.join(tmpdir(), 'payroll-payments-mutations-')));

function makeCopy(name: string): string {
	const copy = path.join(folder, name);
	execFileSync('sh', [
		'-c',
		'mkdir "$2" && git -C "$1" archive HEAD | tar -x -C "$2"',
		'sh',
		repository,
		copy,
	]);
	symlinkSync(path.join(repository, 'node_modules'), path.join(copy, 'node_modules'));
	return copy;
}

/** Runs the tests in a copy; undefined if none ran, e.g. because nothing could be loaded. */
async function failuresIn(copy: string, tests: string): Promise<string[] | undefined> {
	const report = path.join(copy, 'result.json');
	rmSync(report, { force: true });
	const jest = [
		path.join('node_modules', 'jest', 'bin', 'jest.js'),
		...['--selectProjects', 'n8n', '--testPathPatterns', 'n8n/conformance', '--silent'],
		...['--testNamePattern', tests, '--json', `--outputFile=${report}`],
	];
	await new Promise((resolve) => {
		spawn(process.execPath, jest, { cwd: copy, stdio: 'ignore' }).once('close', resolve);
	});
	const { numFailedTests, numPassedTests, testResults } = resultShape.parse(
		JSON.parse(readFileSync(report, 'utf8')),
	);
	if (numFailedTests + numPassedTests === 0) return undefined;
	return testResults
		.flatMap(({ assertionResults }) => assertionResults)
		.filter(({ status }) => status === 'failed')
		.map(({ fullName }) => fullName);
}

const shown = (text: string): string =>
	`\`${text.trim().replaceAll(/\s+/g, ' ').replaceAll('|', '\\|')}\``;

async function tryMutation(copy: string, { file, from, to, tests }: Mutation): Promise<string[]> {
	const target = path.join(copy, file);
	const original = readFileSync(target, 'utf8');
	if (!original.includes(from)) throw new Error(`${file} doesn't contain ${from}`);
	writeFileSync(
		target,
		original.replace(from, () => to),
	);
	let failures = await failuresIn(copy, tests);
	if (failures?.length === 0) failures = await failuresIn(copy, '');
	writeFileSync(target, original);
	const outcome =
		failures === undefined ? 'nothing ran' : (failures[0] ?? '').slice(0, 90) || '**survived**';
	console.log(`${file}: ${shown(from)} → ${shown(to)}: ${outcome}`);
	return [file.replace(`${NODE}/`, ''), shown(from), to === '' ? 'removed' : shown(to), outcome];
}

async function main(): Promise<void> {
	const rows = new Map<number, string[]>();
	const queue = [...MUTATIONS.entries()];
	const worker = async (name: string): Promise<void> => {
		const copy = makeCopy(name);
		const usual = await failuresIn(copy, 'the sandbox|Balance');
		if (usual?.length !== 0) throw new Error(`The unchanged copy fails: ${usual?.join()}`);
		for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
			rows.set(next[0], await tryMutation(copy, next[1]));
		}
	};
	await Promise.all(Array.from({ length: WORKERS }, (_, index) => worker(`copy${index}`)));
	const table = [...rows].sort(([one], [other]) => one - other).map(([, row]) => row);
	const alive = table.filter(([, , , outcome = '']) => /survived|nothing ran/.test(outcome));
	writeSection('contractMutations', {
		versions: `Node ${process.versions.node}`,
		result: `${table.length - alive.length} of ${table.length} mutations noticed`,
		figures: [
			'One value, bound or prefix of the node, the sandbox or `sandbox/openapi.yaml` is changed at a ' +
				'time, in a copy, and `test/n8n/conformance` has to fail.',
			markdownTable(['File', 'From', 'To', 'The first test that failed'], table),
		],
	});
	process.exitCode = alive.length === 0 ? 0 : 1;
}

void main()
	.catch((error: unknown) => {
		console.error(error);
		process.exitCode = 1;
	})
	.finally(() => {
		rmSync(folder, { recursive: true, force: true });
	});
