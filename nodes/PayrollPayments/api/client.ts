import { sleep } from 'n8n-workflow';

import {
	mayHaveActed,
	NoResponseError,
	ServiceError,
	SignInFailed,
	throwIfStopped,
	UserError,
} from '../shared/errors';
import type { HttpAnswer, HttpExchange, HttpRequest } from '../shared/http';
import { DEEPEST, isDeeperThan } from '../shared/json';
import type { Redactor } from '../shared/redaction';
import { endedOrAborted } from '../shared/waiting';
import { balanceCall } from './balanceCall';
import { urlOf, type Call, type ReadCall, type SendRead, type WriteCall } from './call';
import type { ServiceCredentials } from './credentials';
import { errorFor, REFUSAL_STATUSES, unusableAnswer } from './serviceErrors';
import { isReadable, shownOf } from './failureBody';
import { Renaming } from './fieldNames';
import { DEFAULT_RETRIES, pauseAfter, TRANSIENT_STATUSES } from './retries';
import { readEnvelope, type Envelope } from './schemas/answers';
import { sessions } from './session';
import { sessionBinding } from './storedSession';

/** An identifier of the right form that names nobody. */
export const PLACEHOLDER_ID = 'co-000000000000';

/** Characters of an answer. The nesting of a larger list isn't checked, which would take too long. */
const LARGE_READ = 4_000_000;

/** How long to wait for the service. */
export interface RequestLimits {
	/** For one answer, in milliseconds. */
	readonly timeout?: number;
	/** How often a read is repeated. */
	readonly retries?: number;
	/** In milliseconds: a read isn't repeated if the service asks to wait longer. */
	readonly longestPause?: number;
	/** Aborted once the execution was stopped. */
	readonly signal?: AbortSignal;
}

interface Sending {
	readonly kind: 'read' | 'write' | 'withoutToken';
	/** A token in place of which a new one is obtained before the request is sent. */
	readonly replaces?: string;
}

/** The way to the service. Sends a request once. */
export interface Transport {
	/** The token that the next request is sent with; undefined if a sign-in comes before it. */
	token(): string | undefined;
	send(
		request: HttpRequest,
		sending: Sending,
	): Promise<{ readonly answer: HttpAnswer; readonly token: string }>;
}

/** A way without tokens that are obtained by signing in. */
export function transportOver(exchange: HttpExchange): Transport {
	return {
		token: () => '',
		send: async (request) => ({ answer: await exchange(request), token: '' }),
	};
}

interface Received extends HttpAnswer {
	readonly envelope: Envelope | undefined;
	readonly token: string;
}

type Success = Received & { readonly envelope: Extract<Envelope, { success: true }> };

function isSuccess(received: Received): received is Success {
	return received.status < 300 && received.envelope?.success === true;
}

/** What to do about a member that isn't in an answer. */
const OTHER_NAME =
	'If the service names it differently, enter its name under Field Names in the credentials. If not, update this node, or report this to the service.';

/** Not an error of a change: it wasn't sent. */
function tokenNotChecked(error: UserError): UserError {
	const message = `The token couldn’t be checked. ${error.message}`;
	return error.with({ message, outcome: 'refused', precedesChange: true });
}

/** Sends calls and returns their data. Nothing else repeats a request, and this repeats only reads. */
export class Client {
	private readonly boundTo: string;
	private readonly canSignIn: boolean;
	private readonly renaming: Renaming;
	private tokenCheck?: Promise<void>;

	constructor(
		readonly credentials: ServiceCredentials,
		private readonly transport: Transport,
		private readonly redactor: Redactor,
		private readonly limits: RequestLimits = {},
	) {
		this.boundTo = sessionBinding(credentials);
		this.canSignIn = credentials.authentication === 'walletSignIn';
		this.renaming = new Renaming(credentials.fieldNames);
	}

	/** For signers, which are no part of the service. */
	readonly withoutToken: HttpExchange = async (request) => {
		const { answer } = await this.transport.send(request, { kind: 'withoutToken' });
		return answer;
	};

	/** @throws {ServiceError | NoResponseError} for anything but a documented success */
	readonly sendRead: SendRead = async (call) => await this.read(call, this.limits);

	/**
	 * Sends a change, once. Call {@link ensureToken} before.
	 * @throws {ServiceError | NoResponseError} for anything but a documented success
	 */
	readonly sendWrite = async <Data>(call: WriteCall<Data>): Promise<Data> => {
		throwIfStopped(this.limits.signal);
		const kind = call.withoutToken === true ? 'withoutToken' : 'write';
		try {
			return this.dataIn(await this.exchange(call, { kind }), call);
		} catch (thrown) {
			/* Whatever fails after the request was sent says nothing of what it did. */
			const error =
				thrown instanceof UserError ? thrown : unusableAnswer('The response can’t be read');
			const note =
				'The request may have succeeded anyway. Check the service before you run this again.';
			const isUnknown = kind === 'write' && mayHaveActed(error);
			throw isUnknown ? error.with({ note }) : error;
		}
	};

	/**
	 * Makes sure that the service accepts the token, before a change is recorded, signed or sent: a token
	 * that ran out would cost the run that change, because a change is never sent again.
	 * @param entityId whose balance is read for this
	 */
	readonly ensureToken = async (entityId = PLACEHOLDER_ID): Promise<void> => {
		const token = this.transport.token();
		const endsSoon = token !== undefined && sessions.endsSoon(this.boundTo, token);
		if (token !== undefined && !endsSoon && sessions.isFresh(this.boundTo, token)) return;
		this.tokenCheck ??= this.checkToken(entityId, endsSoon ? token : undefined).finally(() => {
			this.tokenCheck = undefined;
		});
		await this.tokenCheck;
	};

	private async checkToken(entityId: string, ending: string | undefined): Promise<void> {
		/* A change waits for this: a service that hangs is asked once more at most. */
		const { timeout, signal, retries = 1 } = this.limits;
		const limits = { timeout, signal, retries: Math.min(retries, 1) };
		const call = balanceCall(entityId);
		try {
			await this.read(call, limits, ending).catch(async (error: unknown) => {
				if (!(error instanceof SignInFailed) || ending === undefined) throw error;
				/* The token ends soon only by this machine's clock. It may still be good: ask with it. */
				const answer = await this.exchange(call, { kind: 'read' }, limits);
				if (answer.status === 401) throw error;
				if (isSuccess(answer)) sessions.markObtained(this.boundTo, ending);
			});
		} catch (error) {
			/*
			 * The service answered, which is enough unless it was a 401: a user who can't read balances may still
			 * make changes. With an API key, even a 401 concerns only this read.
			 */
			const isApiKey = this.credentials.authentication === 'legacyApiKey';
			const hasToken = isApiKey || (this.transport.token() ?? '') !== '';
			if (error instanceof ServiceError && (hasToken || error.status !== 401)) return;
			const isAnswer = error instanceof ServiceError || error instanceof NoResponseError;
			throw isAnswer ? tokenNotChecked(error) : error;
		}
	}

	private async read<Data>(
		call: ReadCall<Data>,
		limits: RequestLimits,
		replaces?: string,
	): Promise<Data> {
		const { retries = DEFAULT_RETRIES, longestPause, signal } = limits;
		const kind = call.withoutToken === true ? 'withoutToken' : 'read';
		for (let attempt = 1; ; attempt++) {
			throwIfStopped(signal);
			const answer = await this.readRenewingToken(call, { kind, replaces }, limits).catch(
				(error: unknown) => {
					if (error instanceof NoResponseError) return error;
					throw error;
				},
			);
			const wait = attempt <= retries ? pauseAfter(answer, attempt, longestPause) : undefined;
			if (wait !== undefined) await endedOrAborted(sleep(wait), signal);
			else if (answer instanceof NoResponseError) throw answer;
			else return this.dataIn(answer, call);
		}
	}

	/**
	 * The answer to a read. One that isn't a success is sent once more with a new token, unless the service
	 * accepted this one a moment ago: services refuse one that has ended in many ways.
	 */
	private async readRenewingToken<Data>(
		call: ReadCall<Data>,
		sending: Sending,
		limits: RequestLimits,
	): Promise<Received> {
		const answer = await this.exchange(call, sending, limits);
		if (sending.kind === 'withoutToken' || !this.canSignIn) return answer;
		const { status, token } = answer;
		const mayBeTheToken = !isSuccess(answer) && !TRANSIENT_STATUSES.includes(status);
		if (!mayBeTheToken || sessions.isFresh(this.boundTo, token)) return answer;
		/*
		 * A new token is fresh unless a change got a 401 with it (`markRefusedByChange`). Then it isn't
		 * replaced, since another one would fare no better.
		 */
		const isUsable = sessions.usable(this.boundTo, token) === token;
		if (isUsable && sessions.isNew(this.boundTo, token)) return answer;
		throwIfStopped(limits.signal);
		return await this.exchange(call, { ...sending, replaces: token }, limits).catch(
			(error: unknown) => {
				if (!(error instanceof SignInFailed) || status === 401) throw error;
				/* The token may have been good. */
				const { message } = this.failureIn(answer, call);
				throw error.with({ message: `${error.message}. Before that: ${message}` });
			},
		);
	}

	private async exchange<Data>(
		{ method, path, query, body }: Call<Data>,
		sending: Sending,
		{ timeout, signal }: RequestLimits = this.limits,
	): Promise<Received> {
		const url = urlOf(this.credentials.baseUrl, path, this.renaming.query(query));
		const request = { method, url, body: this.renaming.body(body), timeout, signal };
		const { answer, token } = await this.transport.send(request, sending);
		const received = { ...answer, envelope: readEnvelope(answer.body), token };
		if (sending.kind !== 'withoutToken') this.recordVerdict(received, request, sending);
		return received;
	}

	/** Remembers what an answer says of the token. */
	private recordVerdict(
		received: Received,
		{ method, url }: HttpRequest,
		{ replaces }: Sending,
	): void {
		const { status, envelope, token } = received;
		/* Without a wallet, no other token can be tried, so a refusal in the service's own words is one of the request. */
		const isOfRequest = !this.canSignIn && envelope?.success === false;
		if (status === 401) {
			if (method !== 'GET') sessions.markRefusedByChange(this.boundTo, token);
			else sessions.markRefusedByRead(this.boundTo, token, url, replaces !== undefined);
		} else if (isSuccess(received) || (isOfRequest && REFUSAL_STATUSES.includes(status))) {
			sessions.markAccepted(this.boundTo, token, url);
		}
	}

	private failureIn(received: Received, call: Call<unknown>): ServiceError {
		const { roleNeeded, withoutToken = false, method } = call;
		const ofSignIn = method === 'GET' ? 'none' : 'signature';
		const authentication = withoutToken ? ofSignIn : this.credentials.authentication;
		const body = this.renaming.body(call.body);
		return errorFor(received, this.redactor.text, { roleNeeded, authentication, body });
	}

	/** The `data` of a success (docs/api.md, Response envelope). */
	private dataIn<Data>(received: Received, call: Call<Data>): Data {
		if (!isSuccess(received)) throw this.failureIn(received, call);
		const { status, body, envelope } = received;
		const isLarge = call.method === 'GET' && body.length > LARGE_READ;
		if ((!isLarge || !this.renaming.isEmpty) && isDeeperThan(envelope.data, DEEPEST)) {
			throw unusableAnswer(`The response is nested deeper than ${DEEPEST} levels`, status);
		}
		const { data, error } = call.answer.safeParse(this.renaming.answer(envelope.data));
		if (error !== undefined) {
			const [issue] = error.issues;
			const member = ['data', ...(issue?.path ?? [])].join('.');
			const what = `The service reported success, but ${member} is missing or invalid in its response`;
			/* A change may have been made, so the answer is shown; but not a sign-in's, which may hold the token. */
			const isShown =
				call.method !== 'GET' &&
				call.withoutToken !== true &&
				envelope.data !== undefined &&
				isReadable(envelope.data);
			const response = isShown ? shownOf(envelope.data, this.redactor.text) : undefined;
			const isAbsent = issue?.code === 'invalid_type' && issue.received === 'undefined';
			const fault = unusableAnswer(what, status, response);
			throw isAbsent && issue.path.length > 0 ? fault.with({ hint: OTHER_NAME }) : fault;
		}
		return data;
	}
}
