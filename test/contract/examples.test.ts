import { existsSync, readdirSync, readFileSync, statSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';

import { samplesFor } from '../../practice/exampleSamples';
import { EXAMPLES, readExample } from '../../practice/exampleFiles';
import type { Workflow, WorkflowNode } from '../../n8nHost/workflows';
import { repository } from '../../tooling/paths.mjs';

const kindOf = ({ type }: WorkflowNode): string => type.split('.').at(-1) ?? '';
const nodesOf = ({ nodes }: Workflow): readonly WorkflowNode[] =>
	nodes.filter((node) => kindOf(node) !== 'stickyNote');

/** The connections of a workflow, one by one: from which output of which node, and to which. */
function links({ connections }: Workflow) {
	type Outputs = { node: string }[][];
	const all: Record<string, Record<string, Outputs>> = JSON.parse(JSON.stringify(connections));
	return Object.entries(all).flatMap(([from, types]) =>
		Object.entries(types).flatMap(([type, outputs]) =>
			outputs.flatMap((targets, output) =>
				targets.map(({ node: to }) => ({ from, to, type, output })),
			),
		),
	);
}

function ancestors(workflow: Workflow, name: string): Set<string> {
	const found = new Set<string>();
	const add = (child: string) => {
		for (const { from, to } of links(workflow)) {
			if (to !== child || found.has(from)) continue;
			found.add(from);
			add(from);
		}
	};
	add(name);
	return found;
}

const parametersOf = (node?: WorkflowNode) => JSON.parse(JSON.stringify(node?.parameters ?? {}));

function asksPerson(node: WorkflowNode): boolean {
	const { resume, operation } = parametersOf(node);
	return kindOf(node) === 'form' || resume === 'form' || operation === 'sendAndWait';
}

/** How many outputs of a node lead to different paths; the editor draws one connector for each. */
function pathsOf(node: WorkflowNode): number {
	if (kindOf(node) === 'if' || node.onError === 'continueErrorOutput') return 2;
	if (kindOf(node) !== 'switch') return 1;
	const { rules, options } = parametersOf(node);
	return rules.values.length + (options.fallbackOutput === 'extra' ? 1 : 0);
}

/** A node's name is written below it, on up to two lines. */
const NODE_SIZE = { width: 100, height: 150 };

function boxOf(node: WorkflowNode) {
	const [left = 0, top = 0] = node.position;
	const { width, height } = kindOf(node) === 'stickyNote' ? parametersOf(node) : NODE_SIZE;
	return { left, top, right: left + Number(width), bottom: top + Number(height) };
}

/** What a node sends or changes: the operations of our node that aren't reads, and any third party. */
const READS = ['get', 'getAll', 'getSignInMessage', 'read', 'getCards'];
const WRITERS = /(payrollPayments|slack|googleSheets|trello|httpRequest)$/;

/** Reads a sheet after the approval, so that what changed meanwhile isn't paid. */
const READ_AGAIN = 'Read it again';

/** The example in which a person decides on the wallet’s own screen. */
const IN_THE_WALLET = 'confirm-in-your-wallet';

describe.each(EXAMPLES)('the example %s', (name) => {
	const workflow = readExample(name);
	const nodes = nodesOf(workflow);
	const notes = workflow.nodes.filter((node) => kindOf(node) === 'stickyNote');
	const triggers = nodes.filter((node) => /(?<!manual|schedule|mcp)trigger$/i.test(kindOf(node)));

	it('has the sandbox’s samples, as `npm run examples:samples` writes them', () => {
		expect(workflow.pinData).toEqual(samplesFor(workflow));
	});

	it('runs with one click: every event and every sheet that starts it is pinned', () => {
		const sheets = nodes.filter(
			({ name: node, type, parameters }) =>
				/googleSheets$/.test(type) && parameters.operation === 'read' && node !== READ_AGAIN,
		);
		const wanted = triggers.length > 0 ? triggers : sheets;
		const pinned = Object.entries(workflow.pinData ?? {});
		expect(pinned.map(([node]) => node)).toEqual(
			expect.arrayContaining(wanted.map((node) => node.name)),
		);
		for (const [, items] of pinned) expect(items.length).toBeGreaterThan(0);
	});

	it('pins nothing that decides, pays or answers for a person', () => {
		expect(workflow.pinData).not.toHaveProperty([READ_AGAIN]);
		const pinned = nodes.filter((node) => workflow.pinData?.[node.name] !== undefined);
		for (const forbidden of ['wait', 'form', 'slack', 'payrollPayments'])
			expect(pinned.map(kindOf)).not.toContain(forbidden);
	});

	it('writes text to sheets as text, and adds rows so that two executions don’t share one', () => {
		for (const { parameters } of nodes.filter((node) => kindOf(node) === 'googleSheets')) {
			if (parameters.operation === 'read') continue;
			const adds = parameters.operation === 'appendOrUpdate' ? { useAppend: true } : {};
			expect(parameters.options).toEqual({ cellFormat: 'RAW', ...adds });
		}
	});

	it('contains no credentials and no personal data', () => {
		const credentials = nodes.flatMap((node) => Object.values(node.credentials ?? {}));
		expect(credentials.filter(({ id }) => id !== null)).toEqual([]);
		expect(JSON.stringify(workflow)).not.toMatch(/\/(root|home|tmp|work)\/|localhost|127\.0\.0\.1/);
	});

	it('leaves no branch open', () => {
		for (const node of nodes.filter((each) => pathsOf(each) > 1)) {
			const outputs = links(workflow).filter(({ from }) => from === node.name);
			const { size } = new Set(outputs.map(({ output }) => output));
			expect([node.name, size]).toEqual([node.name, pathsOf(node)]);
		}
	});

	it('refers only to nodes that run before, and connects only nodes that exist', () => {
		const names = nodes.map((node) => node.name);
		expect(new Set(names).size).toBe(names.length);
		for (const { from, to } of links(workflow))
			expect(names).toEqual(expect.arrayContaining([from, to]));
		const dangling = nodes.flatMap((node) => {
			const before = ancestors(workflow, node.name);
			return [...JSON.stringify(node.parameters).matchAll(/\$\('([^']+)'\)/g)]
				.map(([, reference = '']) => reference)
				.filter((reference) => !before.has(reference))
				.map((reference) => `${node.name} → ${reference}`);
		});
		expect(dangling).toEqual([]);
	});

	it('uses a data table by its ID (n8n finds names within names), its own keys, and no insert, which a retry repeats', () => {
		for (const { parameters } of nodes.filter(({ type }) => type.endsWith('.dataTable'))) {
			const { resource, tableName, dataTableId } = parameters;
			const byId = { mode: 'id', value: expect.stringContaining("$('Make the table") };
			if (resource === 'row') expect(dataTableId).toMatchObject(byId);
			else expect(JSON.stringify(notes)).toContain(`*${String(tableName)}*`);
			expect(JSON.stringify(notes)).toContain('fails if another table’s name contains');
			expect(parameters.operation).not.toBe('insert');
			expect(JSON.stringify(parameters)).not.toMatch(/"(keyV|v)alue":"=[a-z]+ (?!{{ \$workflow)/);
		}
	});

	it('asks for an Error Workflow if an event or a schedule starts it, and it tells or writes', () => {
		const has = (type: RegExp) => nodes.some((node) => type.test(node.type));
		if (has(/(payrollPayments|schedule|Polling)Trigger$/) && has(/\.(slack|googleSheets|trello)$/))
			expect(JSON.stringify(notes)).toContain('*Error Workflow*');
	});

	it('says in which time zone it runs, if it runs at a time of day', () => {
		const isScheduled = nodes.some((node) => kindOf(node) === 'scheduleTrigger');
		expect(typeof workflow.settings?.timezone).toBe(isScheduled ? 'string' : 'undefined');
	});

	it('pays and gives roles only as checked and approved, within half an hour', () => {
		for (const node of nodes) {
			/* The signature that a person pastes is made from what the check shows. */
			const { resource, operation, options, signature, paymentsJson, ...form } = parametersOf(node);
			expect(signature ?? 'json.Signature').toContain('json.Signature');
			const isBinding = ['payment.create', 'administratorInvite.complete'].includes(
				`${resource}.${operation}`,
			);
			if (!isBinding || options?.checkOnly === true) continue;
			const before = nodes.filter((each) => ancestors(workflow, node.name).has(each.name));
			if (name !== IN_THE_WALLET) {
				const { options: more, ...wait } = parametersOf(before.find(asksPerson));
				const limit = wait.limitWaitTime === true ? wait : more.limitWaitTime.values;
				expect(limit).toMatchObject({ resumeAmount: 30, resumeUnit: 'minutes' });
				expect(before.map(kindOf)).toContain('if');
			}
			const approval = /^=\{\{ \$\('(.+)'\)\.first\(\)\.json\.approval \}\}$/;
			const [, checked] = approval.exec(options.approvedCheck) ?? [];
			const check = before.find((each) => each.name === checked);
			const { options: checkOptions, ...same } = parametersOf(check);
			expect(same).toMatchObject(form);
			/* The same rows, as the sheet has them after the approval. */
			if (before.some((each) => each.name === READ_AGAIN))
				expect(paymentsJson).toContain(`$('${READ_AGAIN}').all()`);
			else expect(paymentsJson).toEqual(same.paymentsJson);
			expect(checkOptions).toMatchObject({ checkOnly: true });
		}
	});

	it('names teams and companies as the editor does, and our nodes’ one version', () => {
		for (const { type, typeVersion, parameters } of nodes) {
			if (!type.startsWith('n8n-nodes-payroll-payments.')) continue;
			expect(typeVersion).toBe(1);
			for (const field of ['teamId', 'entityId', 'userId']) {
				if (field in parameters) {
					expect(parameters[field]).toEqual({ __rl: true, mode: 'id', value: expect.any(String) });
				}
			}
		}
	});

	it('has a note with numbered steps, and node names that the note knows', () => {
		const [note] = notes;
		expect(notes).toHaveLength(1);
		const content = String(note?.parameters.content);
		const steps = [...content.matchAll(/^(\d+)\. /gm)].map(([, number]) => Number(number));
		expect(steps).toEqual(steps.map((_step, index) => index + 1));
		expect(steps.length).toBeGreaterThan(2);
		const opened = [...content.matchAll(/[Oo]pen \*\*([^*]+)\*\*/g)].map(([, title]) => title);
		const editor = ['Webhook URLs', '⋯ → Settings'];
		expect(opened.filter((title) => !editor.includes(title ?? ''))).toEqual(
			opened.filter((title) => nodes.some((node) => node.name === title)),
		);
	});

	it('links only to files of the repository that exist', () => {
		for (const [, file = ''] of [...JSON.stringify(notes).matchAll(/blob\/main\/([^)#]+)\)/g)])
			expect([file, existsSync(path.join(repository, file))]).toEqual([file, true]);
	});

	it('has no node ID that begins with another’s, which n8n’s editor would open in its place', () => {
		const ids = workflow.nodes.map(({ id = '' }) => id);
		const beginnings = ids.filter((id) => ids.filter((each) => each.startsWith(id)).length > 1);
		expect(beginnings).toEqual([]);
	});

	it('is laid out on a grid in rows, from left to right, with nothing on top of anything else', () => {
		for (const { position } of workflow.nodes)
			for (const each of position) expect(Math.abs(each % 20)).toBe(0);
		const boxes = workflow.nodes.map((node) => ({ name: node.name, ...boxOf(node) }));
		for (const one of boxes) {
			const isApart = (other: typeof one) =>
				one.left >= other.right ||
				other.left >= one.right ||
				one.top >= other.bottom ||
				other.top >= one.bottom;
			const over = boxes.filter((other) => !isApart(other)).map((other) => other.name);
			expect(over).toEqual([one.name]);
		}
		const places = new Map(nodes.map((node) => [node.name, boxOf(node)]));
		const edge = Math.min(...[...places.values()].map(({ left }) => left));
		const backward = links(workflow).filter(({ type, from, to }) => {
			const [source, target] = [places.get(from), places.get(to)];
			if (type !== 'main' || source === undefined || target === undefined) return false;
			const isNextRow = target.left === edge && target.top >= source.bottom;
			return source.left >= target.left && !isNextRow;
		});
		expect(backward).toEqual([]);
	});
});

it.each([
	'cleared-deposit-to-payment',
	'payroll-run-with-approval',
	'provider-authorization-to-payment',
	'sign-outside',
	IN_THE_WALLET,
])('%s never says “not paid” of a payment that was sent', (name) => {
	const workflow = readExample(name);
	const said = nodesOf(workflow).filter((node) => ancestors(workflow, node.name).has('Pay'));
	expect(said.length).toBeGreaterThan(2);
	/* Of what Pay puts out, a run_message or an error is said, before anyone is said to have declined. */
	const text = JSON.stringify(said)
		.replaceAll(/ : \(\$json\.Decision \?.*?\}\}/g, '')
		.replaceAll("['refused', 'not_sent'].includes($json.outcome) ? 'Nothing was paid: '", '');
	expect(text).not.toMatch(/not paid|nothing was (paid|sent)|wasn’t paid/i);
	expect(text).toMatch(/known yet/);
});

it('says what was paid, or failed, before it writes to the sheet, and what was paid is written anyway', () => {
	/* Of two nodes after the same one, n8n runs the upper one first, with all that follows it. */
	const { nodes } = readExample('payroll-run-with-approval');
	const telling = nodes.find((node) => node.name === 'Tell the channel');
	const writing = nodes.find((node) => node.name === 'Write the outcome');
	expect(telling?.position[1]).toBeLessThan(writing?.position[1] ?? 0);
	expect(telling?.onError).toBe('continueRegularOutput');
	expect(ancestors(readExample('was-it-paid'), 'Write the status')).toContain('Tell the channel');
});

it.each([
	['payroll-run-approved-in-slack', ['Ask for approval', 'Decide', 'Last page'], []],
	[
		'payroll-run-by-signed-in-approver',
		['Start here', 'Decide', 'Approved?', 'Last page', 'Tell the channel', 'Write the outcome'],
		['Start the run'],
	],
])('%s differs from the payroll run with a form only in these nodes', (name, changed, added) => {
	const workflow = readExample(name);
	const form = readExample('payroll-run-with-approval');
	const isSame = (node: WorkflowNode) =>
		workflow.nodes.some(({ id, ...other }) => isDeepStrictEqual({ ...node, id }, { id, ...other }));
	const namesOf = (nodes: readonly WorkflowNode[]) => nodes.map((node) => node.name);
	expect(namesOf(nodesOf(form).filter((node) => !isSame(node)))).toEqual(changed);
	const isNew = ({ name: of }: WorkflowNode) => !namesOf(form.nodes).includes(of);
	expect(namesOf(workflow.nodes.filter(isNew))).toEqual(added);
	const start = (of: string) => of.replace('Start here', added[0] ?? 'Start here');
	const kept = links(form).filter(({ to }) => to !== 'Last page');
	expect(links(workflow)).toEqual(kept.map((link) => ({ ...link, from: start(link.from) })));
});

it('shows a small picture of each example, as `npm run screenshots` takes it, and of nothing else', () => {
	const folder = path.join(repository, 'docs', 'screenshots', 'examples');
	const files = readdirSync(folder);
	expect(files.sort()).toEqual(EXAMPLES.map((name) => `${name}.png`).sort());
	expect(files.filter((file) => statSync(path.join(folder, file)).size > 120_000)).toEqual([]);
	const text = readFileSync(path.join(repository, 'examples', 'README.md'), 'utf8');
	const linked = [...text.matchAll(/\| \[([\w-]+)\]\(\1\.json\), \[picture\]\(\.\.\/(\S+)\) \|/g)];
	expect(linked.map(([, name, picture]) => [name, picture]).sort()).toEqual(
		EXAMPLES.map((name) => [name, `docs/screenshots/examples/${name}.png`]).sort(),
	);
});

it('changes nothing in the first example', () => {
	const writing = nodesOf(readExample('first-steps')).filter((node) => {
		const { operation, options } = parametersOf(node);
		return WRITERS.test(node.type) && !READS.includes(operation) && options?.checkOnly !== true;
	});
	expect(writing.map((node) => node.name)).toEqual([]);
});

it('gives assistants tools that read only', () => {
	const tools = nodesOf(readExample('mcp-reading')).filter((node) => /Tool$/.test(kindOf(node)));
	expect(tools).toHaveLength(3);
	for (const { parameters } of tools) {
		expect(READS).toContain(parameters.operation);
		expect(parameters.allowToolWrites).toBeUndefined();
	}
});
