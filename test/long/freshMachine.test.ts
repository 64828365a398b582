import { loadavg } from 'node:os';
import { setTimeout as pause } from 'node:timers/promises';

import type { NodeMajor } from '../../tooling/n8nVersions.mjs';
import { say } from '../../tooling/progress.mjs';
import { BESIDE, CLONE, FreshMachine, type Setup, type User } from '../support/freshMachine';
import { markdownTable } from '../../tooling/markdown';
import { writeSection, writtenSection } from './reliabilityReport';
import { waitUntil } from '../../n8nHost/waiting';

jest.setTimeout(14_400_000);

const CACHE = '/home/tester/.cache/n8n-nodes-payroll-payments';

const START = 'npm start -- --once';

interface Row extends Setup {
	readonly name: string;
	/** Says what was seen, and whether that is right. */
	readonly check: (machine: FreshMachine) => Promise<[seen: string, isRight: boolean]>;
}

/** What `npm start` and `npm test` print, without the times. */
const lineOf = (output: string, pattern: RegExp) => pattern.exec(output)?.[0] ?? 'nothing';

const FIRST_RESULT = /^ *([\d.]+) s {2}Running “First steps” in n8n’s engine … done/m;

const inside = (clone: string, command: string) => `cd ${clone} && ${command}`;

const starts: Row['check'] = async (machine) => {
	const { succeeded, output, seconds } = await machine.run(inside(CLONE, START));
	const [, first = 'none'] = FIRST_RESULT.exec(output) ?? [];
	const lines = output.trimEnd().split('\n');
	const said = lines.filter((each) => !each.startsWith('npm notice'));
	const line = succeeded ? 'done' : said.slice(-3).join(' / ');
	return [`first result after ${first} s, ${line} after ${seconds} s`, succeeded];
};

const passes: Row['check'] = async (machine) => {
	const { output, seconds } = await machine.run(inside(CLONE, 'npm test'));
	const line = lineOf(output, /\d+ passed, \d+ failed$/m);
	const isRight = /^[1-9]\d* passed, 0 failed$/.test(line);
	/* The machine is removed with its log. */
	if (!isRight) say(output);
	return [`${line}, after ${seconds} s`, isRight];
};

/** Two clones at the same time, which install the same n8n. */
const startsTwice: Row['check'] = async (machine) => {
	const [one, other] = [inside(CLONE, START), inside(BESIDE, START)];
	const { succeeded, output, seconds } = await machine.run(`(${one}) & ${other} && wait $!`);
	const done = output.match(/ Done\.$/gm)?.length ?? 0;
	return [`${done} of 2 done after ${seconds} s`, succeeded && done === 2];
};

/** Where an installation is interrupted, by a file that is there only then. */
const INTERRUPTIONS: ReadonlyArray<readonly [where: string, file: string]> = [
	['what npm start needs', `${CLONE}/.build/modules/node_modules/viem`],
	['n8n’s packages', `${CACHE}/n8n-*/store/v*`],
	[
		'n8n’s database driver',
		`${CACHE}/n8n-*/node_modules/.pnpm/sqlite3@*/node_modules/sqlite3/build`,
	],
];

const startsAfterInterruptions: Row['check'] = async (machine) => {
	for (const [where, file] of INTERRUPTIONS) {
		const started = machine.start(inside(CLONE, START));
		await waitUntil(
			() => `${where}: not installed within ten minutes.\n${started.log}`,
			async () => await machine.has(file),
			{ milliseconds: 600_000, interval: 500 },
		);
		await pause(1_000);
		await started.kill();
	}
	const places = INTERRUPTIONS.map(([where]) => where).join(', ');
	const [seen, isRight] = await starts(machine);
	return [`killed while it installed ${places}; then ${seen}`, isRight];
};

/** A disk that is too small in one folder; one sentence says so. */
const refuses =
	(folder: string, megabytes: number, sentence: RegExp): Row['check'] =>
	async (machine) => {
		const disk = { folder, megabytes };
		const { succeeded, output } = await machine.run(inside(CLONE, START), [disk]);
		const line = lineOf(output, sentence);
		return [line, !succeeded && line !== 'nothing'];
	};

const NO_ROOM = /The disk is full: .* needs \d+ MB in .*, and \d+ MB are free/;
const NO_ROOM_FOR_N8N = /The disk is full: n8n.* needs \d+ MB in .*, and \d+ MB are free/;

const NODES: readonly NodeMajor[] = ['20', '22', '24'];
const USERS: readonly User[] = ['tester', 'root'];

const onOldest = (name: string, check: Row['check'], packages?: readonly string[]): Row => ({
	name,
	node: '20',
	user: 'tester',
	check,
	packages,
});

const MACHINES: readonly Row[] = [
	...NODES.flatMap((node) =>
		USERS.flatMap((user): Row[] => [
			{ name: `\`${START}\``, node, user, check: starts },
			{ name: '`npm test`', node, user, check: passes },
		]),
	),
	onOldest('two clones at the same time', startsTwice),
	onOldest('interrupted', startsAfterInterruptions),
	onOldest('full disk: the clone', refuses(`${CLONE}/.build`, 300, NO_ROOM)),
	onOldest('full disk: the home', refuses('/home/tester', 1_500, NO_ROOM_FOR_N8N)),
	onOldest(
		'no compiler, and no way to the binary of n8n’s database driver',
		refuses('/mnt', 10, /n8n’s database driver .* python3, make and g\+\+.*$/m),
		[],
	),
];

const label = ({ name, node, user }: Row) => `Node ${node}, ${user}: ${name}`;

/** All, or those whose label matches LONG_ROWS, e.g. `Node 22` or `full disk|interrupted`. */
const ROWS = MACHINES.filter((row) => new RegExp(process.env.LONG_ROWS ?? '').test(label(row)));

/** The rows that earlier runs wrote, and then this one, by their labels. */
const written = new Map<string, readonly string[]>(
	[...writtenSection('freshMachine').matchAll(/^\| (\d\d) \| (.*?) \| (.*?) \| (.*) \|$/gm)].map(
		([, node = '', user = '', name = '', ...others]) => [
			`Node ${node}, ${user}: ${name}`,
			[node, user, name, ...others],
		],
	),
);

it.each(ROWS.map((row) => [label(row), row] as const))(
	'a machine on which nothing of ours has ever run: %s',
	async (name, row) => {
		const machine = await FreshMachine.create(row);
		try {
			const [seen, isRight] = await row.check(machine);
			const left = await machine.leftBehind();
			written.set(name, [
				...[row.node, row.user, row.name, seen, left.join('<br>') || 'nothing'],
				...[loadavg()[0]?.toFixed(0) ?? '', new Date().toISOString().slice(0, 16)],
			]);
			writeSection('freshMachine', {
				versions: 'Debian 12 from debootstrap (minbase)',
				result: `${written.size} of ${MACHINES.length} trials made; what each has seen is below`,
				figures: [
					'Each row is an empty Debian with Node.js and npm, without a home and with its own /tmp, into which a clone was copied. n8n’s database driver is compiled there (g++, make, python3) if the binary that its authors publish can’t be reached. “Left behind” lists all files outside of the clone, npm’s caches (~/.npm and /tmp/node-compile-cache) and the cache folder that CONTRIBUTING.md names.',
					markdownTable(
						['Node', 'user', 'what', 'seen', 'left behind', 'load', 'when'],
						MACHINES.flatMap((each) => {
							const cells = written.get(label(each));
							return cells === undefined ? [] : [cells];
						}),
					),
				],
			});
			expect([seen, isRight, left]).toEqual([seen, true, []]);
		} finally {
			machine.remove();
		}
	},
);
