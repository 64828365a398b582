import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';

import { repository } from '../../tooling/paths.mjs';
import { say } from '../../tooling/progress.mjs';
import { anchorOf, markdownTable } from '../../tooling/markdown';

const FILE = path.join(repository, 'test', 'long', 'RESULTS.md');

const long = (title: string, run: string) => ({ title, command: `npm run test:long -- ${run}` });
const mutations = (of: string, part: string) => ({
	title: `Mutations of ${of}`,
	command: `npm run test:mutation -- ${part}`,
});

/** Each is written between the comments of its name in the document. */
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

const marked = (part: Part) => new RegExp(`<!-- ${part} -->\n([^]*?)<!-- /${part} -->\n`);

export function writtenSection(part: Part): string {
	return marked(part).exec(readFileSync(FILE, 'utf8'))?.[1] ?? '';
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

/** The rows of the table of results, one for each section that has a result. */
function rowsOf(document: string): string[][] {
	const sections = /^## (.*)\n\n(?!`)(.*)\.\n\n`.*`: commit (\S+?),? .*(\d{4}-\d\d-\d\d)T/gm;
	return [...document.matchAll(sections)].map(([, title = '', result = '', commit, date]) => {
		return [`[${title}](#${anchorOf(title)})`, result, `${commit}, ${date}`];
	});
}

/** Prints the figures of one part, and replaces those of its last run in test/long/RESULTS.md. */
export function writeSection(part: Part, { versions, result, figures }: Result): void {
	const { title, command } = PARTS[part];
	const load = loadavg()[0]?.toFixed(1);
	const circumstances = `${codeMeasured()}, ${versions}, ${availableParallelism()} cores, load ${load} at the end, ${new Date().toISOString().slice(0, 16)}Z`;
	const section = [
		`## ${title}`,
		`${result}.`,
		`\`${command}\`: ${circumstances}.`,
		...figures.map((each) => each.trim()),
	].join('\n\n');
	say(section);

	const before = readFileSync(FILE, 'utf8');
	if (!marked(part).test(before)) throw new Error(`The document has no place for ${part}`);
	const document = before.replace(
		marked(part),
		() => `<!-- ${part} -->\n${section}\n<!-- /${part} -->\n`,
	);
	const results = markdownTable(['What', 'Result', 'Measured'], rowsOf(document));
	writeFileSync(
		FILE,
		document.replace(/^\| What \|[^]*?\n\n/m, () => `${results}\n\n`),
	);
}

/** Writes figures that come one after the other, each at once, since the next may never come. */
export function growingSection(
	part: Part,
	versions: () => string,
	results: string[] = [],
	figures: string[] = [],
): (result: string, ...figures: string[]) => void {
	return (newResult, ...newFigures) => {
		results.push(newResult);
		figures.push(...newFigures);
		writeSection(part, { versions: versions(), result: results.join('; '), figures });
	};
}
