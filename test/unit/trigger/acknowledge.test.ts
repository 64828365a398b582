import type { NodeTypeAndVersion } from 'n8n-workflow';

import {
	refusePauses,
	type Surroundings,
} from '../../../nodes/PayrollPayments/trigger/acknowledge';

type Nodes = Readonly<Record<string, Partial<NodeTypeAndVersion>>>;
type Connection = readonly [from: string, to: string, type?: string];

/** What n8n's contexts say of a workflow: getChildNodes follows main connections only, to the end. */
function workflowOf(nodes: Nodes, connections: readonly Connection[]): Surroundings {
	const node = (name: string): NodeTypeAndVersion => {
		return { name, type: 'any', typeVersion: 1, disabled: false, ...nodes[name] };
	};
	const childrenOf = (name: string): string[] =>
		connections
			.filter(([from, , type = 'main']) => from === name && type === 'main')
			.flatMap(([, to]) => [to, ...childrenOf(to)]);
	return {
		getNode: () => ({ ...node('Trigger'), id: '1', position: [0, 0], parameters: {} }),
		getChildNodes: (name) => childrenOf(name).map(node),
		getParentNodes: (name, { connectionType } = {}) =>
			connections
				.filter(([, to, type = 'main']) => to === name && type === connectionType)
				.map(([from]) => node(from)),
	};
}

const SLACK = { type: 'n8n-nodes-base.slackHitlTool' };
const WAIT = { type: 'n8n-nodes-base.wait', parameters: { resume: 'webhook' } };
const ASK = { type: 'n8n-nodes-base.slack', parameters: { operation: 'sendAndWait' } };

it.each<[string, Nodes, readonly Connection[], string | undefined]>([
	[
		'a node that asks',
		{ Ask: ASK },
		[
			['Trigger', 'If'],
			['If', 'Ask'],
		],
		'Ask',
	],
	[
		'a node that waits for GitHub',
		{ Deploy: { type: 'n8n-nodes-base.github', parameters: { operation: 'dispatchAndWait' } } },
		[['Trigger', 'Deploy']],
		'Deploy',
	],
	[
		'an agent whose tool asks a person first',
		{ Review: SLACK },
		[
			['Trigger', 'Agent'],
			['Review', 'Agent', 'ai_tool'],
			['Pay', 'Review', 'ai_tool'],
		],
		'Review',
	],
	[
		'an agent that an agent uses',
		{ Review: SLACK },
		[
			['Trigger', 'Set'],
			['Set', 'Agent'],
			['Inner', 'Agent', 'ai_tool'],
			['Review', 'Inner', 'ai_tool'],
		],
		'Review',
	],
	[
		'a tool behind other kinds of connections',
		{ Review: SLACK },
		[
			['Trigger', 'Chain'],
			['Retriever', 'Chain', 'ai_retriever'],
			['Review', 'Retriever', 'ai_tool'],
		],
		'Review',
	],
	[
		'a node after an agent',
		{ Wait: WAIT },
		[
			['Trigger', 'Agent'],
			['Model', 'Agent', 'ai_languageModel'],
			['Agent', 'Wait'],
		],
		'Wait',
	],
	['a disabled node', { Ask: { ...ASK, disabled: true } }, [['Trigger', 'Ask']], undefined],
	[
		'the tool of a disabled agent',
		{ Agent: { disabled: true }, Review: SLACK },
		[
			['Trigger', 'Agent'],
			['Review', 'Agent', 'ai_tool'],
		],
		undefined,
	],
	[
		'another branch',
		{ Ask: ASK },
		[
			['Schedule', 'Ask'],
			['Ask', 'Set'],
			['Trigger', 'Set'],
		],
		undefined,
	],
	[
		'a loop',
		{},
		[
			['Trigger', 'Agent'],
			['Agent', 'Agent', 'ai_tool'],
		],
		undefined,
	],
])('finds a pause in %s', (_what, nodes, connections, name) => {
	const check = () => refusePauses(workflowOf(nodes, connections));
	if (name === undefined) expect(check).not.toThrow();
	else expect(check).toThrow(`because the node “${name}” pauses the workflow`);
});

it.each([
	{ resume: 'timeInterval', amount: 64, unit: 'seconds' },
	{ resume: 'timeInterval', amount: 1, unit: 'minutes' },
	{ resume: 'timeInterval', amount: 0, unit: 'days' },
	{ amount: 5, unit: 'seconds' },
])('lets a node wait briefly: %j', (parameters) => {
	const nodes = { Wait: { ...WAIT, parameters: { ...parameters } } };
	expect(() => refusePauses(workflowOf(nodes, [['Trigger', 'Wait']]))).not.toThrow();
});

it.each([
	{ resume: 'timeInterval', amount: 65, unit: 'seconds' },
	{ resume: 'timeInterval', amount: 2, unit: 'minutes' },
	{ resume: 'timeInterval', amount: '={{ $json.seconds }}', unit: 'seconds' },
	{ resume: 'timeInterval', amount: 1, unit: '={{ $json.unit }}' },
	{ resume: 'specificTime', amount: 1, unit: 'seconds' },
	{ resume: 'webhook' },
	{ resume: 'form' },
	{},
])('refuses a node that pauses: %j', (parameters) => {
	const nodes = { Wait: { ...WAIT, parameters: { ...parameters } } };
	expect(() => refusePauses(workflowOf(nodes, [['Trigger', 'Wait']]))).toThrow(
		"Acknowledge can't be “When Finished” because the node “Wait” pauses the workflow",
	);
});
