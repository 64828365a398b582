import { NodeOperationError, type INode, type INodeExecutionData } from 'n8n-workflow';

import type { Redactor } from '../shared/redaction';
import { itemOf, type CompletedJob } from './failures';
import { failureRecord } from '../api/nodeErrors';
import type { FailedItems } from './plan';

/** An output item, and the input item whose place it takes. */
interface Placed {
	readonly item: number;
	readonly output: INodeExecutionData;
}

/** The node's output, in the order of the input items. */
export function outputItems(
	node: INode,
	completed: readonly CompletedJob[],
	failed: readonly FailedItems[],
	redactor: Redactor,
): INodeExecutionData[] {
	const placed = [
		...completed.flatMap(recordItems),
		...failed.flatMap((job) => failureItems(node, job, redactor)),
	];
	return placed.sort((a, b) => a.item - b.item).map(({ output }) => output);
}

function recordItems(job: CompletedJob): Placed[] {
	const sources = job.items.map((item) => ({ item }));
	const [first] = sources;
	const all = first !== undefined && sources.length === 1 ? first : sources;
	return job.records.map((json, index) => {
		const item = itemOf(job, index);
		const pairedItem = job.isRecordPerItem === true ? { item } : all;
		return { item, output: { json: { ...json }, pairedItem } };
	});
}

function failureItems(node: INode, { items, error }: FailedItems, redactor: Redactor): Placed[] {
	return items.map((item) => {
		const json = failureRecord(error, item, redactor);
		const pairedItem = { item };
		if (node.onError !== 'continueErrorOutput') return { item, output: { json, pairedItem } };
		const nodeError = new NodeOperationError(node, String(json.error), { itemIndex: item });
		return { item, output: { json, error: nodeError, pairedItem } };
	});
}
