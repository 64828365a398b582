import type { NodeTypeAndVersion } from 'n8n-workflow';

import { collection, readChoice, refuse } from './parameters';

/** When a delivery that starts an execution is answered. `webhooks` tells n8n the same. */
export type Acknowledge = 'received' | 'finished';

const ACKNOWLEDGE = { name: 'acknowledge', label: 'Acknowledge' };

/**
 * Reads when to acknowledge from the trigger's `options`.
 * @throws {Refusal} if the value isn't on the menu; n8n would then acknowledge at once
 */
export function readAcknowledge(options: unknown): Acknowledge {
	const option = collection({ value: options, saved: undefined });
	const acknowledge = option(ACKNOWLEDGE.name, ACKNOWLEDGE.label);
	if (acknowledge === undefined) return 'received';
	return readChoice(acknowledge, { finished: 'When Finished', received: 'When Received' });
}

const SECONDS_PER_UNIT = new Map<unknown, number>([
	['seconds', 1],
	['minutes', 60],
	['hours', 3_600],
	['days', 86_400],
]);

/** n8n pauses an execution that is to wait for this long or longer (Wait.node.ts in n8n). */
const SHORTEST_PAUSE_SECONDS = 65;

/**
 * Refuses nodes that pause the execution: n8n answers when it pauses, not when it has finished.
 * A sub-workflow that pauses can't be seen from here.
 *
 * @param nodes those after the trigger, with their parameters
 * @throws {Refusal} that names the node
 */
export function refusePauses(nodes: readonly NodeTypeAndVersion[]): void {
	const pausing = nodes.find((node) => !node.disabled && pauses(node));
	if (pausing === undefined) return;
	refuse(
		ACKNOWLEDGE,
		`can't be “When Finished” because the node “${pausing.name}” pauses the workflow`,
		'Choose “When Received”, remove the node, or let it wait for less than 65 seconds. n8n answers the delivery as soon as an execution pauses.',
	);
}

function pauses({ type, parameters = {} }: NodeTypeAndVersion): boolean {
	if (type !== 'n8n-nodes-base.wait') return parameters.operation === 'sendAndWait';
	const { resume = 'timeInterval', amount, unit } = parameters;
	const seconds = Number(amount) * (SECONDS_PER_UNIT.get(unit) ?? Number.NaN);
	return resume !== 'timeInterval' || !(seconds < SHORTEST_PAUSE_SECONDS);
}
