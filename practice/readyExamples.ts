import { ROLE_NUMBERS } from '../sandbox/administratorInvites';
import { EXAMPLES, readExample } from './exampleFiles';
import { administrator, firstTeam } from '../n8nHost/sandboxCredentials';
import type { SandboxProcess } from '../n8nHost/sandboxProcess';
import type { Workflow, WorkflowNode } from '../n8nHost/workflows';
import { objectOf, sendingTo, sheetBody, type Body, type Values } from './standIns';

/** An example that runs as it is: nothing to choose, nothing to fill in. */
export interface ReadyExample {
	/** The name of its file, without `.json`. */
	readonly name: string;
	readonly workflow: Workflow;
}

const NOTE = /\.stickyNote$/;
const TRIGGER = /\.payrollPaymentsTrigger$/;
const CHAT = /\.chatTrigger$/;
const SHEET = /\.googleSheets$/;
const BOARD_NODE = /\.trello$/;
const CHANNEL = /\.slack$/;

/** The placeholders of an example, as the sandbox fills them in. */
const PLACEHOLDERS = {
	system: /https:\/\/YOUR-SYSTEM\.example\.com\/\w+/g,
	service: /https:\/\/YOUR-SERVICE\.example\.com/g,
	webhook: /wh-YOUR-HOOK-ID/g,
	wallet: /0xYOUR-WALLET-ADDRESS/g,
};

/** Where the options of a node begin that gives the role of the example, whose number this service knows. */
const INVITED_ROLE = /json\.role \}\}","options":\{/g;

/** The text of an example, with the sandbox in the place of a person's own system, webhook and wallet. */
export function forSandbox(
	text: string,
	{ url, webhookId, wallet }: Record<'url' | 'webhookId' | 'wallet', string>,
): string {
	return text
		.replace(PLACEHOLDERS.system, `${url}/sandbox/authorization`)
		.replace(PLACEHOLDERS.service, url)
		.replace(PLACEHOLDERS.webhook, webhookId)
		.replace(PLACEHOLDERS.wallet, wallet)
		.replaceAll(INVITED_ROLE, `$&"expectedRoleCode":"${ROLE_NUMBERS.team_viewer}",`);
}

/** Says which month a statement is for. */
const MONTH = 'Which month';
const BOARD = 'Board';

/** What Trello does with the cards of a list, with rows of the sheet's tab *Board* in their place. */
function boardBody({ operation, id, updateFields, name, description }: CardParameters): Body {
	const body = (what: string, row: Values, more: Body = {}): Body => ({
		operation: what,
		tab: BOARD,
		row: objectOf(row),
		...more,
	});
	if (operation === 'getCards') return body('read', {}, { filter: objectOf({ closed: '' }) });
	if (operation === 'update') {
		return body('update', { id: id.value, ...updateFields }, { matching: '={{ ["id"] }}' });
	}
	/* A later card has a greater ID, as at Trello. */
	return body('append', {
		id: "={{ $now.toMillis() + '-' + $itemIndex }}",
		name,
		desc: description,
	});
}

interface CardParameters {
	readonly operation: string;
	readonly id: { readonly value: string };
	readonly updateFields: Values;
	readonly name: string;
	readonly description: string;
}

/** The same node, with the practice desk in the place of an account elsewhere. */
function atTheDesk(desk: string, workflow: Workflow, node: WorkflowNode): WorkflowNode {
	const parameters: CardParameters & MessageParameters = JSON.parse(
		JSON.stringify(node.parameters),
	);
	if (SHEET.test(node.type)) return sendingTo(`${desk}/sheet`, node, sheetBody(parameters));
	if (BOARD_NODE.test(node.type)) return sendingTo(`${desk}/sheet`, node, boardBody(parameters));
	if (!CHANNEL.test(node.type)) return node;
	const { text, message, channelId, binaryPropertyName, options } = parameters;
	const body = {
		content: text ?? message ?? options?.initialComment ?? '',
		to: channelId?.value ?? '#payroll',
		from: workflow.name,
		subject: options?.fileName ?? '',
	};
	return sendingTo(`${desk}/messages`, node, body, binaryPropertyName);
}

/** A message, a question, or a file with a comment. */
interface MessageParameters {
	readonly text?: string;
	readonly message?: string;
	readonly channelId?: { readonly value: string };
	/** The field that has the file. */
	readonly binaryPropertyName?: string;
	readonly options?: { readonly initialComment?: string; readonly fileName?: string };
}

/** How high a note has to be for its text at this width. */
function heightOf(content: string, width: number): number {
	const charactersPerLine = width / 7;
	const lines = content
		.split('\n')
		.map((line) => Math.max(1, Math.ceil(line.length / charactersPerLine)));
	return 20 * Math.ceil((60 + 22 * lines.reduce((sum, count) => sum + count, 0)) / 20);
}

/** An example's note without its steps, since nothing is left to set up; it keeps its lower edge. */
function withoutSteps(note: WorkflowNode, practice: string): WorkflowNode {
	const { content, height, width } = note.parameters;
	const [heading = '', ...lines] = String(content).split('\n');
	const explanation = lines.filter(
		(line) => !/^\d+\. |^\*\*Try it first/.test(line) && line !== '',
	);
	const text = [heading, practice, ...explanation].join('\n\n');
	const shorter = heightOf(text, Number(width));
	const [x = 0, y = 0] = note.position;
	return {
		...note,
		position: [x, y + Number(height) - shorter],
		parameters: { ...note.parameters, height: shorter, content: text },
	};
}

/** All examples for the sandbox: they run with one click. */
export async function readyExamples(sandbox: SandboxProcess): Promise<ReadyExample[]> {
	const team = await firstTeam(sandbox.url);
	const { webhook } = await sandbox.control<{ webhook: string }>('GET', 'organisation');
	const { address: wallet } = await administrator(sandbox.url);
	const desk = `${sandbox.url}/sandbox`;
	const starts: Readonly<Record<string, string>> = {
		'ai-agent-with-review': 'open the chat and ask',
		'mcp-reading':
			'publish it, and give an assistant the URL of **Assistants** and the token `practice`',
		'was-it-paid':
			'publish it, then run *Payroll run with one approval*. On the practice desk, you choose whether its payments arrive or fail',
		'confirm-in-your-wallet': `click **Execute workflow**, and confirm in the [practice wallet](${sandbox.signerUrl ?? desk})`,
	};
	const practice = (name: string, { nodes, pinData = {} }: Workflow): string =>
		[
			`**Ready to run:** ${starts[name] ?? 'click **Execute workflow**'}.`,
			starts[name] === undefined &&
				nodes.some(({ type }) => TRIGGER.test(type)) &&
				'That takes the sample event. To receive what you send on the practice desk, **publish** it; nothing has to be copied into a dashboard.',
			MONTH in pinData &&
				`**${MONTH}** is pinned to this month instead of last month, since the practice sheet has rows of this month only. Unpin it (\`P\`) before you change it.`,
			nodes.some(({ type }) => [SHEET, BOARD_NODE, CHANNEL].some((kind) => kind.test(type)))
				? `The [practice desk](${desk}) is its service, sheet and inbox: what a workflow sends, writes and pays shows up there.`
				: `The [practice desk](${desk}) is its service.`,
		]
			.filter(Boolean)
			.join(' ');
	/* The month of the rows in the sheet. */
	const month = new Date().toISOString().slice(0, 7);
	const makeReady = (name: string): Workflow => {
		const text = JSON.stringify(readExample(name, team));
		const workflow: Workflow = JSON.parse(
			forSandbox(text, { url: sandbox.url, webhookId: webhook, wallet }),
		);
		const replaced = workflow.nodes
			.filter(({ type }) => SHEET.test(type) || CHAT.test(type))
			.map((node) => node.name);
		return {
			...workflow,
			nodes: workflow.nodes.map((node) =>
				NOTE.test(node.type)
					? withoutSteps(node, practice(name, workflow))
					: atTheDesk(desk, workflow, node),
			),
			pinData: Object.fromEntries(
				Object.entries(workflow.pinData ?? {})
					.filter(([node]) => !replaced.includes(node))
					.map(([node, items]) => [node, node === MONTH ? [{ json: { month } }] : items]),
			),
		};
	};
	const names = ['first-steps', ...EXAMPLES.filter((name) => name !== 'first-steps')];
	return names.map((name) => ({ name, workflow: makeReady(name) }));
}
