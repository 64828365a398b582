import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

import { z } from 'zod';

import { repository } from '../../scripts/lib/paths.mjs';
import { npm, run } from '../../scripts/lib/processes.mjs';
import { markdownTable } from '../support/markdown';
import { writeSection } from '../support/reliabilityReport';

jest.setTimeout(600_000);

const lock = z
	.object({
		packages: z.record(
			z.object({
				version: z.string().optional(),
				resolved: z.string().optional(),
				integrity: z.string().optional(),
				link: z.boolean().optional(),
			}),
		),
	})
	.parse(JSON.parse(readFileSync(path.join(repository, 'package-lock.json'), 'utf8')));

const figures: string[] = [];
const folder = mkdtempSync(path.join(tmpdir(), 'payroll-payments-builds-'));

afterAll(() => {
	rmSync(folder, { recursive: true, force: true });
	writeSection(
		'supplyChain',
		'Supply chain',
		`Node ${process.versions.node}`,
		figures.join('\n\n'),
	);
});

/** The commit to build, even if another one is made meanwhile. */
let commit = '';

beforeAll(async () => {
	commit = (await run('git', ['rev-parse', 'HEAD'], { cwd: repository })).trim();
});

/** Builds and packs the commit in a separate folder. */
async function build(name: string): Promise<string> {
	const copy = path.join(folder, name);
	await run('sh', [
		'-c',
		'mkdir "$2" && git -C "$1" archive "$3" | tar -x -C "$2"',
		'sh',
		repository,
		copy,
		commit,
	]);
	symlinkSync(path.join(repository, 'node_modules'), path.join(copy, 'node_modules'));
	await run(process.execPath, ['node_modules/gulp/bin/gulp.js', 'build'], { cwd: copy });
	await npm(['pack', '--pack-destination', copy], { cwd: copy });
	return copy;
}

const hash = (file: string) => createHash('sha256').update(readFileSync(file)).digest('hex');

function filesOf(root: string): string[] {
	return readdirSync(root, { recursive: true, encoding: 'utf8' })
		.filter((file) => statSync(path.join(root, file)).isFile())
		.sort();
}

it('builds the same bytes from the same commit, and names the bundled packages', async () => {
	const [one, two] = [await build('one'), await build('a second one, elsewhere')];
	const files = filesOf(path.join(one, 'dist'));
	const differing = files.filter(
		(file) => hash(path.join(one, 'dist', file)) !== hash(path.join(two, 'dist', file)),
	);
	const [tarball = ''] = readdirSync(one).filter((file) => file.endsWith('.tgz'));
	const hashes = [one, two].map((copy) => hash(path.join(copy, tarball)));
	figures.push(
		`The commit, built and packed twice in two folders: ${files.length} files, ` +
			`${differing.length} of them differ; SHA-256 of the tarballs: ` +
			`${[...new Set(hashes)].map((each) => `\`${each}\``).join(' and ')}.`,
	);

	const notices = readFileSync(path.join(one, 'dist', 'THIRD_PARTY_LICENSES.txt'), 'utf8')
		.split(/\n-{70,}\n/)
		.slice(1)
		.map((notice) => notice.trim());
	const packages = notices.map((notice) => {
		const [name = '', version = ''] = (notice.split('\n')[0] ?? '').split(' ');
		const kind = /MIT|ISC|BSD|Apache/.exec(notice)?.[0] ?? 'other';
		return [name, version, kind, notice.length] as const;
	});
	const installed = Object.entries(lock.packages).map(
		([name, { version }]) => `${name.replace(/^.*node_modules\//, '')} ${version}`,
	);
	figures.push(
		'Third-party code in the tarball, with its license in `dist/THIRD_PARTY_LICENSES.txt`:',
		markdownTable(['package', 'version', 'license', 'characters of the notice'], packages),
	);
	expect(two).not.toBe(one);
	expect(filesOf(path.join(two, 'dist'))).toEqual(files);
	expect(differing).toEqual([]);
	expect(new Set(hashes).size).toBe(1);
	expect(packages.length).toBeGreaterThan(0);
	for (const [name, version, kind] of packages) {
		expect(installed).toContain(`${name} ${version}`);
		expect(kind).not.toBe('other');
	}
});

it('locks every dependency by its hash', () => {
	const locked = Object.entries(lock.packages).filter(([name, { link }]) => name !== '' && !link);
	const loose = locked.filter(([, { integrity }]) => integrity === undefined).map(([name]) => name);
	figures.push(
		`${locked.length} packages in package-lock.json, all for development; ` +
			`${loose.length} of them without a hash. The published package has no dependencies.`,
	);
	expect(loose).toEqual([]);
	const { dependencies = {} } = z
		.object({ dependencies: z.record(z.string()).optional() })
		.parse(JSON.parse(readFileSync(path.join(repository, 'package.json'), 'utf8')));
	expect(dependencies).toEqual({});
});

const audit = z.object({
	metadata: z.object({ vulnerabilities: z.record(z.number()) }),
	vulnerabilities: z.record(
		z.object({
			severity: z.string(),
			isDirect: z.boolean(),
			via: z.array(z.union([z.string(), z.object({ title: z.string() })])),
		}),
	),
});

/** npm audit exits with 1 if it finds something, so its output is read from either exit. */
async function audited(args: string[]): Promise<z.infer<typeof audit> | undefined> {
	const text = await npm(['audit', '--json', ...args], { cwd: repository }).catch(
		(error: unknown) => String(error),
	);
	try {
		return audit.parse(JSON.parse(text.slice(text.indexOf('{'))));
	} catch {
		return undefined;
	}
}

it('npm audit finds nothing in the published package', async () => {
	const published = await audited(['--omit=dev', '--omit=peer']);
	const all = await run('sh', ['-c', 'npm audit --json || true'], { cwd: repository });
	const everything = audit.safeParse(JSON.parse(all));
	if (published === undefined || !everything.success) {
		figures.push('`npm audit`: the registry gave no answer in this run, so nothing is claimed.');
		return;
	}
	const { metadata, vulnerabilities } = everything.data;
	const direct = Object.entries(vulnerabilities).filter(([, { isDirect }]) => isDirect);
	figures.push(
		`\`npm audit --omit=dev --omit=peer\`: ${published.metadata.vulnerabilities.total} known ` +
			`vulnerabilities in the published package. With development dependencies: ` +
			`${JSON.stringify(metadata.vulnerabilities)}; packages in package.json that bring them in: ` +
			`${direct.map(([name, { severity }]) => `${name} (${severity})`).join(', ') || 'none'}.`,
	);
	expect(published.metadata.vulnerabilities.total).toBe(0);
});
