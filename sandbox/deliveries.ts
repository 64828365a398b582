import { z } from 'zod';

import { signatureHeaders, signingShape } from './deliverySignature';
import type { ServiceEvent } from './events';
import { Randomness } from './randomness';
import type { Settings } from './settings';

const endpointShape = signingShape
	.extend({
		nanoid: z
			.string()
			.regex(/^wh-[A-Za-z0-9_-]{12}$/)
			.optional(),
		/** Where to send deliveries; without it, nothing is sent. */
		url: z.string().url().optional(),
		/** The workflow that listens there, and a page that shows what it did at the time `{at}`. */
		name: z.string().optional(),
		link: z
			.string()
			.regex(/^https?:\/\//)
			.optional(),
	})
	.strict();

/** Options of a delivery; by default it is genuine and goes to every endpoint. */
export const deliveryShape = z
	.object({
		/** Send to this endpoint only; by default, to all that have a URL. */
		endpoint: z.string().optional(),
		/** Extra copies to send at the same time. */
		duplicates: z.number().int().min(0).default(0),
		signature: z.enum(['valid', 'wrong', 'missing', 'previousSecret']).default('valid'),
		/** Age of the signature's timestamp in seconds; negative for the future. */
		age: z.number().default(0),
		/** A body to sign and send instead of the event. */
		rawBody: z.string().optional(),
		/** A body to send instead of the signed one, as if a proxy had changed it. */
		bodyAfterSigning: z.string().optional(),
		contentType: z.string().default('application/json'),
		headers: z.record(z.string()).default({}),
		/** Whether to retry failed attempts. */
		retries: z.boolean().default(true),
	})
	.strict();

/** A registered webhook endpoint. */
export type Endpoint = z.infer<typeof endpointShape> & { readonly nanoid: string };
type DeliveryOptions = z.infer<typeof deliveryShape>;

/** One POST to an endpoint and its answer. */
export interface DeliveryAttempt {
	/** ISO time of sending. */
	readonly at: string;
	readonly delivery: string;
	readonly endpoint: string;
	readonly url: string;
	/** The workflow that listens there, and where it shows what it did. */
	readonly name?: string;
	readonly link?: string;
	readonly event_type?: string;
	readonly idempotency_key?: string;
	/** Starts at 1. */
	readonly attempt: number;
	readonly headers: Readonly<Record<string, string>>;
	readonly body: string;
	/** `sending` until the attempt has ended. */
	outcome: 'sending' | 'accepted' | 'refused' | 'no answer';
	status?: number;
	/** The first 2,000 characters of the answer, or why there was none. */
	answer?: string;
	/** Milliseconds until the answer, or until the attempt was given up. */
	duration?: number;
	/** Milliseconds from the end of this attempt to the next one, if there is one. */
	retryIn?: number;
}

/** A delivery under way. */
export interface Delivery {
	readonly nanoid: string;
	/** Resolves when all first attempts have ended. */
	readonly firstAttempts: Promise<DeliveryAttempt[]>;
}

const ANSWER_CHARACTERS = 2_000;

/** How long an endpoint has to answer. */
const ANSWER_TIMEOUT_MS = 10_000;

/** Can be read as text, hex or Base64. */
const WRONG_SECRET = '0badc0de'.repeat(6);

/** Registered webhook endpoints, and the signed deliveries to them with retries. */
export class Deliveries {
	private readonly randomness = new Randomness('deliveries');
	private readonly registered = new Map<string, Endpoint>();
	private attempts: DeliveryAttempt[] = [];
	/** Aborts attempts in flight when the sandbox is reset or closes. */
	private stop = new AbortController();
	private readonly retryTimers = new Set<NodeJS.Timeout>();

	/**
	 * Registers an endpoint, or updates the one with this identifier. Without an identifier, it
	 * replaces the endpoint that has no URL yet, if there is one. Throws ZodError.
	 */
	register(input: unknown): Endpoint {
		const options = endpointShape.parse(input);
		const vacant = this.endpoints().find(({ url }) => url === undefined);
		const nanoid = options.nanoid ?? vacant?.nanoid ?? this.randomness.identifier('wh');
		const endpoint = { ...options, nanoid };
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

	/** All attempts, oldest first. */
	log(): readonly DeliveryAttempt[] {
		return this.attempts;
	}

	clearLog(): void {
		this.attempts = [];
	}

	/** Clears the log, aborts attempts in flight and cancels retries. */
	clear(): void {
		this.clearLog();
		this.stop.abort();
		this.stop = new AbortController();
		for (const timer of this.retryTimers) clearTimeout(timer);
		this.retryTimers.clear();
	}

	/** Starts to send an event to the endpoints; doesn't wait for their answers. */
	send(event: ServiceEvent, input: z.input<typeof deliveryShape>, settings: Settings): Delivery {
		const options = deliveryShape.parse(input);
		const nanoid = this.randomness.identifier('dl');
		const body = options.rawBody ?? JSON.stringify(event);
		const targets = this.endpoints().filter(
			(each) => options.endpoint === undefined || each.nanoid === options.endpoint,
		);
		const first: Array<Promise<DeliveryAttempt>> = [];
		for (const endpoint of targets) {
			const { url } = endpoint;
			if (url === undefined) continue;
			for (let copy = 0; copy <= options.duplicates; copy++) {
				const parcel = { nanoid, endpoint, url, event, body, options, settings };
				first.push(this.attempt(parcel, 1));
			}
		}
		return { nanoid, firstAttempts: Promise.all(first) };
	}

	private async attempt(parcel: Parcel, number: number): Promise<DeliveryAttempt> {
		const { url, settings, options, event } = parcel;
		const at = new Date().toISOString();
		const attempt: DeliveryAttempt = {
			at,
			delivery: parcel.nanoid,
			endpoint: parcel.endpoint.nanoid,
			url,
			name: parcel.endpoint.name,
			link: parcel.endpoint.link?.replace('{at}', at),
			...z
				.object({ event_type: z.string().optional(), idempotency_key: z.string().optional() })
				.catch({})
				.parse(event),
			attempt: number,
			headers: headersOf(parcel),
			body: options.bodyAfterSigning ?? parcel.body,
			outcome: 'sending',
		};
		this.attempts.push(attempt);
		if (this.attempts.length > settings.logLimit * 1.2) {
			this.attempts = this.attempts.slice(-settings.logLimit);
		}
		const stop = this.stop.signal;
		await post(attempt, stop);
		const delay = settings.retryDelays[number - 1];
		const { outcome, status = 0 } = attempt;
		// Services of this kind neither follow a redirect nor try again after one.
		const isFinal = outcome === 'accepted' || (outcome === 'refused' && status < 400);
		if (isFinal || !options.retries || delay === undefined) return attempt;
		if (isTestUrl(url)) return attempt;
		if (stop.aborted) return attempt;
		attempt.retryIn = delay;
		const timer = setTimeout(() => {
			this.retryTimers.delete(timer);
			void this.attempt(parcel, number + 1);
		}, delay);
		this.retryTimers.add(timer);
		return attempt;
	}
}

/** Whether n8n listens at a URL for one event only, so that another attempt finds nobody. */
const isTestUrl = (url: string): boolean => /\/webhook-test\//.test(new URL(url).pathname);

interface Parcel {
	readonly nanoid: string;
	readonly endpoint: Endpoint;
	readonly url: string;
	readonly event: ServiceEvent;
	readonly body: string;
	readonly options: DeliveryOptions;
	readonly settings: Settings;
}

function headersOf({ nanoid, endpoint, body, options }: Parcel): Record<string, string> {
	const headers = {
		'content-type': options.contentType,
		'user-agent': 'payroll-payments-sandbox',
		...options.headers,
	};
	if (options.signature === 'missing') return headers;
	const secrets =
		options.signature === 'wrong'
			? { secret: WRONG_SECRET, previousSecret: undefined }
			: options.signature === 'previousSecret'
				? { secret: endpoint.previousSecret ?? endpoint.secret, previousSecret: undefined }
				: {};
	const timestamp = Math.floor(Date.now() / 1000 - options.age);
	const proof = signatureHeaders(body, { ...endpoint, ...secrets }, { id: nanoid, timestamp });
	return { ...headers, ...proof };
}

async function post(attempt: DeliveryAttempt, stop: AbortSignal): Promise<void> {
	const began = performance.now();
	try {
		const answer = await fetch(attempt.url, {
			method: 'POST',
			headers: attempt.headers,
			body: attempt.body,
			redirect: 'manual',
			signal: AbortSignal.any([AbortSignal.timeout(ANSWER_TIMEOUT_MS), stop]),
		});
		attempt.status = answer.status;
		attempt.answer = (await answer.text()).slice(0, ANSWER_CHARACTERS);
		attempt.outcome = answer.ok ? 'accepted' : 'refused';
	} catch (error) {
		attempt.outcome = 'no answer';
		attempt.answer = error instanceof Error ? error.message : 'unknown error';
	}
	attempt.duration = Math.round(performance.now() - began);
}
