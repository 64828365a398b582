import * as fc from 'fast-check';

import { FRESH_MS, Sessions } from '../../../nodes/PayrollPayments/api/session';
import { runs } from '../../support/propertyRuns';
import { jwt, settled, TestClock } from './testClock';

const BOUND = 'credentials';
const URL = 'https://api.example.com/v2/balance';

/** n8n, and a service whose own clock is right. Each process of n8n has its own memory. */
class Host {
	readonly clock = new TestClock();
	signIns = 0;
	/** Tokens that were sent although this process knew that the service had refused them. */
	resent = 0;
	/** In n8n's database. */
	private saved = '';
	private readonly alive = new Map<string, number>();

	constructor(private readonly lifetime: number) {}

	withdrawTokens(): void {
		this.alive.clear();
	}

	/** A read, or a change that is made sure of before. */
	async call(process: Process, isChange: boolean): Promise<boolean> {
		const held = this.saved;
		const token = process.sessions.usable(BOUND, held);
		const isEnding = token !== undefined && isChange && process.sessions.endsSoon(BOUND, token);
		if (isChange && (isEnding || token === undefined || !process.sessions.isFresh(BOUND, token))) {
			await this.read(process, held, isEnding ? token : undefined);
		}
		return isChange
			? await this.request(process, process.sessions.usable(BOUND, held) ?? '', undefined)
			: await this.read(process, held);
	}

	private async read(process: Process, held: string, replaced?: string): Promise<boolean> {
		const token =
			(replaced === undefined ? process.sessions.usable(BOUND, held) : undefined) ??
			(await this.renew(process, replaced ?? held));
		if (await this.request(process, token, URL)) return true;
		if (process.sessions.usable(BOUND, token) === token) return false;
		return await this.request(process, await this.renew(process, token), URL);
	}

	private async renew({ sessions }: Process, held: string): Promise<string> {
		const token = await sessions.renew(BOUND, held, async () => await this.signIn(), {
			isSuspicion: false,
		});
		this.saved = token ?? '';
		return this.saved;
	}

	private async signIn(): Promise<string> {
		this.signIns += 1;
		await settled();
		const dies = this.serviceTime() + this.lifetime;
		const token = jwt({ exp: dies / 1000, jti: this.signIns });
		this.alive.set(token, dies);
		return token;
	}

	private async request(
		{ sessions, refused }: Process,
		token: string,
		read: string | undefined,
	): Promise<boolean> {
		if (refused.has(token)) this.resent += 1;
		await settled();
		const isTaken = (this.alive.get(token) ?? 0) > this.serviceTime();
		if (isTaken) sessions.markTaken(BOUND, token, read ?? '');
		else {
			sessions.markRefused(BOUND, token, read);
			refused.add(token);
		}
		return isTaken;
	}

	private serviceTime(): number {
		return this.clock.now() - this.clock.ahead;
	}
}

class Process {
	readonly sessions: Sessions;
	readonly refused = new Set<string>();

	constructor({ clock }: Host) {
		this.sessions = new Sessions(clock);
	}
}

const LIFETIME = 60 * 60_000;
const bursts = fc.array(
	fc.record({
		after: fc.constantFrom(0, 1, 20_000, FRESH_MS - 1, FRESH_MS, LIFETIME - 1, LIFETIME),
		ahead: fc.constantFrom(0, 1_000, LIFETIME, 3e11, -1_000, -LIFETIME, -3e11),
		withdraw: fc.boolean(),
		calls: fc.array(fc.record({ isChange: fc.boolean(), process: fc.nat(1) }), {
			minLength: 1,
			maxLength: 12,
		}),
	}),
	{ minLength: 1, maxLength: 8 },
);

it('calls all succeed, whatever the clock says, with at most one sign-in a process where tokens end', async () => {
	await fc.assert(
		fc.asyncProperty(bursts, async (all) => {
			const host = new Host(LIFETIME);
			const processes = [new Process(host), new Process(host)];
			for (const { after, ahead, withdraw, calls } of all) {
				host.clock.pass(after);
				host.clock.ahead = ahead;
				/* A change that comes within five minutes may still be refused; reads never are. */
				const mayBeRefused = withdraw || after < FRESH_MS;
				if (withdraw) host.withdrawTokens();
				const before = host.signIns;
				const outcomes = await Promise.all(
					calls.map(async ({ isChange, process }) => {
						const [first = new Process(host)] = processes.slice(process);
						return (await host.call(first, isChange)) || (isChange && mayBeRefused);
					}),
				);
				expect(outcomes).toEqual(calls.map(() => true));
				expect(host.signIns - before).toBeLessThanOrEqual(2 * processes.length);
			}
			expect(host.resent).toBe(0);
		}),
		{ numRuns: runs(500) },
	);
});
