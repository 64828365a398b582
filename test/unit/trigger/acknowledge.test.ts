import type { NodeTypeAndVersion } from 'n8n-workflow';

import {
	refusePauses,
	type Surroundings,
} from '../../../nodes/PayrollPayments/trigger/acknowledge';

type Nodes = Readonly<Record<string, Partial<NodeTypeAndVersion>>>;
interface Connection {
	readonly from: string;
	readonly to: string;
	readonly type: string;
}

/** Connections as text: “Trigger → If → Ask, Review → Agent (ai_tool)”. */
function connectionsIn(text: string): Connection[] {
	return text.split(', ').flatMap((path) => {
		const [names = '', type = 'main'] = path.split(/ \((\w+)\)$/);
		const nodes = names.split(' → ');
		return nodes.slice(1).map((to, index) => ({ from: nodes[index] ?? '', to, type }));
	});
}

/** What n8n's contexts say of a workflow: getChildNodes follows main connections only, to the end. */
function workflowOf(nodes: Nodes, paths: string): Surroundings {
	const connections = connectionsIn(paths);
	const node = (name: string): NodeTypeAndVersion => {
		return { name, type: 'any', typeVersion: 1, disabled: false, ...nodes[name] };
	};
	const childrenOf = (name: string): string[] =>
		connections
			.filter(({ from, type }) => from === name && type === 'main')
			.flatMap(({ to }) => [to, ...childrenOf(to)]);
	return {
		getNode: () => ({ ...node('Trigger'), id: '1', position: [0, 0], parameters: {} }),
		getChildNodes: (name) => childrenOf(name).map(node),
		getParentNodes: (name, { connectionType } = {}) =>
			connections
				.filter(({ to, type }) => to === name && type === connectionType)
				.map(({ from }) => node(from)),
	};
}

const SLACK = { type: 'n8n-nodes-base.slackHitlTool' };
const WAIT = { type: 'n8n-nodes-base.wait', parameters: { resume: 'webhook' } };
const DEPLOY = { type: 'n8n-nodes-base.github', parameters: { operation: 'dispatchAndWait' } };
const ASK = { type: 'n8n-nodes-base.slack', parameters: { operation: 'sendAndWait' } };

it.each<[string, string, Nodes]>([
	['a node that asks', 'Trigger → If → Ask', { Ask: ASK }],
	['a node that waits for GitHub', 'Trigger → Deploy', { Deploy: DEPLOY }],
	[
		'an agent whose tool asks a person first',
		'Trigger → Agent, Pay → Review → Agent (ai_tool)',
		{ Review: SLACK },
	],
	[
		'an agent that an agent uses',
		'Trigger → Set → Agent, Review → Inner → Agent (ai_tool)',
		{ Review: SLACK },
	],
	[
		'a tool behind other kinds of connections',
		'Trigger → Chain, Retriever → Chain (ai_retriever), Review → Retriever (ai_tool)',
		{ Review: SLACK },
	],
	['a node after an agent', 'Trigger → Agent → Wait, Model → Agent (ai_model)', { Wait: WAIT }],
])('finds a pause in %s', (_what, paths, nodes) => {
	const [name] = Object.keys(nodes);
	expect(() => {
		refusePauses(workflowOf(nodes, paths));
	}).toThrow(`because the node “${name}” pauses the workflow`);
});

it.each<[string, string, Nodes]>([
	['a disabled node', 'Trigger → Ask', { Ask: { ...ASK, disabled: true } }],
	[
		'the tool of a disabled agent',
		'Trigger → Agent, Review → Agent (ai_tool)',
		{ Agent: { disabled: true }, Review: SLACK },
	],
	['another branch', 'Schedule → Ask → Set, Trigger → Set', { Ask: ASK }],
	['a loop', 'Trigger → Agent, Agent → Agent (ai_tool)', {}],
])('finds no pause in %s', (_what, paths, nodes) => {
	expect(() => {
		refusePauses(workflowOf(nodes, paths));
	}).not.toThrow();
});

const pauseOf = (parameters: object) => () => {
	const nodes = { Wait: { ...WAIT, parameters: { ...parameters } } };
	refusePauses(workflowOf(nodes, 'Trigger → Wait'));
};

it.each([
	{ resume: 'timeInterval', amount: 64, unit: 'seconds' },
	{ resume: 'timeInterval', amount: 1, unit: 'minutes' },
	{ resume: 'timeInterval', amount: 0, unit: 'days' },
	{ amount: 5, unit: 'seconds' },
])('lets a node wait briefly: %j', (parameters) => {
	expect(pauseOf(parameters)).not.toThrow();
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
	expect(pauseOf(parameters)).toThrow(
		'Acknowledge can’t be “When Finished” because the node “Wait” pauses the workflow',
	);
});
