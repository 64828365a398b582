import fc from 'fast-check';

import { PayrollPaymentsApi } from '../../../credentials/PayrollPaymentsApi.credentials';
import { runs } from '../../support/propertyRuns';

import { asOptions } from './httpRequestShapes';
import { casesFor, faultIn, isRestricted } from './requestJudge';

it('no request goes out that some server may take for a write without its permission or beyond a limit', async () => {
	const api = new PayrollPaymentsApi();
	const passed = { reads: 0, writes: 0, payments: 0 };
	await fc.assert(
		fc.asyncProperty(casesFor('https://api.example.com'), async (drawn) => {
			const sent = await api
				.authenticate(drawn.saved, asOptions(drawn.given))
				.catch(() => undefined);
			if (sent === undefined) return;
			expect(faultIn(drawn, sent)).toBeUndefined();
			if (!isRestricted(drawn)) return;
			if (sent.method === 'GET') passed.reads += 1;
			else if (String(sent.url).endsWith('/instant')) passed.payments += 1;
			else passed.writes += 1;
		}),
		{ numRuns: runs(40_000) },
	);
	/* The policy is not simply closed: under limits, requests of every kind went out. */
	expect(Math.min(passed.reads, passed.writes, passed.payments)).toBeGreaterThan(0);
});

it('whatever the options hold, they are refused or sent to the origin of the base URL with the token', async () => {
	const api = new PayrollPaymentsApi();
	let passed = 0;
	const anything = fc.oneof(
		{ weight: 4, arbitrary: fc.constantFrom(undefined, null, '') },
		{
			weight: 1,
			arbitrary: fc.anything({ withBigInt: true, withDate: true, withNullPrototype: true }),
		},
	);
	const options = fc.record(
		{
			method: fc.oneof(fc.constantFrom('GET', 'PUT'), anything),
			url: fc.oneof(
				{ weight: 5, arbitrary: fc.constant('https://api.example.com/v2/invites') },
				anything,
			),
			uri: anything,
			baseURL: anything,
			headers: anything,
			body: anything,
			qs: anything,
			form: anything,
			formData: anything,
			proxy: anything,
			agentOptions: anything,
			rejectUnauthorized: fc.oneof(fc.constant(true), anything),
		},
		{ requiredKeys: ['url'] },
	);
	await fc.assert(
		fc.asyncProperty(options, async (given) => {
			const saved = {
				baseUrl: 'https://api.example.com',
				authentication: 'accessToken',
				accessToken: 'a.b.c',
				permissions: [],
			};
			const sent = await api.authenticate(saved, asOptions(given)).catch(() => undefined);
			if (sent === undefined) return;
			expect(new URL(sent.url).origin).toBe('https://api.example.com');
			expect(sent).toMatchObject({ method: 'GET', headers: { authorization: 'Bearer a.b.c' } });
			expect(sent.body).toBeUndefined();
			passed += 1;
		}),
		{ numRuns: runs(2_000) },
	);
	expect(passed).toBeGreaterThan(0);
});
