import type { JsonValue } from '../shared/json';
import type { SendingOptions } from './commonOptions';
import type { InputItem } from './fields/field';
import type { Service } from './service';

/** One record that an operation outputs, with the service's field names. */
export type OutputRecord = Readonly<Record<string, JsonValue>>;

/** The items that a service is opened for, and how it sends their requests. */
export interface Unit {
	readonly items: readonly number[];
	readonly sending: SendingOptions;
}

/** One unit of work: usually one item, or all rows that share one request. */
export interface Job extends Unit {
	/** Whether the first record belongs to the first item, the second to the second, and so on. */
	readonly isRecordPerItem?: boolean;
	/** Whether it only puts out what was read, so that an error doesn't list it as done. */
	readonly isReport?: boolean;
	run(service: Service): Promise<readonly OutputRecord[]>;
}

/** Items that were refused or failed for one reason. */
export interface FailedItems {
	readonly items: readonly number[];
	readonly error: unknown;
}

/** The jobs for all items, and the items that were refused before anything was sent for them. */
export interface Plan {
	readonly jobs: readonly Job[];
	readonly refusals: readonly FailedItems[];
	/**
	 * Plans the jobs that depend on what the service holds. Called once, after every item was checked
	 * and before any job runs.
	 */
	lookUp?(open: (unit: Unit) => Promise<Service>): Promise<Plan>;
}

/** One job per item. Refused items don't stop the others. */
export function planEach(items: readonly InputItem[], jobFor: (item: InputItem) => Job): Plan {
	const jobs: Job[] = [];
	const refusals: FailedItems[] = [];
	for (const item of items) {
		try {
			jobs.push(jobFor(item));
		} catch (error) {
			refusals.push({ items: [item.index], error });
		}
	}
	return { jobs, refusals };
}
