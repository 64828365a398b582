import { createHash } from 'node:crypto';

import { sleep } from 'n8n-workflow';

import { z } from 'zod';
import { parseJson } from '../shared/json';
import { LruCache } from '../shared/lruCache';
import type { Redactor } from '../shared/redaction';
import type { ServiceCredentials } from './credentials';
import { properties } from './credentialForm';

/** How long after a failed sign-in the next one is put off, in milliseconds. */
export const SIGN_IN_PAUSE = 30_000;

/** How long calls wait for the outcome of another call's trial of the token, in milliseconds. */
export const LONGEST_WAIT = 10_000;

/** How long the service's word that it takes a token is relied on, in milliseconds. */
const FRESH_MS = 5 * 60_000;

/** Sessions kept in memory, in addition to those in use. */
const MAX_SESSIONS = 1_000;

const storedSession = z
	.string()
	.transform(parseJson)
	.pipe(z.object({ boundTo: z.string(), token: z.string() }));
const claims = z.object({ exp: z.number() });

/** Names the credentials by a hash over everything that a token is obtained with. */
export function sessionBinding(credentials: ServiceCredentials): string {
	const obtainedWith = { ...credentials, limits: undefined, entities: undefined, name: undefined };
	return createHash('sha256').update(JSON.stringify(obtainedWith)).digest('hex');
}

/** A token and what it is bound to, as the hidden credential property keeps it. */
export function packSession(boundTo: string, token: string): string {
	return JSON.stringify({ boundTo, token });
}

/** When a JWT ends, in seconds since 1970; undefined where it does not say so. */
function expiryOf(token: string): number | undefined {
	const [, payload = ''] = token.split('.');
	const json = Buffer.from(payload, 'base64url').toString('utf8');
	return claims.safeParse(parseJson(json)).data?.exp;
}

/** What {@link packSession} made; empty if it's damaged, or something else. */
export function readSession(stored: unknown): Partial<z.output<typeof storedSession>> {
	return storedSession.safeParse(stored).data ?? {};
}

const SECRETS = properties.filter(({ typeOptions }) => typeOptions?.password === true);

/** Adds every secret of the saved credentials; of the session the token inside it. */
export function addSecretsOf(
	redactor: Redactor,
	saved: Readonly<Record<string, unknown>>,
): Redactor {
	return redactor.add(...SECRETS.map(({ name }) => readSession(saved[name]).token ?? saved[name]));
}

/**
 * The header that proves who calls (docs/api.md, Authentication). With a wallet and no token, the
 * service's 401 makes n8n sign in.
 */
export function authenticationHeader(
	credentials: ServiceCredentials,
	token?: string,
): Record<string, string> {
	if (credentials.authentication === 'legacyApiKey') return { 'x-auth-token': credentials.apiKey };
	const bearer = 'accessToken' in credentials ? credentials.accessToken : token;
	return bearer === undefined ? {} : { authorization: `Bearer ${bearer}` };
}

/** Wall clock, which may be wrong and jump, and stopwatch, which never jumps; in milliseconds. */
export const systemClock = {
	now: () => Date.now(),
	elapsed: () => performance.now(),
	sleep: async (milliseconds: number) => await sleep(milliseconds),
};

export type Clock = typeof systemClock;

interface SignIn {
	readonly outcome: Promise<string>;
	/** The token that the service refused, if any. Callers with the same token share this outcome. */
	readonly replaces: string | undefined;
	/** Without a token if it failed. */
	ended?: { readonly at: number; readonly token?: string };
}

/** A call under way with a token that looks expired. */
interface Trial {
	readonly token: string;
	/** Resolves when its outcome is known, or after {@link LONGEST_WAIT}. */
	readonly over: Promise<void>;
	readonly end: () => void;
}

interface Session {
	signIn?: SignIn;
	trial?: Trial;
	/** The last token that the service refused. */
	refused?: string;
	/** A token that the service accepts although it looks expired. */
	accepted?: string;
	/** The token that the service took last, and when; undefined once it refused one. */
	taken?: { readonly stored: unknown; readonly at: number };
}

/**
 * The sign-ins and tokens of this process, by the {@link sessionBinding} of the credentials.
 *
 * Callers that need a token at the same moment share one sign-in. After a failed one, further ones
 * wait {@link SIGN_IN_PAUSE} and repeat its message.
 *
 * The clock of this machine may be wrong, so a token that looks expired is still sent once, by one
 * call (its trial), while the others wait for what the service says: a 401 makes n8n call
 * `preAuthentication`, which ends the trial with a sign-in that they share; our nodes report every
 * other answer ({@link reportStatus}). Nobody reports the answer to n8n's HTTP Request node, so no call
 * waits longer than {@link LONGEST_WAIT}: a 401 would have arrived by then, and the token counts as
 * accepted, which means it is sent until the service refuses it.
 */
export class Sessions {
	private readonly sessions = new LruCache<Session>(
		MAX_SESSIONS,
		({ signIn, trial }) => trial !== undefined || (signIn !== undefined && !signIn.ended),
	);

	constructor(private readonly clock: Clock = systemClock) {}

	/** Notes whether the service has just taken the token of some credentials, or refused it. */
	note(boundTo: string, stored: unknown, isTaken: boolean): void {
		const taken = { stored, at: this.clock.elapsed() };
		this.sessionOf(boundTo).taken = isTaken ? taken : undefined;
	}

	/**
	 * Whether the service took the token of some credentials a moment ago. Two credentials for one wallet
	 * have the same binding, but each its own token. If there is none, n8n signs in for a new one.
	 */
	isFresh(boundTo: string, stored: unknown): boolean {
		const taken = this.sessions.peek(boundTo)?.taken;
		if (taken === undefined || !['', taken.stored].includes(stored)) return false;
		return this.clock.elapsed() - taken.at < FRESH_MS;
	}

	/** Takes the stored token out of use, after the service refused a write with it. */
	drop(stored: unknown): void {
		const { boundTo, token } = readSession(stored);
		if (boundTo !== undefined) this.sessionOf(boundTo).refused = token;
	}

	isRefused(stored: unknown): boolean {
		const { boundTo = '', token } = readSession(stored);
		return token !== undefined && token === this.sessions.peek(boundTo)?.refused;
	}

	/**
	 * The token to send: the stored one, or a newer one of this process. Waits while another call
	 * tries a token that looks expired, or signs in, and fails with that sign-in.
	 */
	async tokenFor(boundTo: string, stored: string): Promise<string> {
		const session = this.sessionOf(boundTo);
		const deadline = this.clock.elapsed() + LONGEST_WAIT;
		let token = stored;
		for (;;) {
			token = (await this.newerToken(session, token)) ?? token;
			if (!this.looksExpired(token) || token === session.accepted) return token;
			const { trial } = session;
			if (trial === undefined) this.beginTrial(session, token);
			if (trial === undefined || this.clock.elapsed() >= deadline) return token;
			await trial.over;
		}
	}

	/**
	 * Signs in, or shares a sign-in: one that is under way, one that replaced the same token, or one
	 * that has just failed.
	 * @param held the token that the caller holds and cannot use any more, if any
	 * @param isRefused whether the service refused it. n8n's HTTP Request node also asks for another one
	 * after any other failure; the one that it holds then stays in use until there is a new one.
	 */
	async renew(
		boundTo: string,
		held: string | undefined,
		signIn: () => Promise<string>,
		isRefused = true,
	): Promise<string> {
		const session = this.sessionOf(boundTo);
		const refused = held ?? session.refused;
		if (refused !== undefined && isRefused) {
			session.refused = refused;
			if (session.accepted === refused) session.accepted = undefined;
		}
		if (session.signIn === undefined || !this.serves(session.signIn, session, refused)) {
			session.signIn = this.startSignIn(session, { outcome: signIn(), replaces: refused });
		}
		if (session.trial?.token === refused) session.trial?.end();
		return await session.signIn.outcome;
	}

	/** Ends the trial of the stored token with the status of the answer to it, if one came. */
	reportStatus(stored: unknown, status: number | undefined): void {
		const { boundTo = '', token } = readSession(stored);
		const session = this.sessions.peek(boundTo);
		if (session?.trial === undefined || session.trial.token !== token) return;
		const isAccepted = status !== undefined && (status < 300 || [400, 403, 404].includes(status));
		if (isAccepted) session.accepted = token;
		session.trial.end();
	}

	private sessionOf(boundTo: string): Session {
		return this.sessions.getOrCreate(boundTo, () => ({}));
	}

	/** The token of a sign-in of this process that should be sent instead, if there is one. */
	private async newerToken(
		{ signIn, refused }: Session,
		token: string,
	): Promise<string | undefined> {
		if (signIn === undefined) return undefined;
		const { ended, outcome, replaces } = signIn;
		const isExpired = this.looksExpired(token);
		const hasFailed = ended !== undefined && ended.token === undefined;
		if (hasFailed) {
			return isExpired && refused === token && this.isPaused(ended.at) ? await outcome : undefined;
		}
		const isBetter = isExpired && !(ended?.token && this.looksExpired(ended.token));
		/* A token that nobody has refused is used until the new one is there. */
		const isReplaced = replaces === token && (ended !== undefined || refused === token);
		return isReplaced || isBetter ? await outcome : undefined;
	}

	private serves({ ended, replaces }: SignIn, session: Session, refused?: string): boolean {
		if (ended === undefined) return true;
		if (ended.token === undefined) return this.isPaused(ended.at);
		const isAlive = !this.looksExpired(ended.token) || ended.token === session.accepted;
		return isAlive && replaces === refused && ended.token !== refused;
	}

	private startSignIn(session: Session, signIn: SignIn): SignIn {
		const end = (token?: string) => {
			signIn.ended = { at: this.clock.elapsed(), token };
			// The service has just issued it, so this machine's clock must be ahead.
			if (token !== undefined && this.looksExpired(token)) session.accepted = token;
		};
		signIn.outcome.then(end, () => end());
		return signIn;
	}

	private beginTrial(session: Session, token: string): void {
		let resolve = () => {};
		const over = new Promise<void>((done) => (resolve = done));
		const end = () => {
			session.trial = undefined;
			resolve();
		};
		const trial = { token, over, end };
		session.trial = trial;
		void this.clock.sleep(LONGEST_WAIT).then(() => {
			if (session.trial !== trial) return;
			session.accepted = token;
			end();
		});
	}

	private looksExpired(token: string): boolean {
		const expiry = expiryOf(token);
		return expiry !== undefined && expiry * 1000 <= this.clock.now();
	}

	private isPaused(failed: number): boolean {
		return this.clock.elapsed() - failed < SIGN_IN_PAUSE;
	}
}

/** Shared by the credentials and the nodes, which the build keeps in separate bundles. */
export const sessions = new Sessions();
