import { readFileSync, writeFileSync } from 'node:fs';
import { cpus, loadavg, platform, release, totalmem } from 'node:os';
import path from 'node:path';

import { repository } from '../tooling/paths.mjs';
import { run } from '../tooling/processes.mjs';
import { markdownTable } from '../tooling/markdown';
import { isReached, median, ratioOf, type Comparison, type Part } from './comparison';

/** The last measurement of a part, with its circumstances. */
export interface Measurement {
	readonly title: string;
	readonly commit: string;
	readonly at: string;
	/** One-minute load averages before and after, for other load on the machine. */
	readonly load: readonly [number, number];
	readonly machine: string;
	readonly versions: string;
	readonly comparisons: readonly Comparison[];
}

type Measurements = Record<string, Measurement>;

const rawFile = path.join(repository, 'benchmark', 'results.json');
const tableFile = path.join(repository, 'benchmark', 'RESULTS.md');

/* Read before anything is measured, since it may be broken. */
const known: Measurements = JSON.parse(readFileSync(rawFile, 'utf8'));

async function commit(): Promise<string> {
	const git = async (...args: string[]) => (await run('git', args, { cwd: repository })).trim();
	const sources = ['nodes', 'credentials', 'tooling', 'gulpfile.js', 'rollup.config.mjs'];
	const changed = await git('status', '--porcelain', '--', ...sources);
	return `${await git('rev-parse', '--short', 'HEAD')}${changed === '' ? '' : ' with changes'}`;
}

function machine(): string {
	const [first, ...others] = cpus();
	const gigabytes = (totalmem() / 2 ** 30).toFixed(0);
	return `${others.length + 1} × ${first?.model.trim() ?? 'CPU'}, ${gigabytes} GB, ${platform()} ${release()}`;
}

/** Measures a part and records the circumstances. */
export async function measured(
	part: Part,
	size: Parameters<Part['measure']>[0],
	versions: string,
): Promise<Measurement> {
	const [before = 0] = loadavg();
	const measuredCommit = await commit();
	const comparisons = await part.measure(size);
	const [after = 0] = loadavg();
	return {
		title: part.title,
		commit: measuredCommit,
		at: new Date().toISOString(),
		load: [before, after],
		machine: machine(),
		versions,
		comparisons,
	};
}

const number = (value: number) =>
	value >= 100 ? value.toFixed(0) : value >= 10 ? value.toFixed(1) : value.toPrecision(2);

function cells(comparison: Comparison): string[] {
	const { what, peer, unit, ours, peers, reading, limit } = comparison;
	const ratio = number(ratioOf(comparison));
	return [
		what,
		peer,
		`${number(median(ours))} ${unit}`,
		`${number(median(peers))} ${unit}`,
		reading === 'share' ? `${ratio} of it` : `${ratio} ×`,
		reading === 'share' ? `≤ ${number(limit)}` : `≥ ${number(limit)} ×`,
		isReached(comparison) ? 'reached' : '**missed**',
	];
}

const HEADINGS = ['what', 'against', 'ours', 'theirs', 'ratio', 'limit', ''];

/** Why a limit is missed. */
function reasonsOf(comparison: Comparison): string[] {
	const { reason } = comparison;
	return reason === undefined || isReached(comparison) ? [] : [`Missed: ${reason}`];
}

/** The table for the terminal. */
export function textTable(comparisons: readonly Comparison[]): string {
	return comparisons
		.map((comparison) => {
			const [what, peer, ours, peers, ratio, limit, verdict] = cells(comparison);
			return [
				what,
				`ours ${ours}, ${peer} ${peers}: ${ratio} (${limit}) ${verdict}`,
				...reasonsOf(comparison),
			].join('\n    ');
		})
		.join('\n');
}

function section({ title, at, load, ...rest }: Measurement): string {
	const samples = (values: readonly number[]) => values.map(number).join(', ');
	return [
		`## ${title}`,
		`Commit ${rest.commit}, ${at}. ${rest.machine}. ${rest.versions}. ` +
			`Load average ${load.map((each) => each.toFixed(1)).join(' before, ')} after.`,
		...rest.comparisons.map((comparison) => {
			const { what, peer, unit, ours, peers, notes = [] } = comparison;
			return [
				`**${what}**`,
				`- ours (${unit}): ${samples(ours)}`,
				`- ${peer} (${unit}): ${samples(peers)}`,
				...[...notes, ...reasonsOf(comparison)].map((note) => `- ${note}`),
			].join('\n');
		}),
	].join('\n\n');
}

/** Saves the measurements with those of the other parts, and rewrites benchmark/RESULTS.md. */
export function record(fresh: Measurements, order: readonly string[]): void {
	const all = { ...known, ...fresh };
	const sorted = Object.fromEntries(
		order.flatMap((name) => (all[name] === undefined ? [] : [[name, all[name]]])),
	);
	writeFileSync(rawFile, `${JSON.stringify(sorted, undefined, '\t')}\n`);
	const missing = order.filter((name) => all[name] === undefined);
	const text = [
		'# How fast, how lean',
		'Written by `npm run benchmark`. Both sides took turns in the same run. The table shows medians, ' +
			'and where samples were taken in pairs the median of their ratios; the raw samples follow. Where both sides have an output, the benchmark checked that the ' +
			'outputs are equal.',
		markdownTable(
			HEADINGS,
			Object.values(sorted).flatMap(({ comparisons }) => comparisons.map(cells)),
		),
		...(missing.length === 0 ? [] : [`Not measured: ${missing.join(', ')}.`]),
		...Object.values(sorted).map(section),
	].join('\n\n');
	writeFileSync(tableFile, `${text}\n`);
}
