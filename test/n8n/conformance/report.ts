import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { repository } from '../../../tooling/paths.mjs';
import { anchorOf, markdownTable } from '../../../tooling/markdown';
import { readApiDocument, sections } from './apiDocument';
import type { ConformanceRecord } from './record';
import { SECTION_TESTS } from './sectionTests';

const START = '<!-- conformance -->';
const END = '<!-- /conformance -->';
const MARKED = new RegExp(`${START}\n[\\s\\S]*?${END}`);

const isFile = (test: string): boolean => test.startsWith('test/');

/** Sections that no test tries, and sections and tests that don't exist. */
export function gaps(record: ConformanceRecord): string[] {
	const areas = new Set(record.tests.map(({ area }) => area));
	const known = sections();
	return [
		...known.filter((section) => SECTION_TESTS[section] === undefined),
		...Object.keys(SECTION_TESTS).filter((section) => !known.includes(section)),
		...Object.values(SECTION_TESTS)
			.flat()
			.filter((test) =>
				isFile(test) ? !existsSync(path.join(repository, test)) : !areas.has(test),
			),
	];
}

/** The section of docs/api.md that the tests write. */
export function conformanceSection({ tests }: ConformanceRecord): string {
	const sum = (counts: readonly number[]): number => counts.reduce((total, one) => total + one, 0);
	const accepted = sum(tests.map((test) => test.accepted));
	const refused = sum(tests.map((test) => test.refused));
	return [
		START,
		`\`npm run docs:api\` writes this section, and a test fails while it is out of date. The first
table is what \`test/n8n/conformance\` tries with cases that follow from \`sandbox/openapi.yaml\`:
through the real node in n8n's own engine, and with the sandbox alone. ${accepted} cases that the
file allows went through, and ${refused} that it rules out didn't: the node refused them before
anything was sent, the trigger answered 400 or filtered them out, and the sandbox refused them.`,
		markdownTable(
			['About', 'What', 'Went through', 'Refused'],
			tests.map((test) => [test.area, test.what, test.accepted, test.refused]),
		),
		'Which of them try each section of this page, and which other tests:',
		markdownTable(
			['Section', 'Tests'],
			sections().map((section) => [
				`[${section}](#${anchorOf(section)})`,
				[...new Set(SECTION_TESTS[section])]
					.map((test) => (isFile(test) ? `\`${test}\`` : test))
					.join(', '),
			]),
		),
		END,
	].join('\n\n');
}

/** The section as docs/api.md has it. */
export function writtenSection(): string {
	return MARKED.exec(readApiDocument())?.[0] ?? '';
}

/** Replaces the section in a folder's api.md. */
export function writeConformance(section: string, folder: string): void {
	const file = path.join(folder, 'api.md');
	const written = readFileSync(file, 'utf8');
	writeFileSync(
		file,
		MARKED.test(written)
			? written.replace(MARKED, () => section)
			: `${written.trimEnd()}\n\n## Conformance\n\n${section}\n`,
	);
}
