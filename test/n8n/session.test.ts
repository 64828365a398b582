import { createServer } from 'node:http';

import fc from 'fast-check';
import type {
	ICredentialDataDecryptedObject,
	IDataObject,
	IHttpRequestHelper,
	INode,
	INodeParameters,
} from 'n8n-workflow';

import { systemClock } from '../../nodes/PayrollPayments/api/clock';
import { SIGN_IN_PAUSE_MS } from '../../nodes/PayrollPayments/api/session';
import '../support/withoutPauses';
import { CONTINUE, runNode, SavedCredentials, sendRaw, testSaved } from '../support/actionHost';
import { listen } from '../support/httpServer';
import { FORMS } from '../support/operationForms';
import { PollHost } from '../support/pollHost';
import { runs } from '../support/propertyRuns';
import { newWallet, REFUSALS, useTokenService } from '../support/tokenService';

const MINUTE = 60_000;
const DAY = 24 * 60 * MINUTE;
const TEN_YEARS = 3_652 * DAY;

const service = useTokenService();

/** How far the stopwatch has gone beyond the real one, and how far the wall clock is off. */
let passed: number;
let clockAhead: number;

beforeEach(() => {
	passed = 0;
	clockAhead = 0;
	const elapsed = systemClock.elapsed.bind(systemClock);
	jest.spyOn(systemClock, 'elapsed').mockImplementation(() => elapsed() + passed);
	jest.spyOn(systemClock, 'now').mockImplementation(() => Date.now() + passed + clockAhead);
});

afterEach(() => {
	jest.restoreAllMocks();
});

const wallet = () => newWallet(service.url);
const balanceUrl = () => `${service.url}/v2/balance?nanoid=te-a1B2c3D4e5F6`;

/** As many reads as asked for, in one execution of the action node. */
async function call(saved: SavedCredentials, calls = 1) {
	const parameters = { ...FORMS.getBalance, options: { concurrency: 50, retries: 0 } };
	return await runNode(saved, parameters, { items: Array.from({ length: calls }, () => ({})) });
}

/** One change. */
async function invite(saved: SavedCredentials) {
	return await runNode(saved, INVITE, { items: PEOPLE.slice(0, 1) });
}

/** The same reads as n8n's HTTP Request node makes them. */
async function callPlainly(saved: SavedCredentials, calls = 1) {
	const request = { method: 'GET', uri: balanceUrl(), json: true };
	return await sendRaw(saved, 'requestWithAuthentication', request, calls);
}

/** A call of another community node, with n8n's newer request function. */
const callNewly = async (saved: SavedCredentials) =>
	await sendRaw(saved, 'httpRequestWithAuthentication', { method: 'GET', url: balanceUrl() });

/** A wallet with a token. What came so far isn't counted. */
async function signedIn(send: (saved: SavedCredentials) => Promise<unknown> = call) {
	const saved = wallet();
	await send(saved);
	service.tokens.counts();
	return saved;
}

async function poll(saved: SavedCredentials) {
	const n8n = new PollHost(saved, { event: 'balanceChanged', entityId: 'te-a1B2c3D4e5F6' });
	const error = await n8n.activate('activate').then(
		() => undefined,
		(reason: unknown) => reason,
	);
	return { error };
}

const EVERYWHERE = [
	['the action node', call],
	['the polling trigger', poll],
	['n8n’s HTTP Request node', callPlainly],
	['another node', callNewly],
] as const;

describe('a token', () => {
	it('serves every call until the service refuses it, whatever it says of its end', async () => {
		service.tokens.claims = () => ({ exp: Math.floor(Date.now() / 1000) + 3_600 });
		const saved = wallet();
		for (const ahead of [0, TEN_YEARS, -TEN_YEARS]) {
			clockAhead = ahead;
			for (const [, send] of EVERYWHERE) expect((await send(saved)).error).toBeUndefined();
		}
		expect(service.tokens.counts()).toEqual({ accepted: 12, refused: 0, signIns: 1 });
	});

	it.each([call, callPlainly])(
		'that has ended costs 200 calls at once one sign-in: %p',
		async (send) => {
			const saved = await signedIn(send);
			service.tokens.endTokens();
			const { output, error } = await send(saved, 200);
			expect(error).toBeUndefined();
			expect(output).toHaveLength(200);
			const { accepted, refused, signIns } = service.tokens.counts();
			expect([accepted, signIns, refused <= 200]).toEqual([200, 1, true]);
			expect((await send(saved)).error).toBeUndefined();
			expect(service.tokens.counts()).toEqual({ accepted: 1, refused: 0, signIns: 0 });
		},
	);

	it.each(REFUSALS)(
		'that has ended is replaced, though the service says %d to it',
		async (refusal) => {
			Object.assign(service.tokens, { refusal });
			for (const [, send] of EVERYWHERE) {
				const saved = await signedIn(send);
				service.tokens.endTokens();
				passed += 5 * MINUTE;
				/* n8n takes 200 for a success, and asks for a new token after a 401 only. */
				const isLeftAlone =
					send === callNewly ? refusal !== 401 : send === callPlainly && refusal === 200;
				if (isLeftAlone) continue;
				expect((await send(saved)).error).toBeUndefined();
				expect(service.tokens.counts()).toEqual({ accepted: 1, refused: 1, signIns: 1 });
			}
		},
	);

	it.each<[status: number, body: unknown]>([
		...REFUSALS.map<[number, object]>((status) => [status, { success: false, data: 'Ended' }]),
		[200, { success: false }],
		[200, { success: false, data: null }],
		[200, '<title>Log in</title>'],
		[302, ''],
		[419, { message: 'Session expired' }],
	])(
		'that has ended is replaced before a change, though the service says %d %j to it',
		async (refusal, body) => {
			Object.assign(service.tokens, { refusal, refusalBody: body });
			const saved = await signedIn();
			service.tokens.endTokens();
			passed += 5 * MINUTE;
			expect((await invite(saved)).error).toBeUndefined();
			expect(service.tokens.counts()).toEqual({ accepted: 2, refused: 1, signIns: 1 });
		},
	);

	it.each(EVERYWHERE)(
		'of another platform is replaced before anything is sent in %s',
		async (_name, send) => {
			service.tokens.refusal = 403;
			const saved = await signedIn(send);
			saved.data = { ...saved.data, platformId: 'another platform' };
			service.tokens.endTokens();
			expect((await send(saved)).error).toBeUndefined();
			expect(service.tokens.counts()).toEqual({ accepted: 1, refused: 0, signIns: 1 });
		},
	);

	it('that ends at any time costs one or two sign-ins, and only a change that comes within five minutes', async () => {
		const bursts = fc.array(
			fc.record({
				after: fc.constantFrom(0, MINUTE, 4 * MINUTE, 5 * MINUTE, DAY),
				ahead: fc.constantFrom(0, MINUTE, TEN_YEARS, -MINUTE, -TEN_YEARS),
				ends: fc.boolean(),
				sends: fc.array(fc.constantFrom(call, poll, invite), { minLength: 1, maxLength: 3 }),
			}),
			{ minLength: 6, maxLength: 8 },
		);
		service.tokens.claims = () => ({ exp: Math.floor(Date.now() + passed) / 1000 + 3_600 });
		await fc.assert(
			fc.asyncProperty(bursts, async (all) => {
				const saved = wallet();
				for (const { after, ahead, ends, sends } of all) {
					passed += after;
					clockAhead = ahead;
					if (ends) service.tokens.endTokens();
					service.tokens.counts();
					const results = await Promise.all(sends.map(async (send) => await send(saved)));
					const failed = sends.filter((_, at) => results[at]?.error !== undefined);
					expect(failed.filter((send) => send !== invite || !ends || after >= 5 * MINUTE)).toEqual(
						[],
					);
					const { signIns, refused } = service.tokens.counts();
					expect([signIns <= 2, refused <= sends.length]).toEqual([true, true]);
				}
			}),
			{ numRuns: runs(5), endOnFailure: true },
		);
	});

	it('that the HTTP Request node’s Never Error keeps is replaced by the action node', async () => {
		const neverError = { method: 'GET', simple: false, resolveWithFullResponse: true };
		const send = async () =>
			await sendRaw(saved, 'requestWithAuthentication', { ...neverError, uri: balanceUrl() });
		const saved = await signedIn();
		service.tokens.endTokens();
		await send();
		expect(service.tokens.counts()).toEqual({ accepted: 0, refused: 1, signIns: 0 });
		expect((await call(saved)).error).toBeUndefined();
		service.tokens.counts();
		await send();
		expect(service.tokens.counts()).toEqual({ accepted: 1, refused: 0, signIns: 0 });
	});
});

describe('a refusal that no token helps', () => {
	it.each([
		...REFUSALS.map((ban) => [ban, call, [ban === 401 ? 1 : 0, 1, 1]] as const),
		...[401, 404].map((ban) => [ban, callPlainly, [1, 1]] as const),
	])('costs one sign-in every five minutes: %d in %p', async (ban, send, rounds) => {
		const saved = await signedIn(send);
		service.tokens.ban = ban;
		for (const signIns of rounds) {
			for (let time = 0; time < 3; time++) {
				expect(JSON.stringify((await send(saved)).error)).toContain('Not for you');
			}
			expect(service.tokens.counts()).toMatchObject({ accepted: 3 + signIns, refused: 0, signIns });
			passed += 5 * MINUTE;
		}
	});

	it('costs one sign-in for a list of different requests, though each is a 401', async () => {
		const saved = await signedIn();
		service.tokens.ban = 401;
		const items = Array.from({ length: 9 }, (_, index) => ({ id: `te-00000000000${index}` }));
		const form = { ...FORMS.getBalance, entityId: '={{ $json.id }}', options: { concurrency: 1 } };
		const { output } = await runNode(saved, form, { ...CONTINUE, items });
		expect(output).toHaveLength(9);
		for (const { json } of output) expect(json.error).toContain('Not for you');
		expect(service.tokens.counts()).toEqual({ accepted: 10, refused: 0, signIns: 1 });
	});

	it('leaves the token to other calls, changes included, though it is a 401', async () => {
		const saved = wallet();
		service.tokens.bans = (path) => path === '/v2/balance';
		service.tokens.ban = 401;
		expect((await call(saved)).error?.message).toContain('Not for you');
		service.tokens.counts();
		for (let time = 0; time < 3; time++) {
			expect((await invite(saved)).error).toBeUndefined();
			passed += 5 * MINUTE;
		}
		expect(service.tokens.counts()).toMatchObject({ refused: 0, signIns: 2 });
	});
});

describe('a sign-in that fails', () => {
	it('is repeated after 30 seconds, whatever the clock says, or at once with other credentials', async () => {
		const saved = wallet();
		service.tokens.signInFault = { status: 403, body: { success: false, data: 'No role' } };
		const failures = async () => {
			const before = service.requests.length;
			for (const [, send] of EVERYWHERE) {
				expect(JSON.stringify((await send(saved)).error)).toContain('No role');
			}
			return service.requests.length - before;
		};
		expect(await failures()).toBe(1);
		for (const ahead of [TEN_YEARS, -TEN_YEARS, 0]) {
			clockAhead = ahead;
			passed += 8_000;
			expect(await failures()).toBe(0);
		}
		saved.data = { ...saved.data, platformId: 'another platform' };
		expect(await failures()).toBe(1);
		passed += SIGN_IN_PAUSE_MS;
		expect(await failures()).toBe(1);
		expect(SIGN_IN_PAUSE_MS).toBe(30_000);
	});

	it('doesn’t hide what the service refused before', async () => {
		const saved = await signedIn();
		Object.assign(service.tokens, { ban: 403, signInFault: { status: 500, body: {} } });
		passed += 5 * MINUTE;
		const { error } = await call(saved);
		expect(error?.message).toMatch(/Sign-in failed.*\. Before that: .*Not for you/);
	});

	it.each([
		['example.com', false],
		['*.127.0.0.1', false],
		['example.com, 127.0.0.1', true],
	])(
		'for Allowed Domains “%s” says so, and fails no other credentials',
		async (list, isAllowed) => {
			const saved = wallet();
			const restricted = new SavedCredentials({
				...saved.data,
				...{ allowedHttpRequestDomains: 'domains', allowedDomains: list },
			});
			const said =
				'Allowed Domains in the credentials leave out 127.0.0.1, the host of the Base URL';
			const { status, message } = await testSaved(restricted);
			expect([status, message.startsWith(said)]).toEqual(
				isAllowed ? ['OK', false] : ['Error', true],
			);
			for (const [, send] of EVERYWHERE) {
				const { error } = await send(restricted);
				expect(JSON.stringify(error ?? '').includes(said)).toBe(!isAllowed);
			}
			expect((await call(saved)).error).toBeUndefined();
		},
	);
});

const AUTHORIZATION = String(FORMS.createInstantPayment.typedData);
const PAYMENTS = Array.from({ length: 8 }, (_, index) => ({
	typedData: AUTHORIZATION.replace('"salt":"1"', `"salt":"${index + 1}"`),
}));
const PAY: INodeParameters = { ...FORMS.createInstantPayment, typedData: '={{ $json.typedData }}' };
const INVITE: INodeParameters = {
	...FORMS.createInvites,
	inviteesJson: '={{ JSON.stringify([{ email: $json.email }]) }}',
};
const PEOPLE = Array.from({ length: 12 }, (_, index) => ({ email: `person${index}@example.com` }));

const writes = () =>
	service.requests.filter(({ method, path }) => method !== 'GET' && !path.includes('auth'));

/** Ends all tokens after so many changes, when so much time has passed. */
function endAfter(count: number, milliseconds: number): void {
	service.tokens.after = () => {
		if (writes().length < count) return;
		passed += milliseconds;
		service.tokens.endTokens();
		service.tokens.after = () => {};
	};
}

describe('before a change', () => {
	it.each<[string, INodeParameters, IDataObject[], number]>([
		['eight payments', PAY, PAYMENTS, 3],
		['twelve invites', INVITE, PEOPLE, 5],
	])('in the middle of a run of %s, too', async (_what, parameters, items, count) => {
		service.tokens.claims = () => ({ exp: Math.floor(systemClock.now() / 1000) + 3_600 });
		endAfter(count, 59.5 * MINUTE);
		const { output, error } = await runNode(wallet(), parameters, { items });
		expect(error).toBeUndefined();
		expect(output).toHaveLength(items.length);
		expect(service.tokens.counts()).toMatchObject({ refused: 0, signIns: 2 });
	});

	it('six changes at once cost one read', async () => {
		const saved = await signedIn();
		passed += 5 * MINUTE;
		const parameters = { ...INVITE, options: { concurrency: 6 } };
		const { error } = await runNode(saved, parameters, { items: PEOPLE.slice(0, 6) });
		expect(error).toBeUndefined();
		expect(service.tokens.counts()).toEqual({ accepted: 7, refused: 0, signIns: 0 });
	});

	it.each([TEN_YEARS, -TEN_YEARS])(
		'a clock that is %d ms ahead costs reads and sign-ins only',
		async (ahead) => {
			service.tokens.claims = () => ({ exp: Math.floor(Date.now() / 1000) + 3_600 });
			const saved = await signedIn();
			clockAhead = ahead;
			for (const signInFault of [undefined, { status: 400, body: '' }]) {
				Object.assign(service.tokens, { signInFault });
				for (const minutes of [0, 6, 12, 13]) {
					passed += minutes * MINUTE;
					service.tokens.counts();
					expect((await runNode(saved, FORMS.createInvites)).error).toBeUndefined();
					const { signIns, refused } = service.tokens.counts();
					expect([signIns <= 1, refused]).toEqual([true, 0]);
				}
			}
		},
	);

	it('a service that cuts connections is asked as often before three changes as before one', async () => {
		let connections = 0;
		const server = createServer().on('connection', (socket) => {
			connections += 1;
			socket.destroy();
		});
		const { url, stop } = await listen(server);
		const saved = newWallet(url, { authentication: 'accessToken', accessToken: 'a.b.c' });
		const connectionsFor = async (count: number) => {
			const before = connections;
			const { output } = await runNode(saved, INVITE, {
				items: PEOPLE.slice(0, count),
				...CONTINUE,
			});
			expect(output.map(({ json }) => json.outcome)).toEqual(Array(count).fill('refused'));
			for (const { json } of output) {
				expect(json.error).toContain('The token couldn’t be checked. No response');
				expect(json.hint).toContain('Nothing was signed or sent.');
			}
			return connections - before;
		};
		const once = await connectionsFor(1);
		expect(once).toBeGreaterThan(0);
		expect(await connectionsFor(3)).toBe(once);
		await stop();
	});

	it('an access token that the service refuses costs the change, and nothing is sent', async () => {
		const saved = newWallet(service.url, { authentication: 'accessToken', accessToken: 'a.b.c' });
		const { error } = await runNode(saved, FORMS.createInvites);
		expect(error?.message).toContain('The token has ended');
		expect(writes()).toEqual([]);
	});
});

describe('a change that gets a 401', () => {
	/** Refuses so many changes, with a token that the service gave a minute ago. */
	const refusing = async (body: unknown, changes = 1) => {
		const saved = await signedIn();
		passed += MINUTE;
		const answer = service.tokens.answer.bind(service.tokens);
		service.tokens.answer = (request) =>
			request.path === '/v2/invites' && writes().length <= changes
				? { status: 401, body }
				: answer(request);
		return saved;
	};

	it.each([
		['in the envelope is refused', { success: false, data: 'No' }, 'refused'],
		['without it has an unknown outcome', '<html>', 'unknown'],
	])('%s: what follows signs in first', async (_what, body, outcome) => {
		const saved = await refusing(body);
		const { output } = await runNode(saved, INVITE, { items: PEOPLE.slice(0, 2), ...CONTINUE });
		expect(output.map(({ json }) => json.outcome)).toEqual([outcome, undefined]);
		expect(service.tokens.counts()).toMatchObject({ refused: 0, signIns: 1 });
		expect(writes()).toHaveLength(2);
	});

	it.each([0, 400, 403])(
		'costs one sign-in a minute, also where reads are refused: %d',
		async (ban) => {
			const saved = await refusing({ success: false, data: 'No' }, PEOPLE.length);
			Object.assign(service.tokens, { ban, bans: (path: string) => path === '/v2/balance' });
			const { output } = await runNode(saved, INVITE, { items: PEOPLE, ...CONTINUE });
			expect(output.map(({ json }) => json.outcome)).toEqual(PEOPLE.map(() => 'refused'));
			expect(service.tokens.counts()).toMatchObject({ refused: 0, signIns: 1 });
			expect(writes()).toHaveLength(PEOPLE.length);
			service.tokens.endTokens();
			expect((await invite(saved)).error).toBeUndefined();
			expect(service.tokens.counts()).toMatchObject({ refused: 1, signIns: 1 });
		},
	);

	const invitePlainly = async (saved: SavedCredentials) =>
		await sendRaw(saved, 'requestWithAuthentication', {
			...{ method: 'POST', body: '{}', uri: `${service.url}/v2/invites` },
		});

	it('isn’t sent again with an access token either', async () => {
		await invitePlainly(
			newWallet(service.url, { authentication: 'accessToken', accessToken: 'a.b.c' }),
		);
		expect(writes()).toHaveLength(1);
		expect(service.tokens.counts()).toEqual({ accepted: 0, refused: 1, signIns: 0 });
	});

	it('has the next change of another node sign in first', async () => {
		const saved = await refusing({ success: false, data: 'No' });
		await invite(saved);
		expect((await invitePlainly(saved)).error).toBeUndefined();
		expect(writes()).toHaveLength(2);
		expect(service.tokens.counts()).toMatchObject({ refused: 0, signIns: 1 });
	});

	it.each([
		['requestWithAuthentication', undefined, 1],
		['httpRequestWithAuthentication', undefined, 1],
		['requestWithAuthentication', -1, 0],
		['httpRequestWithAuthentication', -1, 0],
	] as const)('of another node doesn’t stay locked out: %s, %p', async (via, exp, failures) => {
		service.tokens.claims = () => (exp === undefined ? {} : { exp });
		const saved = await signedIn();
		const { data } = saved;
		for (const send of [call, () => (saved.data = data)]) {
			service.tokens.endTokens();
			passed += 5 * MINUTE;
			await send(saved);
		}
		service.tokens.counts();
		const url = `${service.url}/v2/invites`;
		const errors = new Array<unknown>();
		for (let day = 0; day < 3; day++) {
			errors.push((await sendRaw(saved, via, { method: 'POST', body: '{}', url })).error);
		}
		expect(errors.filter(Boolean)).toHaveLength(failures);
		/* The HTTP Request node keeps what the service said. */
		if (via === 'requestWithAuthentication') {
			expect(errors.map((error) => Object(error).message).join('')).not.toContain(
				'isn’t sent again',
			);
		}
		expect(service.tokens.counts()).toMatchObject({ refused: failures, signIns: 1 });
	});

	it('goes on with a token that may still work if nobody can sign in', async () => {
		service.tokens.claims = () => ({ exp: 1 });
		const saved = await signedIn();
		passed += 5 * MINUTE;
		service.tokens.signInFault = { status: 500, body: {} };
		expect((await invitePlainly(saved)).error).toBeUndefined();
		service.tokens.signInFault = { status: 403, body: { success: false, data: 'No role' } };
		passed += 5 * MINUTE;
		expect((await invitePlainly(saved)).error?.message).toContain('No role');
	});

	it('costs no sign-in where it may not leave n8n at all', async () => {
		const saved = await signedIn();
		const options = { method: 'GET', uri: 'http://127.0.0.1:1/v2/balance' };
		expect((await sendRaw(saved, 'requestWithAuthentication', options)).error).toBeDefined();
		expect(service.tokens.counts()).toMatchObject({ signIns: 0 });
	});
});

/** n8n saves a new token in its database (credentials-helper.js), which fails as often as said. */
class Unsavable extends SavedCredentials {
	fails = 0;

	override async preAuthentication(
		helpers: IHttpRequestHelper,
		credentials: ICredentialDataDecryptedObject,
		type: string,
		node: INode,
		isExpired: boolean,
	) {
		const { data } = this;
		const { sessionToken = '' } = credentials;
		const answer = await super.preAuthentication(helpers, credentials, type, node, isExpired);
		if (answer === undefined || this.fails === 0) return answer;
		this.fails -= 1;
		Object.assign(credentials, { sessionToken });
		this.data = data;
		throw new Error('SQLITE_BUSY: database is locked');
	}
}

it('a change for which n8n could not save the token was not sent, and says so', async () => {
	const saved = new Unsavable(wallet().data);
	saved.fails = 2;
	await call(saved);
	saved.fails = 1;
	const { output } = await runNode(saved, INVITE, { ...CONTINUE, items: PEOPLE.slice(0, 1) });
	expect(service.requests.filter(({ path }) => path === '/v2/invites')).toEqual([]);
	expect(output).toMatchObject([{ json: { outcome: 'refused' } }]);
});
