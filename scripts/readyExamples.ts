import { EXAMPLES, readExample } from '../test/support/examples';
import { administrator, firstTeam } from '../test/support/sandboxCredentials';
import type { SandboxProcess } from '../test/support/sandboxProcess';
import type { Workflow, WorkflowNode } from '../test/support/workflows';

/** An example that runs as it is: nothing to choose, nothing to fill in. */
export interface ReadyExample {
	/** The name of its file, without `.json`. */
	readonly name: string;
	readonly workflow: Workflow;
}

type Items = readonly { readonly json: object }[];

/** What n8n can run without an account elsewhere. */
const LOCAL =
	/^(n8n-nodes-payroll-payments\.|n8n-nodes-base\.(manualTrigger|scheduleTrigger|stickyNote|set|if|switch|filter|wait|merge|code|noOp|splitOut|aggregate|limit|sort|form|formTrigger)$)/;

const TRIGGER = /\.payrollPaymentsTrigger$/;
const NOTE = /\.stickyNote$/;
const WAIT = /\.(wait|form)$/;

/** What nodes output that would need an account elsewhere, by the name of the node. */
async function samplesFor(sandbox: SandboxProcess): Promise<Record<string, readonly object[]>> {
	const team = await firstTeam(sandbox.url);
	const { address } = await administrator(sandbox.url);
	const { teams } = await sandbox.control<{
		teams: { name_reviews: { user_nanoid: string; reviewVersion: string }[] }[];
	}>('GET', 'organisation');
	const email = 'supplier@example.com';
	const amount_cents = 77_700;
	const query = new URLSearchParams({
		from: team,
		amount_cents: String(amount_cents),
		email,
		signer: address,
	});
	const prepared = await sandbox.control<object>('GET', `payment-typed-data?${query}`);
	return {
		'Read the sheet': [
			{ email: 'marta.kowalska@example.com', first_name: 'Marta', last_name: 'Kowalska' },
			{ email: 'samuel.osei@example.com', first_name: 'Samuel', last_name: 'Osei' },
		],
		'Read the queue': (teams[0]?.name_reviews ?? []).slice(0, 2).map((review, index) => ({
			row_number: index + 2,
			team_id: team,
			user_id: review.user_nanoid,
			review_version: review.reviewVersion,
			decision: 'approve',
			outcome: '',
		})),
		'Prepare the payment': [{ ...prepared, amount_cents, email }],
		'Payroll assistant': [
			{ output: 'This is a sample answer. Choose a chat model to ask for real.' },
		],
	};
}

/** A note that says what to do here, instead of what to set up elsewhere. */
function noteFor({ name, nodes }: Workflow, pinned: readonly string[], sandboxUrl: string): string {
	const elsewhere = pinned.filter((each) => nodes.some((one) => one.name === each && !isOurs(one)));
	return [
		`## ${title(name)}`,
		'Everything is filled in for the sandbox. Press **Execute workflow**, then open any node to see what it output.',
		nodes.some(({ type }) => TRIGGER.test(type))
			? `The trigger outputs a sample event. For a real one, publish the workflow and send it from the [sandbox](${sandboxUrl}/sandbox).`
			: '',
		elsewhere.length === 0
			? ''
			: `You need no other account: ${elsewhere.map((each) => `**${each}**`).join(', ')} output${elsewhere.length === 1 ? 's' : ''} sample data. Unpin it to use your own.`,
		nodes.some(({ type }) => WAIT.test(type))
			? 'n8n opens a form in a new window for the decision, and the workflow goes on when you answer it.'
			: '',
	]
		.filter((each) => each !== '')
		.join('\n\n');
}

/** The name of an example without the prefix that they share. */
function title(name: string): string {
	const short = name.replace(/^Payroll: /, '');
	return short.charAt(0).toUpperCase() + short.slice(1);
}

const isOurs = ({ type }: WorkflowNode): boolean => LOCAL.test(type);

/** A node without credentials for other services, which this n8n doesn't have. */
function withoutForeignCredentials({ credentials, ...node }: WorkflowNode): WorkflowNode {
	return isOurs(node) && credentials !== undefined ? { ...node, credentials } : node;
}

/** A note with another text, as high as that needs, and still right above the nodes. */
function withContent(note: WorkflowNode, content: string): WorkflowNode {
	const [x = 0, y = 0] = note.position;
	const height = 90 + 34 * content.split('\n\n').length;
	const bottom = y + Number(note.parameters.height ?? height);
	return {
		...note,
		position: [x, bottom - height],
		parameters: { ...note.parameters, height, width: 900, content },
	};
}

function makeReady(
	workflow: Workflow,
	samples: Record<string, readonly object[]>,
	sandboxUrl: string,
): Workflow {
	const pinned = workflow.nodes.flatMap((node): [string, Items][] => {
		const given = workflow.pinData?.[node.name];
		const sample = samples[node.name];
		if (sample !== undefined) return [[node.name, sample.map((json) => ({ json }))]];
		if (given !== undefined) return [[node.name, given]];
		return isOurs(node) ? [] : [[node.name, [{ json: { ok: true } }]]];
	});
	const content = noteFor(
		workflow,
		pinned.map(([name]) => name),
		sandboxUrl,
	);
	const [note] = workflow.nodes.filter(({ type }) => NOTE.test(type));
	return {
		...workflow,
		pinData: Object.fromEntries(pinned),
		nodes: workflow.nodes.map((node) =>
			node === note ? withContent(node, content) : withoutForeignCredentials(node),
		),
	};
}

/** All examples, with the sandbox's identifiers, sample data and notes that fit. */
export async function readyExamples(sandbox: SandboxProcess): Promise<ReadyExample[]> {
	const team = await firstTeam(sandbox.url);
	const samples = await samplesFor(sandbox);
	const names = ['first-steps', ...EXAMPLES.filter((name) => name !== 'first-steps')];
	return names.map((name) => ({
		name,
		workflow: makeReady(readExample(name, team), samples, sandbox.url),
	}));
}
