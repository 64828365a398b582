import { z } from 'zod';

import { signatureOf } from './deliverySignature';
import type { ServiceEvent } from './events';
import { Randomness } from './randomness';
import type { Settings } from './settings';

const endpointShape = z
	.object({
		nanoid: z
			.string()
			.regex(/^wh-[A-Za-z0-9_-]{12}$/)
			.optional(),
		/** Where deliveries go; without it nothing is sent. */
		url: z.string().url().optional(),
		secret: z.string().default('sandbox-webhook-secret'),
		scheme: z.enum(['timestamped', 'hex', 'base64', 'sharedToken']).default('timestamped'),
		header: z.string().default('X-Signature'),
		previousSecret: z.string().optional(),
		/** `sha256=` in front of hex and base64. */
		prefixed: z.boolean().default(false),
	})
	.strict();

/** What a delivery may do differently from an honest one. */
export const deliveryShape = z
	.object({
		/** Only this endpoint; otherwise all that have an address. */
		endpoint: z.string().optional(),
		/** Copies sent at the same time as the first. */
		duplicates: z.number().int().min(0).default(0),
		signature: z.enum(['valid', 'wrong', 'missing', 'previousSecret']).default('valid'),
		/** Seconds since the signature's timestamp; negative for one in the future. */
		age: z.number().default(0),
		/** Sent instead of the event, signed all the same. */
		rawBody: z.string().optional(),
		/** Sent instead of the signed body: what a proxy makes of it. */
		bodyAfterSigning: z.string().optional(),
		contentType: z.string().default('application/json'),
		headers: z.record(z.string()).default({}),
		/** Whether an attempt that failed is repeated. */
		retries: z.boolean().default(true),
	})
	.strict();

type Endpoint = z.infer<typeof endpointShape> & { readonly nanoid: string };
/** See {@link deliveryShape}. */
type DeliveryWishes = z.infer<typeof deliveryShape>;

/** One POST to an endpoint and its answer. */
export interface DeliveryAttempt {
	/** ISO time of sending. */
	readonly at: string;
	readonly delivery: string;
	readonly endpoint: string;
	readonly url: string;
	readonly event_type?: string;
	readonly idempotency_key?: string;
	/** From 1. */
	readonly attempt: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** `sending` until it is known. */
	outcome: 'sending' | 'accepted' | 'refused' | 'no answer';
	status?: number;
	/** The answer's text (its first 2,000 characters), or why there was none. */
	answer?: string;
	/** Milliseconds until the next attempt, where there will be one. */
	retryIn?: number;
}

/** A delivery that was set off. */
export interface Sent {
	readonly nanoid: string;
	/** Resolves when every first attempt has its outcome. */
	readonly firstAttempts: Promise<DeliveryAttempt[]>;
}

const ANSWER_CHARACTERS = 2_000;

/** Registered endpoints, and the signed deliveries to them with a provider's retries. */
export class Deliveries {
	private readonly randomness = new Randomness('deliveries');
	private readonly registered = new Map<string, Endpoint>();
	private attempts: DeliveryAttempt[] = [];
	/** Ends attempts in flight and those that wait, when the sandbox is reset or closes. */
	private stop = new AbortController();
	private readonly waiting = new Set<NodeJS.Timeout>();

	/**
	 * Registers an endpoint, or changes the one with this identifier. Without an identifier it takes
	 * the place of one that has no address yet, if there is one. Throws ZodError.
	 */
	register(input: unknown): Endpoint {
		const wishes = endpointShape.parse(input);
		const vacant = this.endpoints().find(({ url }) => url === undefined);
		const nanoid = wishes.nanoid ?? vacant?.nanoid ?? this.randomness.identifier('wh');
		const endpoint = { ...wishes, nanoid };
		this.registered.set(endpoint.nanoid, endpoint);
		return endpoint;
	}

	endpoint(nanoid: string): Endpoint | undefined {
		return this.registered.get(nanoid);
	}

	endpoints(): Endpoint[] {
		return [...this.registered.values()];
	}

	forgetEndpoints(): void {
		this.registered.clear();
	}

	/** Every attempt in the order of sending. */
	log(): readonly DeliveryAttempt[] {
		return this.attempts;
	}

	clearLog(): void {
		this.attempts = [];
	}

	/** Forgets the attempts, and ends those in flight or waiting. */
	clear(): void {
		this.clearLog();
		this.stop.abort();
		this.stop = new AbortController();
		for (const timer of this.waiting) clearTimeout(timer);
		this.waiting.clear();
	}

	/** Sends an event to the endpoints; returns at once. */
	send(event: ServiceEvent, input: z.input<typeof deliveryShape>, settings: Settings): Sent {
		const wishes = deliveryShape.parse(input);
		const nanoid = this.randomness.identifier('dl');
		const body = wishes.rawBody ?? JSON.stringify(event);
		const targets = this.endpoints().filter(
			(each) => wishes.endpoint === undefined || each.nanoid === wishes.endpoint,
		);
		const first: Array<Promise<DeliveryAttempt>> = [];
		for (const endpoint of targets) {
			const { url } = endpoint;
			if (url === undefined) continue;
			for (let copy = 0; copy <= wishes.duplicates; copy++) {
				const parcel = { nanoid, endpoint, url, event, body, wishes, settings };
				first.push(this.attempt(parcel, 1));
			}
		}
		return { nanoid, firstAttempts: Promise.all(first) };
	}

	private async attempt(parcel: Parcel, number: number): Promise<DeliveryAttempt> {
		const { url, settings, wishes, event } = parcel;
		const attempt: DeliveryAttempt = {
			at: new Date().toISOString(),
			delivery: parcel.nanoid,
			endpoint: parcel.endpoint.nanoid,
			url,
			...z
				.object({ event_type: z.string().optional(), idempotency_key: z.string().optional() })
				.catch({})
				.parse(event),
			attempt: number,
			headers: headersOf(parcel),
			body: wishes.bodyAfterSigning ?? parcel.body,
			outcome: 'sending',
		};
		this.attempts.push(attempt);
		if (this.attempts.length > settings.logLimit * 1.2) {
			this.attempts = this.attempts.slice(-settings.logLimit);
		}
		const stop = this.stop.signal;
		await post(attempt, settings.deliveryTimeout, stop);
		const delay = settings.retryDelays[number - 1];
		if (attempt.outcome === 'accepted' || !wishes.retries || delay === undefined) return attempt;
		if (stop.aborted) return attempt;
		attempt.retryIn = delay;
		const timer = setTimeout(() => {
			this.waiting.delete(timer);
			void this.attempt(parcel, number + 1);
		}, delay);
		this.waiting.add(timer);
		return attempt;
	}
}

interface Parcel {
	readonly nanoid: string;
	readonly endpoint: Endpoint;
	readonly url: string;
	readonly event: ServiceEvent;
	readonly body: string;
	readonly wishes: DeliveryWishes;
	readonly settings: Settings;
}

function headersOf({ endpoint, body, wishes }: Parcel): Record<string, string> {
	const headers = {
		'content-type': wishes.contentType,
		'user-agent': 'payroll-payments-sandbox',
		...wishes.headers,
	};
	if (wishes.signature === 'missing') return headers;
	const secrets =
		wishes.signature === 'wrong'
			? { secret: `not ${endpoint.secret}` }
			: wishes.signature === 'previousSecret'
				? { secret: endpoint.previousSecret ?? endpoint.secret }
				: { secret: endpoint.secret, previousSecret: endpoint.previousSecret };
	const timestamp = Math.floor(Date.now() / 1000 - wishes.age);
	const { scheme, prefixed } = endpoint;
	const signature = signatureOf(body, { scheme, prefixed, timestamp, ...secrets });
	return { ...headers, [endpoint.header]: signature };
}

async function post(attempt: DeliveryAttempt, timeout: number, stop: AbortSignal): Promise<void> {
	try {
		const answer = await fetch(attempt.url, {
			method: 'POST',
			headers: attempt.headers,
			body: attempt.body,
			redirect: 'manual',
			signal: AbortSignal.any([AbortSignal.timeout(timeout), stop]),
		});
		attempt.status = answer.status;
		attempt.answer = (await answer.text()).slice(0, ANSWER_CHARACTERS);
		attempt.outcome = answer.ok ? 'accepted' : 'refused';
	} catch (error) {
		attempt.outcome = 'no answer';
		attempt.answer = error instanceof Error ? error.message : 'unknown error';
	}
}
