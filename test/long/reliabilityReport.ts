import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';

import { repository } from '../../tooling/paths.mjs';
import { say } from '../../tooling/progress.mjs';
import { anchorOf, markdownTable } from '../../tooling/markdown';

const FILE = path.join(repository, 'test', 'long', 'RESULTS.md');

const INTRODUCTION = `# Measured reliability

The table is made of the sections after it, and each of these was written by the command that it
names. \`npm run test:long\` runs all but the mutations, \`npm run test:long -- queue\` one. Services,
databases and n8n run on this machine; only installations and \`npm audit\` use the network. The
figures come from one run on one machine; run it again to get yours.
`;

const long = (title: string, run: string) => ({ title, command: `npm run test:long -- ${run}` });
const mutations = (of: string, part: string) => ({
	title: `Mutations of ${of}`,
	command: `npm run test:mutation -- ${part}`,
});

/** In the order of the document. */
const PARTS = {
	queue: long('Queue mode', 'queue'),
	queueFinished: long(
		'Queue mode, acknowledged when finished',
		'queue -t "acknowledged when finished"',
	),
	queueRedis: long('Queue mode, lost answers of Redis', 'queue -t "lost answers"'),
	queuePayments: long('Queue mode, instant payments', 'queue -t "instant payments"'),
	queuePolling: long('Queue mode, polling', 'queue -t "polling"'),
	queueInvites: long(
		'Queue mode, invites that skip existing people',
		'queue -t "skipping existing people"',
	),
	payRun: long('A pay run of 50, broken twice', 'payRun'),
	kills: long('n8n killed in the middle of invites', 'kills'),
	soak: long('Soak', 'soak'),
	matrix: long('Versions of n8n', 'matrix'),
	freshMachine: long('A machine on which nothing of ours has ever run', 'freshMachine'),
	properties: long('The wallet and the trigger against independent judges', 'properties'),
	supplyChain: long('Supply chain', 'supplyChain'),
	mutationsSigning: mutations('signing', 'signing'),
	mutationsContract: mutations('the contract', 'contract'),
	mutationsIdempotency: mutations('idempotency', 'idempotency'),
	mutationsPermissions: mutations('permissions', 'permissions'),
	mutationsSession: mutations('the session', 'session'),
	mutationsRefusals: mutations('what a refusal means', 'refusals'),
	mutationsMoney: mutations('what handles money', 'money'),
	mutationsTrigger: mutations('the trigger', 'trigger'),
} as const;

export type Part = keyof typeof PARTS;

interface Result {
	/** Of the software that was used, e.g. `n8n 2.41.3`. */
	readonly versions: string;
	/** One sentence for the table of results, without a full stop. */
	readonly result: string;
	readonly figures: readonly string[];
}

const marked = (name: string) => new RegExp(`<!-- ${name} -->\n([\\s\\S]*?)<!-- /${name} -->\n`);

const written = () => (existsSync(FILE) ? readFileSync(FILE, 'utf8') : '');

export function writtenSection(part: Part): string {
	return marked(part).exec(written())?.[1] ?? '';
}

function git(...args: string[]): string {
	return execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
}

/** The commit that was measured, and whether published code has changes on top of it. */
function codeMeasured(): string {
	const changed = git('status', '--porcelain', '--', 'nodes', 'credentials', 'package.json');
	const commit = git('rev-parse', '--short', 'HEAD');
	return changed === '' ? `commit ${commit}` : `commit ${commit} with changes not committed`;
}

/** The row of the table of results for a section, if it has a result. */
function rowsOf(section: string): string[][] {
	const [, title = '', result, commit = '', date = ''] =
		/^## (.*)\n\n(?!`)(.*)\.\n\n`.*`: commit (\S+?),? .*(\d{4}-\d\d-\d\d)T/.exec(section) ?? [];
	const link = `[${title}](#${anchorOf(title)})`;
	return result === undefined ? [] : [[link, result, `${commit}, ${date}`]];
}

/** Prints the figures of one part, and replaces those of its last run in test/long/RESULTS.md. */
export function writeSection(part: Part, { versions, result, figures }: Result): void {
	const { title, command } = PARTS[part];
	const load = loadavg()[0]?.toFixed(1);
	const circumstances =
		`${codeMeasured()}, ${versions}, ${availableParallelism()} cores, load ${load} at the end, ` +
		`${new Date().toISOString().slice(0, 16)}Z`;
	const section = [
		`## ${title}`,
		`${result}.`,
		`\`${command}\`: ${circumstances}.`,
		...figures.map((each) => each.trim()),
	].join('\n\n');
	say(section);

	const texts = Object.keys(PARTS).map((name) =>
		name === part ? `${section}\n` : (marked(name).exec(written())?.[1] ?? ''),
	);
	const sections = Object.keys(PARTS).flatMap((name, index) =>
		texts[index] === '' ? [] : [`<!-- ${name} -->\n${texts[index]}<!-- /${name} -->\n`],
	);
	const results = markdownTable(['What', 'Result', 'Measured'], texts.flatMap(rowsOf));
	writeFileSync(FILE, [INTRODUCTION, `${results}\n`, ...sections].join('\n'));
}

/** A section whose figures come one after the other; each is written, since the next may never come. */
export class GrowingSection {
	constructor(
		private readonly part: Part,
		private readonly results: string[] = [],
		private readonly figures: string[] = [],
	) {}

	add(versions: string, newResult: string, ...figures: string[]): void {
		this.results.push(newResult);
		this.figures.push(...figures);
		const result = this.results.join('; ');
		writeSection(this.part, { versions, result, figures: this.figures });
	}
}
