import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { TEAM_PLACEHOLDER } from './exampleSamples';
import { repository } from '../tooling/paths.mjs';
import type { Workflow } from '../n8nHost/workflows';

const folder = path.join(repository, 'examples');

/** The importable workflows in examples/: the names of their files, without `.json`. */
export const EXAMPLES = readdirSync(folder)
	.filter((file) => file.endsWith('.json'))
	.map((file) => path.parse(file).name);

interface Described {
	readonly name: string;
	readonly about: string;
}

/** The examples by the headings of their README, which says what each starts with and does. */
export function describedExamples(): Map<string, readonly Described[]> {
	const groups = readFileSync(path.join(folder, 'README.md'), 'utf8').split(/^### /m).slice(1);
	const row = /^\| \[([\w-]+)\]\([\w-]+\.json\), .+? \| .+? \| (.+) \|$/gm;
	return new Map(
		groups.map((group) => {
			const [heading = ''] = group.split('\n', 1);
			const found = [...group.matchAll(row)].map(([, name = '', about = '']) => ({
				name,
				about: about.replace(/[`*]/g, ''),
			}));
			return [heading, found];
		}),
	);
}

/** The text of an example, with a team's identifier filled in. */
export function exampleText(name: string, teamId = TEAM_PLACEHOLDER): string {
	const text = readFileSync(path.join(folder, `${name}.json`), 'utf8');
	return text.replaceAll(TEAM_PLACEHOLDER, teamId);
}

/** Reads an example, with a team's identifier filled in. */
export function readExample(name: string, teamId?: string): Workflow {
	return JSON.parse(exampleText(name, teamId));
}

/** The production URL of a workflow's webhook trigger. */
export function webhookUrl(n8nUrl: string, { name, nodes }: Workflow): string {
	const trigger = nodes.find(
		({ type, webhookId }) => type.endsWith('Trigger') && webhookId !== undefined,
	);
	if (trigger === undefined) throw new Error(`Workflow ${name} has no webhook.`);
	return `${n8nUrl}/webhook/${trigger.webhookId}/webhook`;
}
