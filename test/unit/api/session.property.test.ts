import * as fc from 'fast-check';

import { LONGEST_WAIT, packSession, Sessions } from '../../../nodes/PayrollPayments/api/session';
import { runs } from '../../support/propertyRuns';
import { jwt, settled, TestClock } from './testClock';

/**
 * n8n with a service that has a clock of its own: n8n asks `tokenFor` before each request, `renew`
 * after a 401, and sends the request once more.
 */
class Host {
	readonly clock = new TestClock();
	readonly sessions = new Sessions(this.clock);
	refused = 0;
	signIns = 0;
	private saved = '';
	private issued = 0;
	private readonly alive = new Map<string, number>();

	constructor(private readonly lifetime: number) {}

	withdrawTokens(): void {
		this.alive.clear();
	}

	/** @param reports whether somebody tells what the service answered, as our own nodes do */
	async call(reports: boolean): Promise<boolean> {
		let token = this.saved;
		const renew = async (refused?: string) => {
			token = await this.sessions.renew('a', refused, async () => await this.signIn());
			this.saved = token;
		};
		if (token === '') await renew();
		token = await this.sessions.tokenFor('a', token);
		let isAccepted = await this.request(token);
		if (!isAccepted) {
			await renew(token);
			token = await this.sessions.tokenFor('a', token);
			isAccepted = await this.request(token);
		}
		if (reports) this.sessions.reportStatus(packSession('a', token), isAccepted ? 200 : 401);
		return isAccepted;
	}

	private async signIn(): Promise<string> {
		this.signIns += 1;
		this.issued += 1;
		await settled();
		const dies = this.clock.now() - this.clock.ahead + this.lifetime;
		const token = jwt({ exp: dies / 1000, jti: this.issued });
		this.alive.set(token, dies);
		return token;
	}

	private async request(token: string): Promise<boolean> {
		await settled();
		const isAccepted = (this.alive.get(token) ?? 0) > this.clock.now() - this.clock.ahead;
		if (!isAccepted) this.refused += 1;
		return isAccepted;
	}
}

describe('calls with any clock', () => {
	const LIFETIME = 60_000;
	const bursts = fc.array(
		fc.record({
			after: fc.constantFrom(0, 1, 20_000, LIFETIME - 1, LIFETIME, 3 * LIFETIME),
			ahead: fc.constantFrom(0, 1_000, LIFETIME, 3_600_000, -1_000, -3_600_000),
			withdraw: fc.boolean(),
			calls: fc.array(fc.boolean(), { minLength: 1, maxLength: 12 }),
		}),
		{ minLength: 1, maxLength: 6 },
	);

	async function burst(host: Host, calls: readonly boolean[]): Promise<boolean[]> {
		let isOver = false;
		const all = Promise.all(calls.map(async (reports) => await host.call(reports)));
		void all.then(() => (isOver = true));
		for (let round = 0; !isOver; round++) {
			if (round > 1_000) throw new Error('a call waits for ever');
			await settled();
			if (round % 100 === 99) host.clock.pass(LONGEST_WAIT);
		}
		return await all;
	}

	it('all succeed, with one sign-in at most where tokens die', async () => {
		await fc.assert(
			fc.asyncProperty(bursts, async (all) => {
				const host = new Host(LIFETIME);
				for (const { after, ahead, withdraw, calls } of all) {
					host.clock.pass(after);
					host.clock.ahead = ahead;
					if (withdraw) host.withdrawTokens();
					const before = host.signIns;
					expect(await burst(host, calls)).toEqual(calls.map(() => true));
					expect(host.signIns - before).toBeLessThanOrEqual(1);
				}
			}),
			{ numRuns: runs(500) },
		);
	});

	it('are refused once where the clock is right, however many there are', async () => {
		await fc.assert(
			fc.asyncProperty(bursts, async (all) => {
				const host = new Host(LIFETIME);
				for (const { after, calls } of all) {
					host.clock.pass(after);
					const before = host.refused;
					await burst(host, calls);
					expect(host.refused - before).toBeLessThanOrEqual(1);
				}
			}),
			{ numRuns: runs(500) },
		);
	});
});
