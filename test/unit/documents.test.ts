import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';

import { z } from 'zod';

import { CREDENTIALS } from '../support/forms';
import { anchorOf } from '../../tooling/markdown';

const ROOT = resolve(__dirname, '../..');
const NODE_FOLDER = 'nodes/PayrollPayments';
const DOCUMENTS = ['.', 'benchmark', 'docs', 'examples', 'sandbox'].flatMap((folder) =>
	readdirSync(join(ROOT, folder))
		.filter((name) => name.endsWith('.md'))
		.map((name) => join(folder, name)),
);

type HowItIsRun = { readonly runIn: string } | { readonly notRun: string };

/** Command lines in the documents, and what runs them: a file, or the reason why nothing does. */
const COMMANDS: ReadonlyArray<readonly [line: RegExp, how: HowItIsRun]> = [
	[/^npm start$/, { runIn: 'test/e2e/start.test.ts' }],
	[/^npm test$/, { runIn: '.ci/run' }],
	[/^npm run (lint|test:(unit|properties|contract|n8n|e2e))$/, { runIn: 'scripts/test.mjs' }],
	[/^npm run (lint -- --fix|format|dev)$/, { notRun: 'changes the working copy' }],
	[/^npm run --silent sample-delivery -- /, { runIn: 'test/contract/sampleDelivery.test.ts' }],
	[/^npm run test:mutation$/, { notRun: 'runs the tests against thousands of changes' }],
	[/^npm run benchmark/, { notRun: 'measures, and takes minutes' }],
	[/^npm (run build|pack)$/, { runIn: 'scripts/releaseCheck.mjs' }],
	[/^npm run release:check$/, { notRun: 'installs everything in a fresh clone' }],
	[
		/^(PACKAGE=|cd "\$\{N8N_USER_FOLDER|rm -rf "\$PACKAGE"|tar |docker )/,
		{ notRun: 'changes the reader’s n8n' },
	],
	[/^(PAYROLL_PAYMENTS_N8N=\S+ )?npm run test:e2e -- /, { notRun: 'is a test itself' }],
	[/^npx tsx sandbox\/main\.ts /, { runIn: 'test/contract/sandboxProcess.test.ts' }],
	[/^(S=|curl )/, { runIn: 'test/contract/sandboxCommands.test.ts' }],
];

const textOf = (document: string) => readFileSync(join(ROOT, document), 'utf8');

const { homepage, scripts } = z
	.object({ homepage: z.string(), scripts: z.record(z.string()) })
	.parse(JSON.parse(textOf('package.json')));

/** The anchors that GitHub gives to a document's headings. */
function anchorsOf(document: string): Set<string> {
	const headings = textOf(document).match(/^#{1,6} .*$/gm) ?? [];
	return new Set(headings.map((heading) => anchorOf(heading.replace(/^#+ /, ''))));
}

/** The links of the nodes' and the credentials' help. */
const codex = z.object({ resources: z.record(z.array(z.object({ url: z.string() }))) });
const RESOURCES = readdirSync(join(ROOT, NODE_FOLDER))
	.filter((name) => name.endsWith('.node.json'))
	.map((name) => codex.parse(JSON.parse(textOf(join(NODE_FOLDER, name)))).resources);
const NODE_LINKS = [
	...RESOURCES.flatMap((resources) => Object.values(resources).flat()).map(({ url }) => url),
	...CREDENTIALS.map(({ documentationUrl }) => documentationUrl),
];

function localTargets(document: string): string[] {
	const text = textOf(document).replace(/```[\s\S]*?```/g, '');
	const targets = [...text.matchAll(/\]\(([^)\s]+)\)|<img src="([^"]+)"/g)];
	return targets.map(([, link, image = '']) => link ?? image).filter((to) => !/^[a-z]+:/.test(to));
}

function commandsOf(document: string): string[] {
	const blocks = textOf(document).matchAll(/```(?:bash|sh|console)\n([\s\S]*?)```/g);
	return [...blocks]
		.flatMap(([, lines = '']) => lines.split('\n'))
		.map((line) => line.replace(/\s+#.*$/, '').trim())
		.filter((line) => line !== '' && !line.startsWith('#'));
}

describe('the documents', () => {
	it.each(DOCUMENTS)('%s links only to what exists', (document) => {
		const broken = localTargets(document).filter((target) => {
			const [path = '', anchor] = target.split('#');
			const file = path === '' ? document : relative(ROOT, resolve(ROOT, dirname(document), path));
			if (!existsSync(join(ROOT, file))) return true;
			return anchor !== undefined && !anchorsOf(file).has(anchor);
		});
		expect(broken).toEqual([]);
	});

	it.each(DOCUMENTS)('%s shows only commands that a test runs, or that say why not', (document) => {
		const isKnown = (command: string) => COMMANDS.some(([line]) => line.test(command));
		expect(commandsOf(document).filter((command) => !isKnown(command))).toEqual([]);
	});

	it.each(DOCUMENTS)('%s names only npm scripts that exist', (document) => {
		const named = [...textOf(document).matchAll(/npm run (?:-s |--silent )?([a-z][\w:-]*)/g)].map(
			([, name]) => name ?? '',
		);
		expect(named.filter((name) => !(name in scripts))).toEqual([]);
	});

	it.each(COMMANDS)('the command %s is shown somewhere, and what runs it exists', (line, how) => {
		expect(DOCUMENTS.flatMap(commandsOf).some((command) => line.test(command))).toBe(true);
		if ('runIn' in how) expect(existsSync(join(ROOT, how.runIn))).toBe(true);
	});

	it.each(NODE_LINKS)('%s leads to a section that exists', (url) => {
		expect(url.startsWith(homepage)).toBe(true);
		const [page = '', anchor] = url.slice(homepage.length).split('#');
		const file = page === '' ? 'README.md' : page.replace(/^\/blob\/main\//, '');
		expect(existsSync(join(ROOT, file))).toBe(true);
		if (anchor !== undefined) expect(anchorsOf(file)).toContain(anchor);
	});

	/* n8n appends a query to the link in a node's panel, which would become part of an anchor. */
	it('lead from each node’s panel to a page as a whole', () => {
		const urls = RESOURCES.map(({ primaryDocumentation = [] }) => primaryDocumentation[0]?.url);
		expect(urls).toEqual(urls.map(() => expect.stringMatching(/\.md$/)));
	});
});
