import { readFileSync } from 'node:fs';
import path from 'node:path';

import { repository } from '../../../scripts/lib/paths.mjs';

/** One statement of docs/api.md: a name in a table, a paragraph or a point of a list. */
export interface Statement {
	/** The section's anchor and the name, or the first words of the text: `roles/org_admin`. */
	readonly id: string;
	/** The section's heading. */
	readonly heading: string;
}

export const API_DOCUMENT = path.join(repository, 'docs', 'api.md');

/** The sections that repeat what the service documents, and the one on what it doesn't. */
const FIRST = 'Overview';
const END = 'Conformance';

const WORDS_IN_ID = 4;

/** The anchor that GitHub gives a heading. */
export function anchorOf(heading: string): string {
	return heading
		.toLowerCase()
		.replace(/[^\w\- ]/g, '')
		.replaceAll(' ', '-');
}

function slugOf(text: string): string {
	const words = text
		.replace(/\]\([^)]*\)|<[^>]*>/g, '')
		.replaceAll('’', "'")
		.match(/[\w']+/g);
	return (words ?? []).slice(0, WORDS_IN_ID).join('-').toLowerCase();
}

/** The names in the first cell of a row, or in the second if the first is only a number. */
function namesIn(row: string): string[] {
	const [, first = '', second = ''] = row.split(/(?<!\\)\|/).map((cell) => cell.trim());
	const cell = first === '' ? second : first;
	const quoted = [...cell.matchAll(/`([^`]+)`/g)].map(([, name = '']) => name);
	return quoted.length > 0 && !/^[A-Z*]/.test(cell) ? quoted : [slugOf(cell)];
}

/** Every statement from the first section to the last one about the service. */
function statementsOf(markdown: string): Statement[] {
	const statements: Statement[] = [];
	const add = (name: string): void => {
		const id = `${anchorOf(heading)}/${name}`;
		const same = statements.filter((each) => each.id.replace(/ #\d+$/, '') === id).length;
		statements.push({ id: same === 0 ? id : `${id} #${same + 1}`, heading });
	};
	let heading = '';
	let isWanted = false;
	for (const block of markdown.split(/\n{2,}/)) {
		const title = /^#{2,3} (.*)/.exec(block)?.[1];
		if (title !== undefined) {
			heading = title;
			if (title === FIRST) isWanted = true;
			if (title === END) break;
			continue;
		}
		if (!isWanted) continue;
		if (block.startsWith('|')) {
			for (const row of block.trim().split('\n').slice(2))
				for (const name of namesIn(row)) add(name);
		} else if (block.startsWith('```')) {
			add(slugOf(block.replace(/^```\w*/, '')));
		} else {
			for (const point of block.split(/^- /m).filter((text) => text.trim() !== ''))
				add(slugOf(point));
		}
	}
	return statements;
}

export function readStatements(): Statement[] {
	return statementsOf(readFileSync(API_DOCUMENT, 'utf8'));
}
