import { readFileSync } from 'node:fs';
import path from 'node:path';

import { z } from 'zod';

import { repository } from '../../tooling/paths.mjs';
import { cleanEnvironment, npm, run } from '../../tooling/processes.mjs';
import { temporaryFolder } from '../../n8nHost/cleanups';
import { markdownTable } from '../../tooling/markdown';
import { growingSection } from './reliabilityReport';

jest.setTimeout(1_800_000);

const textOf = (...place: string[]) => readFileSync(path.join(...place), 'utf8');

const locked = z.object({ integrity: z.string().optional(), link: z.boolean().optional() });
const lock = z
	.object({ packages: z.record(locked) })
	.parse(JSON.parse(textOf(repository, 'package-lock.json')));

const add = growingSection('supplyChain', () => `Node ${process.versions.node}`);
const folder = temporaryFolder('builds');

async function build(commit: string, name: string, env: Record<string, string>): Promise<string> {
	const clone = path.join(folder, name);
	await run('git', ['clone', '--quiet', '--no-checkout', repository, clone]);
	await run('git', ['checkout', '--quiet', '--detach', commit], { cwd: clone });
	await npm(['ci', '--no-audit', '--no-fund', '--prefer-offline'], { cwd: clone });
	await npm(['run', 'build'], { cwd: clone, env: cleanEnvironment(env) });
	await npm(['pack'], { cwd: clone, env: cleanEnvironment(env) });
	return clone;
}

/** Prints the files that rollup puts something of into the bundle, one a line. */
const LIST_MODULES = `
import config from './rollup.config.mjs';
import { rollup } from 'rollup';
const { output, plugins, ...input } = config;
const judged = plugins.filter(({ name }) => name !== 'rollup-plugin-license');
const { output: files } = await (await rollup({ ...input, plugins: judged })).generate(output);
const modules = files.flatMap(({ modules = {} }) => Object.entries(modules));
console.log(modules.flatMap(([id, { renderedLength }]) => (renderedLength > 0 ? [id] : [])).join('\\n'));
`;

/** The packages that rollup bundles in a clone, e.g. `zod 3.25.76`, by the paths of their files. */
async function bundledPackages(clone: string): Promise<string[]> {
	const script = ['--input-type=module', '--eval', LIST_MODULES];
	const modules = await run(process.execPath, script, { cwd: clone });
	const folders = modules.match(/^.*\/node_modules\/(?:@[^/]+\/)?[^/]+/gm) ?? [];
	return [...new Set(folders.map((each) => each.replace('\0', '')))]
		.map((each) => {
			const manifest: unknown = JSON.parse(textOf(each, 'package.json'));
			const { name, version } = z.object({ name: z.string(), version: z.string() }).parse(manifest);
			return `${name} ${version}`;
		})
		.sort();
}

const component = z.object({
	group: z.string().optional(),
	name: z.string(),
	version: z.string(),
	purl: z.string(),
	licenses: z.tuple([z.object({ license: z.object({ id: z.string() }) })]),
});
const sbom = z.object({ components: z.array(component) });
const nameOf = ({ group, name }: z.infer<typeof component>) =>
	group === undefined ? name : `${group}/${name}`;

const audit = z.object({
	metadata: z.object({ vulnerabilities: z.record(z.number()) }),
	vulnerabilities: z.record(z.unknown()),
});

describe('two builds of the commit', () => {
	let one = '';
	let two = '';

	const components = () => sbom.parse(JSON.parse(textOf(one, 'dist', 'sbom.cdx.json'))).components;

	beforeAll(async () => {
		// Both build the same commit, even if another one is made meanwhile.
		const commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: repository })).trim();
		one = await build(commit, 'one', { TZ: 'UTC', LC_ALL: 'C' });
		two = await build(commit, 'a second one, elsewhere', { TZ: 'Asia/Tokyo', LC_ALL: 'C.UTF-8' });
	});

	it('give the same bytes in two fresh clones', async () => {
		const inBoth = async (command: string) => await run('sh', ['-c', command, one, two]);
		const differing = await inBoth('diff --recursive --brief "$0/dist" "$1/dist" || true');
		const hashes = (await inBoth('sha256sum "$0"/*.tgz "$1"/*.tgz')).match(/^\w+/gm) ?? [];
		const count = differing.match(/\n/g)?.length ?? 0;
		add(
			`two builds of one commit differ in ${count} files`,
			`The commit, built and packed in two fresh clones: ${count} files differ; SHA-256 of the tarballs: ${hashes.map((each) => `\`${each}\``).join(' and ')}.`,
		);
		expect(differing).toBe('');
		expect(hashes).toEqual([hashes[0], hashes[0]]);
	});

	it('name every bundled package, with its license', async () => {
		const notices = textOf(one, 'dist', 'THIRD_PARTY_LICENSES.txt')
			.split(/\n-{70,}\n/)
			.slice(1)
			.map((notice) => notice.trim());
		const packages = components().map((each) => {
			const [{ license }] = each.licenses;
			const id = `${nameOf(each)} ${each.version}`;
			const notice = notices.find((text) => text.startsWith(`${id} (${license.id})\n`)) ?? '';
			return { id, license: license.id, notice };
		});
		add(
			`${packages.length} bundled packages, each with its license`,
			'Third-party code in the tarball, as `dist/sbom.cdx.json` lists it, with its license in `dist/THIRD_PARTY_LICENSES.txt`:',
			markdownTable(
				['package', 'license', 'characters of the notice'],
				packages.map(({ id, license, notice }) => [id, license, notice.length]),
			),
		);
		const bundled = await bundledPackages(one);
		expect(bundled).toContainEqual(expect.stringMatching(/^viem \d/));
		expect(packages.map(({ id }) => id).sort()).toEqual(bundled);
		expect(notices).toHaveLength(bundled.length);
		const isFree = expect.stringMatching(/^(MIT|ISC|BSD-\d-Clause|Apache-2\.0)$/);
		for (const { id, license, notice } of packages) {
			expect([id, license]).toEqual([id, isFree]);
			expect([id, notice]).toEqual([id, expect.stringMatching(/copyright/i)]);
			expect(notice.length).toBeGreaterThan(500);
		}
	});

	it('bundle nothing that npm audit knows a vulnerability of', async () => {
		const names = components().map(nameOf);
		// npm audit exits with 1 if it finds something.
		const printed = await run('sh', ['-c', 'npm audit --json || true'], { cwd: repository });
		const { data } = audit.safeParse(JSON.parse(printed));
		if (data === undefined) {
			add(
				'`npm audit` gave no answer',
				'`npm audit`: the registry gave no answer in this run, so nothing is claimed.',
			);
			return;
		}
		const known = Object.keys(data.vulnerabilities).filter((name) => names.includes(name));
		add(
			`${known.length} of them with known vulnerabilities`,
			`\`npm audit\`: ${known.length} of the bundled packages have known vulnerabilities. With development dependencies: ${JSON.stringify(data.metadata.vulnerabilities)}.`,
		);
		expect(known).toEqual([]);
	});
});

it('locks every dependency by its hash', () => {
	const all = Object.entries(lock.packages).filter(([name, { link }]) => name !== '' && !link);
	const loose = all.filter(([, { integrity }]) => integrity === undefined).map(([name]) => name);
	add(
		`${loose.length} of ${all.length} locked packages without a hash`,
		`${all.length} packages in package-lock.json, all for development; ${loose.length} of them without a hash.`,
	);
	expect(loose).toEqual([]);
});
