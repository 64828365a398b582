import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { parse } from 'yaml';
import { z } from 'zod';

import { repository } from '../../tooling/paths.mjs';

const read = (file: string) => readFileSync(path.join(repository, file), 'utf8');

const { version } = z.object({ version: z.string() }).parse(JSON.parse(read('package.json')));

describe('the version', () => {
	it('has a dated section in the changelog, above those of older versions', () => {
		const headings = read('CHANGELOG.md').match(/^## .*$/gm) ?? [];
		const [first] = headings.filter((heading) => heading !== '## [Unreleased]');
		expect(first).toMatch(/^## \[[\d.]+\] - 20\d\d-[01]\d-[0-3]\d$/);
		expect(first).toContain(`[${version}]`);
	});

	it('is the one that the lock file has', () => {
		const lock = z.object({ version: z.string(), packages: z.record(z.unknown()) });
		const { packages, ...locked } = lock.parse(JSON.parse(read('package-lock.json')));
		expect([locked.version, packages['']]).toEqual([version, expect.objectContaining({ version })]);
	});

	it.each([
		['docs/self-hosting.md', /n8n-nodes-payroll-payments-(\d+\.\d+\.\d+)/g, 3],
		['.github/ISSUE_TEMPLATE/bug_report.yml', /package (\d[\d.]*\d)/g, 1],
	])('is the one that %s names', (file, pattern, times) => {
		const named = [...read(file).matchAll(pattern)].map(([, each]) => each);
		expect(named).toEqual(Array(times).fill(version));
	});
});

const FOLDER = '.github/workflows';
const WORKFLOWS = readdirSync(path.join(repository, FOLDER));

const permissions = z.record(z.string());

const workflow = z.object({
	permissions,
	concurrency: z.object({ group: z.string() }),
	jobs: z.record(
		z.object({
			permissions: permissions.optional(),
			environment: z.string().optional(),
			'timeout-minutes': z.number(),
			steps: z.array(
				z.object({
					uses: z.string().optional(),
					run: z.string().optional(),
					with: z.record(z.unknown()).optional(),
				}),
			),
		}),
	),
});

const parsed = (file: string) => workflow.parse(parse(read(path.join(FOLDER, file))));

/** The jobs of all workflows that may write, and what. */
const WRITERS = {
	'n8n-latest.yml: report': { issues: 'write' },
	'publish.yml: npm': { 'id-token': 'write' },
	'publish.yml: github': { contents: 'write' },
};

describe('the workflows', () => {
	it.each(WORKFLOWS)('%s pins every action by its commit, and names the version', (file) => {
		const lines = read(path.join(FOLDER, file)).match(/^.*\buses:.*$/gm) ?? [];
		expect(lines.length).toBeGreaterThan(1);
		for (const line of lines) {
			expect(line).toMatch(/^[ -]+uses: [\w-]+\/[\w-]+@[0-9a-f]{40} # v\d+\.\d+\.\d+$/);
		}
	});

	it.each(WORKFLOWS)('%s leaves no credentials in the clone', (file) => {
		const steps = Object.values(parsed(file).jobs).flatMap((job) => job.steps);
		for (const { uses, with: inputs } of steps) {
			if (uses?.startsWith('actions/checkout@') !== true) continue;
			expect(inputs).toMatchObject({ 'persist-credentials': false });
		}
	});

	it('give each job the permissions that it needs, and no more', () => {
		const writers = WORKFLOWS.flatMap((file) => {
			const { permissions: ofAll, jobs } = parsed(file);
			return Object.entries(jobs)
				.map(([name, job]) => [`${file}: ${name}`, job.permissions ?? ofAll] as const)
				.filter(([, granted]) => Object.values(granted).includes('write'));
		});
		expect(Object.fromEntries(writers)).toEqual(WRITERS);
	});

	it('run no dependency’s code in a job that may write', () => {
		const writing = WORKFLOWS.flatMap((file) =>
			Object.entries(parsed(file).jobs)
				.filter(([name]) => `${file}: ${name}` in WRITERS)
				.flatMap(([, { steps }]) => steps),
		);
		expect(writing.filter(({ uses = '' }) => /checkout|cache@/.test(uses))).toEqual([]);
		expect(writing.filter(({ run = '' }) => /npm (ci|install|run|test)|npx/.test(run))).toEqual([]);
	});

	it('publish with provenance, from the environment that npm trusts', () => {
		const text = read(path.join(FOLDER, 'publish.yml'));
		const { npm } = parsed('publish.yml').jobs;
		const publishing = npm?.steps.filter(({ run = '' }) => run.startsWith('npm publish')) ?? [];
		expect(publishing).toHaveLength(1);
		expect(publishing[0]?.run).toContain('--provenance');
		expect(npm?.environment).toBe('npm');
		expect(text).not.toContain('cache: npm');
		expect(text.match(/secrets\.\w+/g)).toEqual(['secrets.NPM_TOKEN']);
	});
});
