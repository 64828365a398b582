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
			/** Only the delay. */
			'latency',
			/** `status`, with the envelope unless `envelope` is false. */
			'status',
			/** A page as a proxy sends it, with `status` (502). */
			'html',
			/** A redirect to `location`, with `status` (307). */
			'redirect',
			/** The connection breaks before anything is done. */
			'cutBefore',
			/** The connection breaks after the body was read and the work was done. */
			'cutAfter',
			/** 200 with success: false. */
			'failureEnvelope',
			/** The true answer, cut in the middle. */
			'truncatedJson',
			/** The true answer as text/plain. */
			'wrongContentType',
			/** 200 with success: true and an empty data object. */
			'missingFields',
			/** 200 with success: true and 10 MB of data. */
			'hugeBody',
		]),
		/** How many requests it befalls; `always` until it is cleared. */
		times: z.union([z.number().int().positive(), z.literal('always')]).default(1),
		/** Matching requests that are spared first. */
		skip: z.number().int().nonnegative().default(0),
		/** Milliseconds to wait first, with any kind. */
		delay: z.number().nonnegative().default(0),
		status: z.number().int().min(200).max(599).optional(),
		envelope: z.boolean().default(true),
		message: z.string().default('The sandbox was told to fail'),
		errorCode: z.string().optional(),
		/** Retry-After: seconds, or an HTTP date. */
		retryAfter: z.union([z.number(), z.string()]).optional(),
		location: z.string().default('https://elsewhere.example.com/'),
		/** Whether the work is done all the same; kinds that spoil the true answer always do it. */
		processed: z.boolean().default(false),
	})
	.strict();

/** A fault that waits for matching requests. */
export type Fault = z.infer<typeof faultShape> & { readonly id: number };
/** A fault as given by a caller. */
export type FaultInput = z.input<typeof faultShape>;

/** An answer before it goes out. */
export interface Answer {
	readonly status: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
}

const HUGE_BODY_CHARACTERS = 10 * 1024 * 1024;
const SPOILED_ANSWERS: readonly Fault['kind'][] = ['truncatedJson', 'wrongContentType', 'cutAfter'];

/** The faults that are planned, oldest first. */
export class Faults {
	private planned: Fault[] = [];
	private made = 0;

	/** Plans a fault; throws ZodError for one that does not exist. */
	plan(input: unknown): Fault {
		const fault = { ...faultShape.parse(input), id: ++this.made };
		// A broken expression is refused here and not at the first request.
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

	/** The fault that befalls this request, if any; counts it. */
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

/** Whether the operation still does its work. */
export function isProcessed(fault: Fault): boolean {
	return fault.processed || fault.kind === 'latency' || SPOILED_ANSWERS.includes(fault.kind);
}

/** What goes out instead of the true answer (which is absent when nothing was done). */
export function faultyAnswer(fault: Fault, truth: Answer | undefined): Answer {
	const json = (status: number, content: object): Answer => ({
		status,
		headers: { 'content-type': 'application/json; charset=utf-8', ...retryAfter(fault) },
		body: JSON.stringify(content),
	});
	const { message, errorCode } = fault;
	const failure = { success: false, data: message, ...(errorCode && { error_code: errorCode }) };
	switch (fault.kind) {
		case 'latency':
		case 'cutBefore':
		case 'cutAfter':
			return truth ?? json(500, failure);
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
		case 'failureEnvelope':
			return json(200, failure);
		case 'truncatedJson': {
			const { status, headers, body } = truth ?? json(500, failure);
			return { status, headers, body: body.slice(0, Math.floor(body.length / 2)) };
		}
		case 'wrongContentType': {
			const { status, body } = truth ?? json(500, failure);
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
