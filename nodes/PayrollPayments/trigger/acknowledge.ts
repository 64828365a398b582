import { NodeConnectionTypes, type IHookFunctions, type NodeTypeAndVersion } from 'n8n-workflow';

import { UserError } from '../shared/errors';

const SECONDS_PER_UNIT = new Map<unknown, number>([
	['seconds', 1],
	['minutes', 60],
	['hours', 3_600],
	['days', 86_400],
]);

/** n8n pauses an execution that is to wait for this long or longer (Wait.node.ts in n8n). */
const SHORTEST_PAUSE_SECONDS = 65;

export type Surroundings = Pick<IHookFunctions, 'getNode' | 'getChildNodes' | 'getParentNodes'>;

/**
 * Refuses nodes that pause the execution: n8n answers when it pauses, not when it has finished.
 * A sub-workflow that pauses can't be seen from here.
 */
export function refusePauses(context: Surroundings): void {
	const pausing = nodesAfter(context).find((node) => node.disabled !== true && pauses(node));
	if (pausing === undefined) return;
	throw new UserError(
		`Acknowledge can’t be “When Finished” because the node “${pausing.name}” pauses the workflow`,
		{
			hint: 'Choose “When Received”, remove the node, or let it wait for less than 65 seconds. n8n answers the delivery as soon as an execution pauses.',
		},
	);
}

/** Connections through which a node uses others, such as an agent its tools. */
const USES = Object.values(NodeConnectionTypes).filter((type) => type !== NodeConnectionTypes.Main);

/** Every node that an execution may reach: those after the trigger, and those that they use. */
function nodesAfter(context: Surroundings): NodeTypeAndVersion[] {
	const found = new Map<string, NodeTypeAndVersion>();
	const visit = (name: string, isDisabled: boolean): void => {
		const used = (isDisabled ? [] : USES).flatMap((connectionType) =>
			context.getParentNodes(name, { includeNodeParameters: true, connectionType, depth: 1 }),
		);
		const next = context.getChildNodes(name, { includeNodeParameters: true });
		for (const node of [...next, ...used]) {
			if (found.has(node.name)) continue;
			found.set(node.name, node);
			visit(node.name, node.disabled);
		}
	};
	visit(context.getNode().name, false);
	return [...found.values()];
}

/** Asks a person, or waits for a run of GitHub Actions. */
const PAUSING_OPERATIONS: readonly unknown[] = ['sendAndWait', 'dispatchAndWait'];

/** Every node that asks a person has a twin that asks before an agent uses a tool. */
const HUMAN_REVIEW = /HitlTool$/;

function pauses({ type, parameters = {} }: NodeTypeAndVersion): boolean {
	if (type !== 'n8n-nodes-base.wait') {
		return PAUSING_OPERATIONS.includes(parameters.operation) || HUMAN_REVIEW.test(type);
	}
	const { resume = 'timeInterval', amount, unit } = parameters;
	const seconds = Number(amount) * (SECONDS_PER_UNIT.get(unit) ?? Number.NaN);
	return resume !== 'timeInterval' || !(seconds < SHORTEST_PAUSE_SECONDS);
}
