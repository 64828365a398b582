import { randomUUID } from 'node:crypto';

import type { N8nQueue } from '../../support/n8nQueue';
import { deliver, listenWith, pick } from './load';

/** What recordOnce.ts relies on; test/e2e/hostLimits.test.ts sees the one entry of regular mode. */
export function describeRecords(queue: () => N8nQueue): void {
	it('runs an execution in another process than the one that received its event, so each record has a mark', async () => {
		const { workflowId, urls } = await listenWith(queue(), {});
		const events = 4;
		for (let index = 0; index < events; index++) await deliver(pick(urls, index), randomUUID());
		expect(await queue().idle(workflowId)).toEqual({ success: events });
		const entries = await queue().postgres.query(
			`select json_array_length(value::json -> 'data') from processed_data where "workflowId" = '${workflowId}'`,
		);
		expect(Number(entries)).toBe(2 * events);
	});
}
