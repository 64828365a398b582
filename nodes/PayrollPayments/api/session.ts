import { z } from 'zod';
import { contextOf, isStop } from '../shared/errors';
import { parseJson } from '../shared/json';
import { LruCache } from '../shared/lruCache';
import { isWithin, momentOf, systemClock, type Clock, type Moment } from './clock';
import { packSession } from './storedSession';

/*
 * WHEN A TOKEN IS RENEWED
 *
 * 1. None is usable (`usable` below): `send` in n8nTransport.ts has n8n sign in first. Another node's
 *    request gets a made-up 401 from `authenticateRequest`, after which n8n signs in.
 * 2. A change is to come, and the token ends soon (`ENDS_SOON_MS`): `ensureToken` in client.ts.
 * 3. A read failed, and the token isn't fresh: `readRenewingToken` in client.ts. `ensureToken` makes such a
 *    read before a change, which never renews its own token.
 * 4. n8n repeats another node's plain GET after a 401 or, in the HTTP Request node, after any failure.
 * 5. Another node's change is to be sent, and the token ends soon (`ENDS_SOON_MS`), or the last such change
 *    failed (`mayHaveEnded` below): the made-up 401 of 1. n8n must not repeat the change that failed, so
 *    this helps only the next one.
 *
 * Each ends in `obtainSession` (authentication.ts) and there in `renew`, which shares a sign-in, repeats
 * the failure of the last one, or gives no token.
 */

/** How long after a failed sign-in the next one is put off, in milliseconds. */
export const SIGN_IN_PAUSE_MS = 30_000;

/** The same after a person was asked and didn't confirm, while the service may still accept the token. */
const DECLINED_PAUSE_MS = 5 * 60_000;

/**
 * How long what the service said of a token or a URL counts, in milliseconds: that it accepts the token, that
 * the URL refused one. Suspicions, and a wrong clock, cause a sign-in no more often than this.
 */
export const FRESH_MS = 5 * 60_000;

/** A token that ends sooner, by this machine's clock, is replaced before a write; in milliseconds. */
const ENDS_SOON_MS = 60_000;

/** No token ends so soon after it was obtained, in milliseconds. */
const SHORTEST_LIFE_MS = 60_000;

/** Tokens, and credentials that sign in, that this process remembers. */
const MAX_REMEMBERED = 1_000;

/** What a token (JWT) says of itself. */
const tokenClaims = z.object({ exp: z.number() });

/** What this process knows of a token. */
interface KnownToken {
	obtainedAt?: Moment;
	/** When the service last accepted it. */
	acceptedAt?: Moment;
	isRefused?: boolean;
	/** Whether a read's 401 was blamed on the URL rather than on this token. */
	wasSpared?: boolean;
	/** Whether another node's change failed with it, perhaps with a 401. */
	isDoubted?: boolean;
	/** The token of the sign-in that replaced it. */
	replacedBy?: string;
}

/** The sign-in of some credentials that is under way, and what is left of the last one. */
interface SignInState {
	pending?: Promise<string>;
	/** The signals of the callers that wait for it; none for one that nobody can stop. */
	readonly waiting: Array<AbortSignal | undefined>;
	/** The tokens of the callers that wait for it. */
	readonly replaces: Set<string>;
	failed?: {
		readonly at: number;
		/** Throws again what it threw. */
		readonly rejection: Promise<string>;
		/** Whether a person may have been asked, and didn't confirm. */
		readonly wasAsked: boolean;
	};
	/** When another node's failure last led to a sign-in. */
	suspectedAt?: Moment;
}

/**
 * The tokens and sign-ins of this process, by the `sessionBinding` of the credentials (storedSession.ts).
 *
 * A token is used until the service refuses it. Callers that hold a refused token share one sign-in.
 * Having no token is written as the token ''.
 */
export class Sessions {
	private readonly tokens = new LruCache<KnownToken>(MAX_REMEMBERED);
	private readonly signIns = new LruCache<SignInState>(
		MAX_REMEMBERED,
		({ pending }) => pending !== undefined,
	);

	/** When a URL last refused a read with 401, unless it has accepted a request since; when it last accepted one. */
	private readonly urls = new LruCache<{ refusedAt?: Moment; acceptedAt?: Moment }>(MAX_REMEMBERED);

	constructor(private readonly clock: Clock = systemClock) {}

	/** The token to send: this one, or what replaced it. Undefined if a sign-in must come first. */
	usable(boundTo: string, token: string): string | undefined {
		const newest = this.newest(boundTo, token);
		return newest === '' || this.peek(boundTo, newest).isRefused === true ? undefined : newest;
	}

	/** @param url where it was accepted */
	markAccepted(boundTo: string, token: string, url: string): void {
		const acceptedAt = this.moment();
		Object.assign(this.known(boundTo, token), { acceptedAt, isDoubted: false });
		Object.assign(this.urlStateOf(boundTo, url), { refusedAt: undefined, acceptedAt });
	}

	/**
	 * After a 401 to a change. A new token isn't marked as refused: where every change gets a 401, a sign-in
	 * for each would be of no use. But it counts as unknown, so that a read comes before the next change.
	 */
	markRefusedByChange(boundTo: string, token: string): void {
		const known = this.known(boundTo, token);
		const isRefused = known.isRefused === true || !this.isNew(boundTo, token);
		Object.assign(known, { isRefused, acceptedAt: undefined });
	}

	/** After another node's change failed. n8n doesn't say why it failed. */
	markDoubted(boundTo: string, token: string): void {
		this.known(boundTo, token).isDoubted = true;
	}

	/** Whether to replace it before another node's change: it ends soon, or such a change failed with it. */
	mayHaveEnded(boundTo: string, token: string): boolean {
		const isDoubted = this.peek(boundTo, token).isDoubted === true;
		return this.endsSoon(boundTo, token) || (isDoubted && !this.isFresh(boundTo, token));
	}

	/**
	 * After a 401 to a read. Marks the token as refused, unless the URL is to blame, since some refuse every
	 * token. Then a sign-in would be of no use.
	 * @param isRepeated whether the read was refused another token before this one
	 */
	markRefusedByRead(boundTo: string, token: string, url: string, isRepeated: boolean): void {
		const known = this.known(boundTo, token);
		/* That a URL refuses a token which was refused before says nothing of the URL. */
		if (known.isRefused !== true) {
			const isNew = this.isNew(boundTo, token);
			const last = this.urlStateOf(boundTo, url);
			const wasRefused = this.isRecent(last.refusedAt, FRESH_MS);
			if (!wasRefused) last.refusedAt = this.moment();
			/* The URL refused another read a moment ago, or refuses the token that a sign-in just gave. */
			if (wasRefused || (isRepeated && isNew)) {
				known.wasSpared = true;
				return;
			}
			/* Another URL was to blame for this new token. So is this one, if it has accepted nothing lately. */
			if (known.wasSpared === true && isNew && !this.isRecent(last.acceptedAt, FRESH_MS)) return;
		}
		Object.assign(known, { isRefused: true, acceptedAt: undefined });
	}

	/** Whether the token was obtained so recently that it can't have ended. */
	isNew(boundTo: string, token: string): boolean {
		return this.isRecent(this.peek(boundTo, token).obtainedAt, SHORTEST_LIFE_MS);
	}

	/** Treats a token as just obtained: it was, or the service accepted it although it seems to have expired. */
	markObtained(boundTo: string, token: string): void {
		const at = this.moment();
		Object.assign(this.known(boundTo, token), { obtainedAt: at, acceptedAt: at, isDoubted: false });
	}

	/** Whether the service accepted the token, or gave it, within the last {@link FRESH_MS}. */
	isFresh(boundTo: string, token: string): boolean {
		return this.isRecent(this.peek(boundTo, token).acceptedAt, FRESH_MS);
	}

	/**
	 * Whether it ends within {@link ENDS_SOON_MS}, by what it says and this machine's clock. A token that was just
	 * obtained isn't judged, so that a wrong clock costs no more than a sign-in every {@link FRESH_MS}.
	 */
	endsSoon(boundTo: string, token: string): boolean {
		if (this.isRecent(this.peek(boundTo, token).obtainedAt, FRESH_MS)) return false;
		const [, payload = ''] = token.split('.');
		const json = Buffer.from(payload, 'base64url').toString('utf8');
		const expiry = tokenClaims.safeParse(parseJson(json)).data?.exp ?? Infinity;
		return expiry * 1000 - this.clock.now() < ENDS_SOON_MS;
	}

	/**
	 * A token in place of one that can't be used any more: that of the sign-in that replaced it, or of
	 * one that is under way, or of a new one. After a failed sign-in, further ones wait
	 * {@link SIGN_IN_PAUSE_MS} and repeat its message; {@link DECLINED_PAUSE_MS} if a person was asked
	 * and didn't confirm, and the service may still accept the token.
	 * @param signIn asks before it signs whether anyone still wants its token
	 * @param isSuspicion whether it isn't known that the service refused the token. Then there is no new
	 * sign-in, and no token, within {@link FRESH_MS} of the last one.
	 */
	async renew(
		boundTo: string,
		token: string,
		signIn: (isWanted: () => boolean) => Promise<string>,
		{ isSuspicion, stopped }: { readonly isSuspicion: boolean; readonly stopped?: AbortSignal },
	): Promise<string | undefined> {
		const usable = this.usable(boundTo, token);
		if (usable !== undefined && usable !== token) return usable;
		/* Nothing says that the service has refused it. */
		const mayStillWork = usable !== undefined;
		const isSuspected = isSuspicion && mayStillWork;
		const state = this.signIns.getOrCreate(boundTo, () => ({
			waiting: [],
			replaces: new Set(),
		}));
		let { pending } = state;
		if (pending === undefined) {
			if (isSuspected && this.isRecent(state.suspectedAt, FRESH_MS)) return undefined;
			const { failed } = state;
			if (failed !== undefined) {
				/* A person who declined isn't asked again soon while the token may still work. */
				const pause = mayStillWork && failed.wasAsked ? DECLINED_PAUSE_MS : SIGN_IN_PAUSE_MS;
				if (this.clock.elapsed() - failed.at < pause) return await failed.rejection;
			}
			const isWanted = () => state.waiting.some((signal) => signal?.aborted !== true);
			pending = signIn(isWanted);
			this.begin(boundTo, state, pending);
		}
		state.waiting.push(stopped);
		state.replaces.add(token).add(this.newest(boundTo, token));
		const obtained = await pending.catch(async (error: unknown) => {
			/* It had given up, because nobody waited, just before this caller came. */
			if (!isStop(error) || stopped?.aborted === true) throw error;
			return await this.renew(boundTo, token, signIn, { isSuspicion, stopped });
		});
		if (isSuspected) state.suspectedAt = this.moment();
		return obtained;
	}

	/** Shares a sign-in with all who come before it ends, and then keeps its token, or why it failed. */
	private begin(boundTo: string, state: SignInState, signingIn: Promise<string>): void {
		const end = (failed?: SignInState['failed']) => {
			state.pending = undefined;
			state.waiting.length = 0;
			state.replaces.clear();
			state.failed = failed;
		};
		const adopt = (token: string) => {
			/* The service may give one that it gave before. */
			state.replaces.delete(token);
			Object.assign(this.known(boundTo, token), { isRefused: false, replacedBy: undefined });
			this.markObtained(boundTo, token);
			for (const each of state.replaces) this.known(boundTo, each).replacedBy = token;
			end();
		};
		state.pending = signingIn;
		signingIn.then(adopt, (error: unknown) => {
			/* That nobody wanted it any more is no failure, so the next one needn't pause. */
			const wasAsked = contextOf(error).wasAsked === true;
			const at = this.clock.elapsed();
			end(isStop(error) ? undefined : { at, rejection: signingIn, wasAsked });
		});
	}

	private newest(boundTo: string, token: string): string {
		const { replacedBy } = this.peek(boundTo, token);
		return replacedBy === undefined ? token : this.newest(boundTo, replacedBy);
	}

	private urlStateOf(boundTo: string, url: string) {
		return this.urls.getOrCreate(boundTo + url, () => ({}));
	}

	private known(boundTo: string, token: string): KnownToken {
		return this.tokens.getOrCreate(packSession(boundTo, token), () => ({}));
	}

	private peek(boundTo: string, token: string): KnownToken {
		return this.tokens.peek(packSession(boundTo, token)) ?? {};
	}

	private moment(): Moment {
		return momentOf(this.clock);
	}

	private isRecent(at: Moment | undefined, within: number): boolean {
		return isWithin(within, this.clock, at);
	}
}

/** The build puts this into a chunk that the credentials and the nodes share. */
export const sessions = new Sessions();
