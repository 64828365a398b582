import { NodeOperationError, type INode, type INodeExecutionData } from 'n8n-workflow';

import type { Redactor } from '../shared/redaction';
import type { CompletedJob, FailedJob } from './failures';
import { failureRecord } from '../api/nodeErrors';

/** The node's output, in the order of the input items. */
export function outputItems(
	node: INode,
	completed: readonly CompletedJob[],
	failed: readonly FailedJob[],
	redactor: Redactor,
): INodeExecutionData[] {
	const outputs = [
		...completed.map((job) => ({ item: job.items[0] ?? 0, output: recordItems(job) })),
		...failed.map((job) => ({
			item: job.items[0] ?? 0,
			output: failureItems(node, job, redactor),
		})),
	];
	return outputs.sort((a, b) => a.item - b.item).flatMap(({ output }) => output);
}

function recordItems({ items, records }: CompletedJob): INodeExecutionData[] {
	const sources = items.map((item) => ({ item }));
	const [first] = sources;
	const pairedItem = first !== undefined && sources.length === 1 ? first : sources;
	return records.map((json) => ({ json: { ...json }, pairedItem }));
}

function failureItems(
	node: INode,
	{ items, error }: FailedJob,
	redactor: Redactor,
): INodeExecutionData[] {
	return items.map((item) => {
		const json = failureRecord(error, item, redactor);
		const pairedItem = { item };
		if (node.onError !== 'continueErrorOutput') return { json, pairedItem };
		const nodeError = new NodeOperationError(node, String(json.error), { itemIndex: item });
		return { json, error: nodeError, pairedItem };
	});
}
