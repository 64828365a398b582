import { createHash } from 'node:crypto';
import { appendFileSync } from 'node:fs';

import type {
	IDataObject,
	IExecuteFunctions,
	IHttpRequestOptions,
	INodeExecutionData,
	INodeProperties,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';

import type { ProcessedStore } from '../../nodes/PayrollPayments/idempotency/nodeList';
import { recordEvent } from '../../nodes/PayrollPayments/trigger/recordOnce';

/** Start of the measured node in each execution, on this process's clock. */
const begun = new Map<string, number>();

const digest = (value: unknown) => createHash('sha256').update(JSON.stringify(value)).digest('hex');

/** Our credentials. */
const TYPE = 'payrollPaymentsApi';

/** Where n8n installs our package. */
const OUR_FILES = '/node_modules/n8n-nodes-payroll-payments/dist/';

const megabytes = (bytes: number) => bytes / 1e6;

/** The value at a path of field names, e.g. `body`; everything if the path is empty. */
function at(json: IDataObject, path: string): unknown {
	return path === '' ? json : json[path];
}

/** The data of the preceding webhook. */
function bodyOf(context: IExecuteFunctions): IDataObject {
	const body = context.getInputData()[0]?.json.body;
	if (typeof body !== 'object' || body === null) throw new Error('The probe got no body.');
	return { ...body };
}

/** Outputs the items of the body, and starts the clock. */
async function begin(context: IExecuteFunctions): Promise<IDataObject[]> {
	const { items } = bodyOf(context);
	if (!Array.isArray(items)) throw new Error('The probe got no items.');
	const output = items.map((item): IDataObject => ({ ...Object(item) }));
	begun.set(context.getExecutionId(), performance.now());
	return output;
}

/** Stops the clock, and reports the output of the preceding node. */
async function end(context: IExecuteFunctions): Promise<IDataObject[]> {
	const now = performance.now();
	const id = context.getExecutionId();
	const peak = process.resourceUsage().maxRSS * 1024;
	const { rss } = process.memoryUsage();
	const path = String(context.getNodeParameter('path', 0, ''));
	const input = context.getInputData();
	const hash = createHash('sha256');
	for (const { json } of input) hash.update(JSON.stringify(at(json, path) ?? null));
	const milliseconds = now - (begun.get(id) ?? Number.NaN);
	begun.delete(id);
	return [
		{
			milliseconds,
			items: input.length,
			digest: hash.digest('hex'),
			rssMegabytes: megabytes(rss),
			peakMegabytes: megabytes(peak),
		},
	];
}

/**
 * The least that a node can do with n8n's functions: reads the same parameters, sends the same
 * requests with credentials that are decrypted once, and nothing else.
 */
async function floor(context: IExecuteFunctions): Promise<IDataObject[]> {
	const sends = context.getNodeParameter('sends', 0) === true;
	const url = String(context.getNodeParameter('url', 0));
	const input = context.getInputData();
	const output: IDataObject[] = [];
	const saved = sends ? await context.getCredentials(TYPE) : {};
	let next = 0;
	const worker = async () => {
		while (next < input.length) {
			const index = next++;
			const entity = String(context.getNodeParameter('entityId', index, ''));
			context.getNodeParameter('currencies', index, []);
			context.getNodeParameter('options', index, {});
			const json: unknown = sends
				? await context.helpers.httpRequestWithAuthentication.call(
						context,
						TYPE,
						{ url: `${url}/v2/balance?nanoid=${entity}` },
						{ credentialsDecrypted: { id: '', name: '', type: TYPE, data: { ...saved } } },
					)
				: {};
			output[index] = { ...Object(json) };
		}
	};
	await Promise.all([1, 2, 3, 4, 5].map(worker));
	return output;
}

/** Parallel calls with the credentials of type `credentialType`. */
async function calls(context: IExecuteFunctions): Promise<IDataObject[]> {
	const type = String(context.getNodeParameter('credentialType', 0));
	const url = String(context.getNodeParameter('url', 0));
	const { count } = bodyOf(context);
	const request = (): IHttpRequestOptions => ({ url });
	const started = performance.now();
	const answers: unknown[] = await Promise.all(
		Array.from(
			{ length: Number(count) },
			async (): Promise<unknown> =>
				await context.helpers.httpRequestWithAuthentication.call(context, type, request()),
		),
	);
	const milliseconds = performance.now() - started;
	return [{ milliseconds, items: answers.length, digest: digest(answers) }];
}

/** The cost of one event in n8n's store, with a given number of remembered keys. */
async function remember(context: IExecuteFunctions): Promise<IDataObject[]> {
	const body = bodyOf(context);
	const [history, events] = [Number(body.history), Number(body.events)];
	const { helpers } = context;
	const nodeKey = context.getNode().id;
	const keys = Array.from({ length: 2 * history }, (_, index) => `old key ${index}`);
	const options = { mode: 'entries', maxEntries: 2 * history } as const;
	await helpers.checkProcessedAndRecord(keys, 'node', options);
	/* The calls to the store alone: what an event waits between them costs n8n nothing. */
	let milliseconds = 0;
	const timed = async <Result>(call: Promise<Result>): Promise<Result> => {
		const started = performance.now();
		return await call.finally(() => {
			milliseconds += (performance.now() - started) / events;
		});
	};
	const store: ProcessedStore = {
		checkProcessedAndRecord: async (...call) =>
			await timed(helpers.checkProcessedAndRecord(...call)),
		removeProcessed: async (...call) => await timed(helpers.removeProcessed(...call)),
	};
	for (let event = 0; event < events; event++) {
		await recordEvent(store, nodeKey, `new key ${event}`, {
			history,
			owner: String(event),
			mayComeAgain: false,
		});
	}
	await helpers.clearAllProcessedItems('node', options);
	return [{ milliseconds, items: events, digest: digest(history) }];
}

/** Writes one line per run to a file outside n8n: the digest of its input. */
async function arrived(context: IExecuteFunctions): Promise<IDataObject[]> {
	const file = String(context.getNodeParameter('file', 0));
	const path = String(context.getNodeParameter('path', 0, ''));
	const items = context.getInputData().map(({ json }) => json);
	for (const json of items) appendFileSync(file, `${digest(at(json, path))}\n`);
	return items;
}

/** What n8n's process has used and loaded so far. */
async function state(): Promise<IDataObject[]> {
	const { user, system } = process.cpuUsage();
	const loaded = Object.keys(require.cache)
		.map((file) => file.split(OUR_FILES)[1] ?? '')
		.filter((file) => file !== '');
	return [
		{
			milliseconds: 0,
			items: 0,
			digest: '',
			peakMegabytes: megabytes(process.resourceUsage().maxRSS * 1024),
			cpuMilliseconds: (user + system) / 1000,
			loaded,
		},
	];
}

const TASKS = { begin, end, floor, calls, remember, arrived, state };

function isTask(name: unknown): name is keyof typeof TASKS {
	return typeof name === 'string' && name in TASKS;
}

const text = (name: string): INodeProperties => ({
	displayName: name,
	name,
	type: 'string',
	default: '',
});

/** Measures inside n8n: times the nodes between two probes. */
export class BenchmarkProbe implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Benchmark Probe',
		name: 'benchmarkProbe',
		group: ['transform'],
		version: 1,
		description: 'Times the nodes between two of its kind',
		defaults: { name: 'Benchmark Probe' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [
			{ name: 'payrollPaymentsApi', required: false },
			{ name: 'plainSignInApi', required: false },
		],
		properties: [
			...['task', 'path', 'file', 'url', 'credentialType', 'entityId'].map(text),
			{ displayName: 'sends', name: 'sends', type: 'boolean', default: false },
			{ displayName: 'currencies', name: 'currencies', type: 'json', default: [] },
			{ displayName: 'options', name: 'options', type: 'collection', default: {}, options: [] },
		],
	};

	async execute(this: IExecuteFunctions): Promise<INodeExecutionData[][]> {
		const task = this.getNodeParameter('task', 0);
		if (!isTask(task)) throw new Error(`The probe has no task ${String(task)}.`);
		const output = await TASKS[task](this);
		return [output.map((json) => ({ json }))];
	}
}
