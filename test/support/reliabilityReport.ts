import { execFileSync } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { availableParallelism, loadavg } from 'node:os';
import path from 'node:path';

import { repository } from '../../scripts/lib/paths.mjs';
import { say } from '../../scripts/lib/progress.mjs';

const FILE = path.join(repository, 'docs', 'reliability.md');

const marked = (part: Part) => new RegExp(`<!-- ${part} -->\n([\\s\\S]*?)<!-- /${part} -->`);

/** What the document says of a part. */
export function writtenSection(part: Part): string {
	const written = existsSync(FILE) ? readFileSync(FILE, 'utf8') : '';
	return marked(part).exec(written)?.[1] ?? '';
}

const INTRODUCTION = `# Reliability

Each section below is written by the command that it names. \`npm run test:long\` runs all but the
mutations, \`npm run test:long -- queue\` one. Services, databases and n8n run on this machine; only
installations and \`npm audit\` use the network. The figures come from one run on one machine; run it
again to get yours.
`;

/** In the order of the document. */
const PARTS = [
	'queue',
	/* Who guarantees what, as far as these figures show; written by hand. */
	'queueGuarantees',
	'queueFinished',
	'queueRedis',
	'queuePayments',
	'queuePolling',
	'queueInvites',
	'matrix',
	'freshMachine',
	'fuzz',
	'properties',
	'kills',
	'payRun',
	'soak',
	'supplyChain',
	'contractMutations',
	'mutationsSigning',
	'mutationsIdempotency',
	'mutationsPermissions',
	'mutationsSession',
	'mutationsMoney',
	'mutationsTrigger',
] as const;

/** Parts that are no test of the suite `long`. */
const COMMANDS: Partial<Record<Part, string>> = {
	contractMutations: 'npm run test:mutation:contract',
	mutationsSigning: 'npm run test:mutation -- signing',
	mutationsIdempotency: 'npm run test:mutation -- idempotency',
	mutationsPermissions: 'npm run test:mutation -- permissions',
	mutationsSession: 'npm run test:mutation -- session',
	mutationsMoney: 'npm run test:mutation -- money',
	mutationsTrigger: 'npm run test:mutation -- trigger',
};

export type Part = (typeof PARTS)[number];

function git(...args: string[]): string {
	return execFileSync('git', args, { cwd: repository, encoding: 'utf8' }).trim();
}

/** The commit that was measured, and whether published code has changes on top of it. */
function codeMeasured(): string {
	const changed = git('status', '--porcelain', '--', 'nodes', 'credentials', 'package.json');
	const commit = git('rev-parse', '--short', 'HEAD');
	return changed === '' ? `commit ${commit}` : `commit ${commit} with changes not committed`;
}

/**
 * Prints the figures of one part, and replaces those of its last run in docs/reliability.md.
 *
 * @param versions of the software that was used, e.g. `n8n 2.41.3`
 * @param run what to give to `npm run test:long --`
 */
export function writeSection(
	part: Part,
	title: string,
	versions: string,
	figures: string,
	run: string = part,
): void {
	const load = loadavg()[0]?.toFixed(1);
	const circumstances =
		`${codeMeasured()}, ${versions}, ${availableParallelism()} cores, load ${load} at the end, ` +
		`${new Date().toISOString().slice(0, 16)}Z`;
	const command = COMMANDS[part] ?? `npm run test:long -- ${run}`;
	const section = `## ${title}\n\n\`${command}\`: ${circumstances}.\n\n${figures.trim()}\n`;
	say(`${title}\n\n${section}`);

	const sections = PARTS.flatMap((name) => {
		const text = name === part ? section : writtenSection(name);
		return text === '' ? [] : [`<!-- ${name} -->\n${text}<!-- /${name} -->\n`];
	});
	writeFileSync(FILE, [INTRODUCTION, ...sections].join('\n'));
}

/** A section whose figures come one after the other; each is written, since the next may never come. */
export class GrowingSection {
	private readonly figures: string[] = [];

	constructor(
		private readonly part: Part,
		private readonly title: string,
		private readonly run: string = part,
	) {}

	add(versions: string, ...figures: string[]): void {
		this.figures.push(...figures);
		writeSection(this.part, this.title, versions, this.figures.join('\n\n'), this.run);
	}
}
