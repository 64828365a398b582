import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';

import { repository } from '../../../scripts/lib/paths.mjs';
import { markdownTable } from '../../support/markdown';
import { GUARDED_ELSEWHERE, UNTESTABLE } from './guards';
import { fits, type ConformanceRecord } from './record';
import { anchorOf, API_DOCUMENT, readStatements, type Statement } from './statements';

const START = '<!-- conformance -->';
const END = '<!-- /conformance -->';
const MARKED = new RegExp(`${START}\n[\\s\\S]*?${END}`);

/** Something that guards statements: a test here with its counts, or one in another file. */
interface Numbered {
	readonly number: number;
	readonly area: string;
	readonly what: string;
	readonly accepted?: number;
	readonly refused?: number;
	readonly guards: readonly string[];
}

const nameOf = ({ id }: Statement): string => {
	const name = id.slice(id.indexOf('/') + 1);
	return /^[\w-]+-[\w']+-/.test(name) ? `“${name.replaceAll('-', ' ')} …”` : `\`${name}\``;
};

function reasonFor({ id }: Statement): string | undefined {
	return Object.entries(UNTESTABLE).find(([pattern]) => fits(pattern, id))?.[1];
}

/** Titles in test files that no longer exist. */
export function missingTests(): string[] {
	return GUARDED_ELSEWHERE.filter(({ area, what }) => {
		const text = readFileSync(path.join(repository, area), 'utf8');
		return !text.includes(what);
	}).map(({ area, what }) => `${area}: ${what}`);
}

/** Statements that nothing guards and no reason excuses, and names that fit no statement. */
export function gaps(record: ConformanceRecord): { open: string[]; gone: string[] } {
	const statements = readStatements();
	const named = [
		...record.tests.flatMap(({ guards }) => guards),
		...GUARDED_ELSEWHERE.flatMap(({ guards }) => guards),
		...Object.keys(UNTESTABLE),
	];
	return {
		open: statements
			.map(({ id }) => id)
			.filter((id) => !named.some((pattern) => fits(pattern, id))),
		gone: [...new Set(named)].filter((pattern) => !statements.some(({ id }) => fits(pattern, id))),
	};
}

function statementTable(statements: readonly Statement[], tests: readonly Numbered[]): string {
	const sections = [...new Set(statements.map(({ heading }) => heading))];
	const rows = sections.map((heading) => {
		const groups = new Map<string, string[]>();
		for (const statement of statements.filter((each) => each.heading === heading)) {
			const numbers = tests
				.filter(({ guards }) => guards.some((pattern) => fits(pattern, statement.id)))
				.map(({ number }) => number);
			const guards =
				numbers.length > 0 ? numbers.join(', ') : `not tested: ${reasonFor(statement)}`;
			groups.set(guards, [...(groups.get(guards) ?? []), nameOf(statement)]);
		}
		const cells = [...groups].map(([guards, names]) => `${names.join(', ')}: ${guards}`);
		return [`[${heading}](#${anchorOf(heading)})`, cells.join('<br>')];
	});
	return markdownTable(['Section', 'Statements: tests'], rows);
}

/** The section of docs/api.md that the tests write. */
export function conformanceSection(record: ConformanceRecord): string {
	const tests: Numbered[] = [...record.tests, ...GUARDED_ELSEWHERE].map((test, index) => ({
		number: index + 1,
		...test,
	}));
	const statements = readStatements();
	const reasons = statements.filter(
		(statement) =>
			!tests.some(({ guards }) => guards.some((pattern) => fits(pattern, statement.id))),
	);
	const sum = (counts: readonly (number | undefined)[]): number =>
		counts.reduce<number>((total, count = 0) => total + count, 0);
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
			['Test', 'About', 'What', 'Went through', 'Refused'],
			tests
				.filter((test) => test.accepted !== undefined)
				.map(({ number, area, what, accepted: taken = 0, refused: not = 0 }) => [
					number,
					area,
					what,
					taken,
					not,
				]),
		),
		'Tests in other files that guard a statement:',
		markdownTable(
			['Test', 'File', 'Title'],
			tests
				.filter((test) => test.accepted === undefined)
				.map(({ number, area, what }) => [number, `\`${area}\``, what]),
		),
		`This page makes ${statements.length} statements: ${statements.length - reasons.length} have a
test, and ${reasons.length} can't have one. A name in a table stands for its row, quoted words for the
paragraph or point that begins with them.`,
		statementTable(statements, tests),
		END,
	].join('\n\n');
}

/** The section as docs/api.md has it. */
export function writtenSection(): string {
	return MARKED.exec(readFileSync(API_DOCUMENT, 'utf8'))?.[0] ?? '';
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
