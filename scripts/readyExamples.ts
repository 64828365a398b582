import { EXAMPLES, readExample } from '../test/support/examples';
import { firstTeam } from '../test/support/sandboxCredentials';
import type { SandboxProcess } from '../test/support/sandboxProcess';
import type { Workflow, WorkflowNode } from '../test/support/workflows';

/** An example that runs as it is: nothing to choose, nothing to fill in. */
export interface ReadyExample {
	/** The name of its file, without `.json`. */
	readonly name: string;
	readonly workflow: Workflow;
}

/**
 * Nodes that need an account elsewhere, and the type of its credential. What they read is pinned. What
 * they send goes to the sandbox instead: after a form, n8n no longer uses pinned data.
 */
export const ACCOUNTS: Readonly<Record<string, string>> = {
	'n8n-nodes-base.googleSheets': 'googleSheetsOAuth2Api',
	'n8n-nodes-base.slack': 'slackApi',
	'n8n-nodes-base.trello': 'trelloApi',
};

const NOTE = /\.stickyNote$/;
const CHAT = /\.chatTrigger$/;

/** The placeholders of an example, as the sandbox fills them in. */
const PLACEHOLDERS = {
	system: /https:\/\/YOUR-SYSTEM\.example\.com\/\w+/g,
	webhook: /wh-YOUR-HOOK-ID/g,
};

/** The text of an example, with the sandbox in the place of a person's own system and webhook. */
export function forSandbox(text: string, sandboxUrl: string, webhookId: string): string {
	return text
		.replace(PLACEHOLDERS.system, `${sandboxUrl}/sandbox/authorization`)
		.replace(PLACEHOLDERS.webhook, webhookId);
}

/** Rows of the queue of name reviews that the sandbox knows. */
function queue(team: string, reviews: readonly NameReview[]): { readonly json: object }[] {
	return reviews.slice(0, 2).map((review, index) => ({
		json: {
			row_number: index + 2,
			team_id: team,
			user_id: review.user_nanoid,
			review_version: review.reviewVersion,
			decision: 'approve',
			outcome: '',
		},
	}));
}

interface NameReview {
	readonly user_nanoid: string;
	readonly reviewVersion: string;
}

const READS = ['read', 'getCards'];

/** Whether a node sends something to an account elsewhere. */
function sendsElsewhere({ type, parameters }: WorkflowNode): boolean {
	return type in ACCOUNTS && !READS.includes(String(parameters.operation));
}

/** The same node, with the sandbox as the receiver. */
function sendingTo(sandboxUrl: string, node: WorkflowNode): WorkflowNode {
	const { text, options } = node.parameters;
	const content = [text, Object(options).initialComment].find((each) => typeof each === 'string');
	return {
		...node,
		credentials: {},
		type: 'n8n-nodes-base.httpRequest',
		typeVersion: 4.2,
		parameters: {
			method: 'POST',
			url: `${sandboxUrl}/sandbox/messages`,
			sendBody: true,
			bodyParameters: {
				parameters: [{ name: 'content', value: content ?? '={{ JSON.stringify($json) }}' }],
			},
			options: {},
		},
	};
}

/** Puts a line above an example's note, which grows upwards. */
function withFirstLine(note: WorkflowNode, line: string): WorkflowNode {
	const [x = 0, y = 0] = note.position;
	const { content, height, ...parameters } = note.parameters;
	return {
		...note,
		position: [x, y - 40],
		parameters: {
			...parameters,
			height: Number(height) + 40,
			content: `${line}\n\n${String(content)}`,
		},
	};
}

/** All examples for the sandbox: they run with one click, and the notes of their authors stay. */
export async function readyExamples(sandbox: SandboxProcess): Promise<ReadyExample[]> {
	const team = await firstTeam(sandbox.url);
	const { teams, webhook } = await sandbox.control<{
		teams: { name_reviews: NameReview[] }[];
		webhook: string;
	}>('GET', 'organisation');
	const line = `**Ready to run** on the [practice service](${sandbox.url}/sandbox): click **Execute workflow**, or open the chat.`;
	const makeReady = (name: string): Workflow => {
		const text = JSON.stringify(readExample(name, team));
		const workflow: Workflow = JSON.parse(forSandbox(text, sandbox.url, webhook));
		const nodes = workflow.nodes.map((node): WorkflowNode => {
			if (NOTE.test(node.type)) return withFirstLine(node, line);
			if (sendsElsewhere(node)) return sendingTo(sandbox.url, node);
			const account = ACCOUNTS[node.type];
			return account === undefined
				? node
				: { ...node, credentials: { [account]: { id: null, name: '' } } };
		});
		const pinned = nodes.flatMap((node): [string, readonly { readonly json: object }[]][] => {
			const given = workflow.pinData?.[node.name];
			if (CHAT.test(node.type)) return [];
			if (node.name === 'Read the queue') {
				return [[node.name, queue(team, teams[0]?.name_reviews ?? [])]];
			}
			if (given !== undefined) return [[node.name, given]];
			return node.type in ACCOUNTS ? [[node.name, [{ json: { ok: true } }]]] : [];
		});
		return { ...workflow, nodes, pinData: Object.fromEntries(pinned) };
	};
	const names = ['first-steps', ...EXAMPLES.filter((name) => name !== 'first-steps')];
	return names.map((name) => ({ name, workflow: makeReady(name) }));
}
