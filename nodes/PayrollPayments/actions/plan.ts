import type { JsonValue } from '../shared/json';
import type { SendingOptions } from './commonOptions';
import type { InputItem } from './fields/field';
import type { Service } from './service';

/** One record that an operation outputs, with the service's field names. */
export type OutputRecord = Readonly<Record<string, JsonValue>>;

/** One unit of work: usually one item, or all rows that share one request. */
export interface Job {
	readonly items: readonly number[];
	readonly sending: SendingOptions;
	run(service: Service): Promise<readonly OutputRecord[]>;
}

/** The jobs for all items, and the items that were refused before anything was sent. */
export interface Plan {
	readonly jobs: readonly Job[];
	readonly refusals: ReadonlyArray<{ readonly item: number; readonly error: unknown }>;
}

/** One job per item. Refused items don't stop the others. */
export function planEach(items: readonly InputItem[], jobFor: (item: InputItem) => Job): Plan {
	const jobs: Job[] = [];
	const refusals: Array<{ item: number; error: unknown }> = [];
	for (const item of items) {
		try {
			jobs.push(jobFor(item));
		} catch (error) {
			refusals.push({ item: item.index, error });
		}
	}
	return { jobs, refusals };
}
