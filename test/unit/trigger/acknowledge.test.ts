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

/** The nodes that pause, by their names; all others don't. */
const PAUSING: Nodes = {
	Review: { type: 'n8n-nodes-base.slackHitlTool' },
	Wait: { type: 'n8n-nodes-base.wait', parameters: { resume: 'webhook' } },
	Deploy: { type: 'n8n-nodes-base.github', parameters: { operation: 'dispatchAndWait' } },
	Ask: { type: 'n8n-nodes-base.slack', parameters: { operation: 'sendAndWait' } },
};

/** What n8n's contexts say of a workflow: getChildNodes follows main connections only, to the end. */
function workflowOf(paths: string, changes: Nodes = {}): Surroundings {
	const connections = connectionsIn(paths);
	const node = (name: string): NodeTypeAndVersion => {
		const usual = { name, type: 'any', typeVersion: 1, disabled: false };
		return { ...usual, ...PAUSING[name], ...changes[name] };
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

/** Refuses the workflow of these paths, if anything in it pauses. */
const refusing = (paths: string, changes?: Nodes) => () => {
	refusePauses(workflowOf(paths, changes));
};

it.each([
	['a node that asks', 'Trigger → If → Ask', 'Ask'],
	['a node that waits for GitHub', 'Trigger → Deploy', 'Deploy'],
	['an agent whose tool asks', 'Trigger → Agent, Pay → Review → Agent (ai_tool)', 'Review'],
	['an inner agent', 'Trigger → Set → Agent, Review → Inner → Agent (ai_tool)', 'Review'],
	[
		'a tool behind other kinds of connections',
		'Trigger → Chain, Retriever → Chain (ai_retriever), Review → Retriever (ai_tool)',
		'Review',
	],
	['a node after an agent', 'Trigger → Agent → Wait, Model → Agent (ai_model)', 'Wait'],
])('finds a pause in %s', (_what, paths, name) => {
	expect(refusing(paths)).toThrow(
		expect.objectContaining({
			message: `Acknowledge can’t be “When Finished” because the node “${name}” pauses the workflow`,
			hint: expect.stringMatching(/^Choose “When Received”/),
		}),
	);
});

const DISABLED = { disabled: true };

it.each<[string, string, Nodes]>([
	['a disabled node', 'Trigger → Ask', { Ask: DISABLED }],
	['a disabled agent', 'Trigger → Agent, Review → Agent (ai_tool)', { Agent: DISABLED }],
	['another branch', 'Schedule → Ask → Set, Trigger → Set', {}],
	['a loop', 'Trigger → Agent, Agent → Agent (ai_tool)', {}],
])('finds no pause in %s', (_what, paths, changes) => {
	expect(refusing(paths, changes)).not.toThrow();
});

it.each<[isBrief: boolean, parameters: Nodes[string]['parameters']]>([
	[true, { resume: 'timeInterval', amount: 64, unit: 'seconds' }],
	[true, { resume: 'timeInterval', amount: 1, unit: 'minutes' }],
	[true, { resume: 'timeInterval', amount: 0, unit: 'days' }],
	[true, { amount: 0.01, unit: 'hours' }],
	[false, { resume: 'timeInterval', amount: 65, unit: 'seconds' }],
	[false, { resume: 'timeInterval', amount: 2, unit: 'minutes' }],
	[false, { resume: 'timeInterval', amount: '={{ $json.seconds }}', unit: 'seconds' }],
	[false, { resume: 'timeInterval', amount: 1, unit: '={{ $json.unit }}' }],
	[false, { resume: 'specificTime', amount: 1, unit: 'seconds' }],
	[false, { resume: 'webhook' }],
	[false, { resume: 'form' }],
	[false, {}],
])('lets a node wait only briefly (%j): %j', (isBrief, parameters) => {
	const waiting = expect(refusing('Trigger → Wait', { Wait: { parameters } }));
	if (isBrief) waiting.not.toThrow();
	else waiting.toThrow('can’t be “When Finished” because the node “Wait” pauses the workflow');
});
