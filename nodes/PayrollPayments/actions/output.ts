import type { INode, INodeExecutionData } from 'n8n-workflow';

import { failureRecord } from '../api/nodeErrors';
import type { Redactor } from '../shared/redaction';
import type { Operation } from './defineOperation';
import { itemOf } from './failures';
import type { CompletedJob, FailedItems, RunResult } from './plan';

/** An output item, and the input item whose place it takes. */
interface Placed {
	readonly item: number;
	readonly output: INodeExecutionData;
}

/** The node's output, in the order of the input items. */
export function outputItems(
	node: INode,
	operation: Operation,
	{ sent, failed }: RunResult,
	redactor: Redactor,
): INodeExecutionData[] {
	const isChange = operation.effect === 'write';
	const placed = [
		...sent.flatMap(recordItems),
		...failed.flatMap((job) => failureItems(node, job, redactor, isChange)),
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

function failureItems(
	node: INode,
	{ items, error, columns }: FailedItems,
	redactor: Redactor,
	isChange: boolean,
): Placed[] {
	return items.map((item) => {
		const record = { ...columns, ...failureRecord(error, item, redactor, isChange) };
		const pairedItem = { item };
		if (node.onError !== 'continueErrorOutput') {
			return { item, output: { json: record, pairedItem } };
		}
		/* n8n sends an item to the error output by these two members, and adds the input's own. */
		const { error: message, ...details } = record;
		const json =
			Object.keys(details).length === 0 ? { error: message } : { error: message, details };
		return { item, output: { json, pairedItem } };
	});
}
