import { createServer, type ServerResponse } from 'node:http';

import type { INodeParameters } from 'n8n-workflow';

import '../support/withoutPauses';
import { CONTINUE, runNode, testSaved, TWICE } from '../support/actionHost';
import { useEchoService } from '../support/echoService';
import { listen } from '../support/httpServer';
import { FORMS, withAccessToken } from '../support/operationForms';
import { PollHost } from '../support/pollHost';
import { newWallet } from '../support/tokenService';

/** Megabytes that a sender gets rid of at most: what is read, and what the kernel keeps. */
const MOST_SENT = 128;

const service = useEchoService();

const credentials = () => withAccessToken(service.url);

const deep = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`;

describe('an answer that is nested deeper than n8n can save', () => {
	it.each([101, 100_000])(
		'is refused, and a write may have been done: %d levels',
		async (levels) => {
			service.answer(() => ({
				body: `{"success":true,"data":{"platform_account_address":"0x","balances":[],"nanoids":[],"more":${deep(levels)}}}`,
			}));
			const message = 'The response is nested deeper than 100 levels [item 0]';
			expect((await runNode(credentials(), FORMS.getBalance)).error).toMatchObject({ message });
			expect((await runNode(credentials(), FORMS.createInvites)).error).toMatchObject({
				message,
				description: expect.stringContaining('may have succeeded anyway'),
			});
			expect(service.requests).toHaveLength(2);
		},
	);

	it('is taken up to 100 levels, and in full', async () => {
		service.answer(() => ({ body: `{"success":true,"data":{"nanoids":[],"more":${deep(100)}}}` }));
		const { output } = await runNode(credentials(), FORMS.createInvites);
		expect(JSON.stringify(output[0]?.json.more)).toBe(deep(100));
	});
});

const BODIES: Array<[string, string]> = [
	['nested deeply', `{"success":false,"data":"no","more":${deep(3_000)}}`],
	['nested more deeply', `{"success":false,"data":${deep(100_000)}}`],
	['with one endless word', `{"success":false,"data":"${'b'.repeat(8_000_000)}"}`],
	/* To tell of each entry would take gigabytes. */
	['with an endless list', `{"success":false,"data":[${'0,'.repeat(3_000_000)}0]}`],
];

it.each(BODIES)(
	'a failure that can’t be read, %s, leaves the outcome of a change unknown, and is told with its status',
	async (_, body) => {
		service.answer(({ method }) =>
			method === 'GET'
				? { body: { success: true, data: { platform_account_address: '0x', balances: [] } } }
				: { status: 500, body },
		);
		const { output } = await runNode(credentials(), FORMS.createInvites, CONTINUE);
		expect(output[0]?.json).toMatchObject({ outcome: 'unknown', http_status: 500 });
		expect(output[0]?.json.hint).not.toContain('Nothing was');
		await runNode(credentials(), FORMS.createAdministratorInvites, { node: TWICE });
		expect(service.requests.filter(({ path }) => path.includes('manager'))).toHaveLength(1);

		service.answer(() => ({ status: 404, body }));
		const { error } = await runNode(credentials(), FORMS.getBalance);
		expect(error?.message).toBe('Unexpected response (HTTP 404) [item 0]');
		expect((await testSaved(credentials())).message).toContain('Unexpected response (HTTP 404)');
	},
);

it('a balance of endless digits isn’t grouped, and is none', async () => {
	const balances = [{ currency: 'USD', balance_cents: '9'.repeat(2_000_000) }];
	service.answer(() => ({
		body: { success: true, data: { platform_account_address: '0x1', balances } },
	}));
	const options = { checkOnly: true, checkOutput: 'run' };
	const { output } = await runNode(credentials(), { ...FORMS.createInstantPayment, options });
	expect(output[0]?.json).toMatchObject({ check: 'passed', balance: null, balance_after: null });
});

const MEGABYTE = Buffer.alloc(1024 * 1024, 0x20);

/** Sends a byte now and then, for ever. */
function trickle(response: ServerResponse): void {
	const timer = setInterval(() => response.write(' '), 20);
	response.on('close', () => clearInterval(timer));
}

/** Sends as much as is taken, for ever. */
function pour(response: ServerResponse): void {
	while (response.write(MEGABYTE)) sent += MEGABYTE.length;
	sent += MEGABYTE.length;
	response.once('drain', () => pour(response));
}

let sent = 0;
let reads: 'answered' | 'endless' = 'endless';
let url: string;
let send: (response: ServerResponse) => void;

beforeAll(async () => {
	const server = createServer(({ method }, response) => {
		response.writeHead(200, { 'content-type': 'application/json' });
		if (method === 'GET' && reads === 'answered') {
			response.end('{"success":true,"data":{"platform_account_address":"0x1","balances":[]}}');
		} else send(response);
	});
	({ url } = await listen(server));
});

const once = (parameters: INodeParameters, options: INodeParameters) => ({
	...parameters,
	options: { ...options, ...(parameters.operation === 'get' ? { retries: 0 } : {}) },
});

describe('an answer whose body trickles', () => {
	beforeEach(() => {
		send = trickle;
	});

	it.each([
		['a read', FORMS.getBalance, 'refused'],
		['a write', FORMS.createInvites, 'unknown'],
		['a payment', FORMS.createInstantPayment, 'unknown'],
	])('ends %s with its timeout', async (_what, form, outcome) => {
		reads = outcome === 'unknown' ? 'answered' : 'endless';
		const { output } = await runNode(withAccessToken(url), once(form, { timeout: 1_000 }), {
			node: { onError: 'continueRegularOutput' },
		});
		expect(String(output[0]?.json.error)).toContain('it took too long to respond');
		if (outcome === 'unknown') expect(output[0]?.json.outcome).toBe(outcome);
	});

	it('ends sign-ins, polls and credential tests, too', async () => {
		reads = 'endless';
		const timeout = AbortSignal.timeout.bind(AbortSignal);
		jest.spyOn(AbortSignal, 'timeout').mockImplementation((ms) => timeout(ms / 100));
		const slow = 'it took too long to respond';
		const wallet = newWallet(url);
		expect((await runNode(wallet, FORMS.getBalance)).error?.message).toContain(slow);
		expect((await testSaved(wallet)).message).toContain(slow);
		expect((await testSaved(withAccessToken(url))).message).toContain(slow);
		const parameters = { event: 'balanceChanged', entityId: 'te-a1B2c3D4e5F6' };
		const poll = new PollHost(withAccessToken(url), parameters).activate('activate');
		await expect(poll).rejects.toThrow(slow);
		jest.restoreAllMocks();
	});
});

describe('an answer without an end', () => {
	beforeEach(() => {
		send = pour;
		sent = 0;
	});

	it.each([
		['a read', FORMS.getBalance, 'endless'],
		['a write', FORMS.createInvites, 'answered'],
	] as const)('is given up after 64 MB: %s', async (_what, form, how) => {
		reads = how;
		const { error } = await runNode(withAccessToken(url), once(form, {}));
		expect(error?.message).toContain('more than 64 MB');
		expect(sent / MEGABYTE.length).toBeLessThan(MOST_SENT);
		if (how === 'answered') expect(error?.description).toContain('may have succeeded anyway');
	});

	it('is given up by credential tests, too', async () => {
		reads = 'endless';
		expect((await testSaved(withAccessToken(url))).message).toContain('more than 64 MB');
		expect(sent / MEGABYTE.length).toBeLessThan(MOST_SENT);
	});
});
