import assert from 'node:assert';

import { DataDeduplicationService } from 'n8n-core';
import type {
	ICheckProcessedContextData,
	ICheckProcessedOptions,
	IDataDeduplicator,
} from 'n8n-workflow';

import { sentByProcess } from '../../nodes/PayrollPayments/idempotency/processMemory';
import { notHere } from '../../n8nHost/engine';

const moment = () => new Promise((resolve) => setImmediate(resolve));

/** n8n's table of processed keys, without its hashes: one list a node, read and written without a lock. */
class ProcessedKeys implements IDataDeduplicator {
	readonly lists = new Map<string, string[]>();
	isBroken = false;

	/** As if nothing had been sent, by this process or an earlier one. */
	clear(): void {
		this.lists.clear();
		Reflect.set(sentByProcess, 'keys', new Set());
	}

	entries(): string[] {
		return [...this.lists.values()].flat().sort();
	}

	async checkProcessedAndRecord(
		items: Array<string | number>,
		_scope: string,
		{ node, workflow }: ICheckProcessedContextData,
		{ maxEntries = 0 }: ICheckProcessedOptions,
	) {
		/* As n8n does (deduplication-helper.js). */
		assert.ok(workflow.id);
		if (this.isBroken) throw new Error('SQLITE_BUSY: database is locked');
		const row = node?.id ?? '';
		const list = [...(this.lists.get(row) ?? [])];
		await moment();
		const processed = items.filter((item) => list.includes(item.toString()));
		const fresh = items.filter((item) => !processed.includes(item));
		list.push(...fresh.map((item) => item.toString()));
		if (maxEntries > 0) list.splice(0, Math.max(0, list.length - maxEntries));
		this.lists.set(row, list);
		return { new: fresh, processed };
	}

	async removeProcessed(
		items: Array<string | number>,
		_scope: string,
		{ node }: ICheckProcessedContextData,
	): Promise<void> {
		const removed = items.map((item) => item.toString());
		const row = node?.id ?? '';
		const left = (this.lists.get(row) ?? []).filter((key) => !removed.includes(key));
		this.lists.set(row, left);
	}

	clearAllProcessedItems = notHere;
	getProcessedDataCount = notHere;
}

/** n8n's store; it lasts as long as the test file, as a database outlives n8n's processes. */
export const processedKeys = new ProcessedKeys();
/* n8n-core outlives a test file (test/jest/environment.cjs), and accepts one store. */
Reflect.set(DataDeduplicationService, 'instance', undefined);
void DataDeduplicationService.init(processedKeys);
