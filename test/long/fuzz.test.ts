import { readFileSync } from 'node:fs';
import path from 'node:path';

import { buildFolder, repository } from '../../tooling/paths.mjs';
import { cleanEnvironment, runInTerminal } from '../../tooling/processes.mjs';
import { markdownTable } from '../../tooling/markdown';
import { writeSection } from './reliabilityReport';
import { findings, type Findings } from './fuzz/fuzzer';

/** Minutes for each target. */
const MINUTES = Number(process.env.LONG_FUZZ_MINUTES ?? 10);
/** Another seed tries other inputs. The same seed doesn't repeat a run, which the clock ends. */
const SEED = process.env.LONG_FUZZ_SEED ?? new Date().toISOString();

jest.setTimeout((MINUTES + 5) * 60_000);

const TARGETS = [
	['verifier', 'the verifier'],
	['headerSchemes', 'Standard Webhooks and Custom'],
	['diagnosis', 'the diagnosis'],
	['eventParser', 'the event parser'],
] as const;

/** Fuzzes in a separate process, so that a hang can be ended. */
async function fuzzed(target: string): Promise<Findings> {
	const args = ['--import', 'tsx', path.join('test', 'long', 'fuzz', 'main.ts')];
	const code = await runInTerminal(process.execPath, [...args, target, String(MINUTES), SEED], {
		cwd: repository,
		env: cleanEnvironment(),
		minutes: MINUTES + 1,
	});
	const folder = path.join(buildFolder, 'fuzz', target);
	if (code !== 0)
		throw new Error(`The fuzzer ended with ${code}; ${folder}/current is what it tried.`);
	return findings.parse(JSON.parse(readFileSync(path.join(folder, 'findings.json'), 'utf8')));
}

it('coverage-guided fuzzing finds no crash, no hang, and no wrong verdict', async () => {
	const found = await Promise.all(
		TARGETS.map(async ([target, what]) => ({ what, ...(await fuzzed(target)) })),
	);
	const total = (of: (each: (typeof found)[number]) => number) =>
		found.reduce((sum, each) => sum + of(each), 0);
	writeSection('fuzz', {
		versions: `Node ${process.versions.node}`,
		result: `${total(({ crashes }) => crashes.length)} failures in ${total(({ executions }) => executions)} executions, ${MINUTES} minutes for each of ${found.length} targets`,
		figures: [
			`Inputs are mutated from a corpus (\`test/long/fuzz/corpus\`), for ${MINUTES} minutes each ` +
				'(LONG_FUZZ_MINUTES). An input that takes a new path through a function, by V8’s own block ' +
				'counters, joins the corpus. An input fails if it throws, takes a second, or if the verdict ' +
				'differs from an independent one: an HMAC written from its definition for the ' +
				'verifiers, following the advice for the diagnosis, ' +
				'JSON.parse for the parser. Object.prototype must not change. `keepers` are the shortest ' +
				'inputs that together reach every edge. Jazzer.js isn’t used, since its Linux binary needs ' +
				'a newer glibc than Debian 12 has. Seed: ' +
				SEED +
				'.',
			markdownTable(
				['', 'executions', 'functions', 'edges', 'corpus', 'keepers', 'longest, ms', 'failures'],
				found.map(({ what, ...each }) => [
					what,
					each.executions,
					each.functions,
					each.edges,
					each.corpus,
					each.kept,
					each.milliseconds,
					each.crashes.length,
				]),
			),
		],
	});
	expect(found.flatMap(({ crashes }) => crashes)).toEqual([]);
});
