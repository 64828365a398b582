import { z } from 'zod';

const faultShape = z
	.object({
		match: z
			.object({
				method: z.string().toUpperCase().optional(),
				/** Regular expression on the path. */
				path: z.string().optional(),
			})
			.strict()
			.default({}),
		kind: z.enum([
			/** A delay only. */
			'latency',
			/** Answers with `status`, in the failure envelope unless `envelope` is false. */
			'status',
			/** An HTML page from a proxy, with `status` (default 502). */
			'html',
			/** A redirect to `location`, with `status` (default 307). */
			'redirect',
			/** Breaks the connection before processing the request. */
			'cutBefore',
			/** Breaks the connection after processing the request. */
			'cutAfter',
			/** An answer with `status` (default 502) that says it's compressed, and isn't. */
			'unreadable',
			/** HTTP 200 with success: false. */
			'failureEnvelope',
			/** The first half of the genuine answer. */
			'truncatedJson',
			/** The genuine answer as text/plain. */
			'wrongContentType',
			/** HTTP 200 with success: true and an empty data object. */
			'missingFields',
			/** HTTP 200 with success: true and 10 MB of data. */
			'hugeBody',
		]),
		/** How many requests fail; `always` lasts until the faults are cleared. */
		times: z.union([z.number().int().positive(), z.literal('always')]).default(1),
		/** How many matching requests to let through first. */
		skip: z.number().int().nonnegative().default(0),
		/** Milliseconds to wait first; works with every kind. */
		delay: z.number().nonnegative().default(0),
		status: z.number().int().min(200).max(599).optional(),
		envelope: z.boolean().default(true),
		/** `data` of the failure; services also answer with something else than a message. */
		message: z.unknown().default('The sandbox was told to fail'),
		errorCode: z.union([z.string(), z.number()]).optional(),
		/** Members of the failure body beside the documented ones. */
		more: z.record(z.unknown()).default({}),
		/** Retry-After: seconds, or an HTTP date. */
		retryAfter: z.union([z.number(), z.string()]).optional(),
		location: z.string().default('https://elsewhere.example.com/'),
		/** Whether to process the request anyway; kinds that change the genuine answer always do. */
		processed: z.boolean().default(false),
	})
	.strict();

/** A planned fault. */
export type Fault = z.infer<typeof faultShape> & { readonly id: number };
/** A fault as a caller describes it. */
export type FaultInput = z.input<typeof faultShape>;

/** An answer before it goes out. */
export interface Answer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

const HUGE_BODY_CHARACTERS = 10 * 1024 * 1024;
const KINDS_THAT_PROCESS: readonly Fault['kind'][] = [
	'latency',
	'truncatedJson',
	'wrongContentType',
	'cutAfter',
];

/** The planned faults, oldest first. */
export class Faults {
	private planned: Fault[] = [];
	private made = 0;

	/** Plans a fault; throws ZodError if it isn't valid. */
	plan(input: unknown): Fault {
		const fault = { ...faultShape.parse(input), id: ++this.made };
		// Rejects an invalid expression now instead of at the first request.
		RegExp(fault.match.path ?? '');
		this.planned.push(fault);
		return fault;
	}

	list(): readonly Fault[] {
		return this.planned;
	}

	clear(): void {
		this.planned = [];
	}

	/** The fault to apply to this request, if any; counts the request. */
	take(method: string, path: string): Fault | undefined {
		const fault = this.planned.find(
			({ match }) =>
				(match.method === undefined || match.method === method) &&
				(match.path === undefined || new RegExp(match.path).test(path)),
		);
		if (!fault) return undefined;
		if (fault.skip > 0) {
			fault.skip--;
			return undefined;
		}
		if (fault.times !== 'always' && --fault.times === 0) {
			this.planned = this.planned.filter((each) => each !== fault);
		}
		return fault;
	}
}

/** Whether the service processes the request in spite of the fault. */
export function stillProcesses(fault: Fault): boolean {
	return fault.processed || KINDS_THAT_PROCESS.includes(fault.kind);
}

/** The answer to send; `genuine` is missing if the request wasn't processed. */
export function faultyAnswer(fault: Fault, genuine: Answer | undefined): Answer {
	const json = (status: number, content: object): Answer => ({
		status,
		headers: { 'content-type': 'application/json; charset=utf-8', ...retryAfter(fault) },
		body: JSON.stringify(content),
	});
	const { message, errorCode, more } = fault;
	const code = errorCode === undefined ? {} : { error_code: errorCode };
	const failure = { success: false, data: message, ...code, ...more };
	switch (fault.kind) {
		case 'latency':
		case 'cutBefore':
		case 'cutAfter':
			return genuine ?? json(500, failure);
		case 'status':
			return fault.envelope
				? json(fault.status ?? 500, failure)
				: { status: fault.status ?? 500, headers: retryAfter(fault), body: '' };
		case 'html':
			return {
				status: fault.status ?? 502,
				headers: { 'content-type': 'text/html', ...retryAfter(fault) },
				body: '<html><head><title>Bad Gateway</title></head><body>Bad Gateway</body></html>',
			};
		case 'redirect':
			return { status: fault.status ?? 307, headers: { location: fault.location }, body: '' };
		case 'unreadable':
			return {
				status: fault.status ?? 502,
				headers: { 'content-type': 'text/html', 'content-encoding': 'gzip' },
				body: 'not compressed',
			};
		case 'failureEnvelope':
			return json(200, failure);
		case 'truncatedJson': {
			const { status, headers, body } = genuine ?? json(500, failure);
			return { status, headers, body: body.slice(0, Math.floor(body.length / 2)) };
		}
		case 'wrongContentType': {
			const { status, body } = genuine ?? json(500, failure);
			return { status, headers: { 'content-type': 'text/plain; charset=utf-8' }, body };
		}
		case 'missingFields':
			return json(200, { success: true, data: {} });
		case 'hugeBody':
			return json(200, { success: true, data: 'x'.repeat(HUGE_BODY_CHARACTERS) });
	}
}

function retryAfter({ retryAfter: value }: Fault): Record<string, string> {
	return value === undefined ? {} : { 'retry-after': String(value) };
}
