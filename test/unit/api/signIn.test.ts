import { Wallet as Judge } from 'ethers';

import type { HttpAnswer, HttpRequest } from '../../../nodes/PayrollPayments/shared/http';
import {
	readCredentials,
	type WalletCredentials,
} from '../../../nodes/PayrollPayments/api/credentials';
import { signIn } from '../../../nodes/PayrollPayments/api/signIn';
import { stoppedError } from '../../../nodes/PayrollPayments/shared/errors';
import '../../support/withoutPauses';
import { refusalFrom } from '../../support/refusals';
import { address, MESSAGE as siwe, now, privateKey } from '../signing/genuineMessage';

const baseUrl = 'https://api.payroll.example';
const remote = {
	signer: 'remoteSigner',
	remoteSignerUrl: 'https://signer.example/',
	walletAddress: address,
};
const jwt = 'eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJwYXlyb2xsIn0.c2lnbmF0dXJl';

function credentials(change: object): WalletCredentials {
	const read = readCredentials({ baseUrl, platformId: 'platform', privateKey, ...change });
	if (read.authentication !== 'walletSignIn') throw new Error('not a wallet');
	return read;
}

const answer = (status: number, body: unknown): HttpAnswer => ({
	status,
	headers: {},
	body: typeof body === 'string' ? body : JSON.stringify(body),
});
const success = (data: unknown): HttpAnswer => answer(200, { success: true, data });
const failure = (status: number, data: string, error_code?: string): HttpAnswer =>
	answer(status, { success: false, data, error_code });

/** A service that gives the answers in order, and what happened at it and at the wallet. */
function serviceAnswering(...answers: HttpAnswer[]) {
	const requests: HttpRequest[] = [];
	const attempt = async (more: object, isWanted?: () => boolean) =>
		await signIn(
			credentials(more),
			async (request) => {
				const next = answers[requests.length];
				requests.push(request);
				if (next === undefined) throw new Error('one request too many');
				return next;
			},
			undefined,
			{ now: () => now, isWanted },
		);
	const refusal = async (more = {}, isWanted?: () => boolean) =>
		await refusalFrom(attempt(more, isWanted));
	return { requests, refusal };
}

describe('signing in', () => {
	it.each<[string, 'the Base URL' | 'the signer' | undefined, object?]>([
		['', 'the Base URL'],
		['payroll.example', 'the Base URL'],
		['*.api.payroll.example', 'the Base URL'],
		['API.payroll.example', undefined],
		['other.example,*.payroll.example', undefined],
		['*.payroll.example', 'the signer', remote],
		['*.payroll.example, signer.example', undefined, remote],
	])('with Allowed Domains “%s” lacks %s', async (allowedDomains, what, more = {}) => {
		const service = serviceAnswering(answer(400, ''));
		const list = { allowedHttpRequestDomains: 'domains', allowedDomains };
		const { message, hint } = await service.refusal({ ...list, ...more });
		if (what !== undefined) expect(hint).toMatch(/Add it to that list/);
		expect(/leave out (\S+), the host of (.*)$/.exec(message)?.[2]).toBe(what);
		expect(service.requests).toHaveLength(what === undefined ? 1 : 0);
	});

	it('says that a person may have been asked in vain', async () => {
		const service = serviceAnswering(success({ siwe }), answer(200, { error: { code: 4001 } }));
		expect((await service.refusal(remote)).context.wasAsked).toBe(true);
		const result = await new Judge(privateKey).signMessage(siwe);
		const confirmed = answer(200, { jsonrpc: '2.0', id: 1, result });
		for (const unusable of [failure(500, 'No'), success({ jwt: 'x'.repeat(9_000) })]) {
			const later = serviceAnswering(success({ siwe }), confirmed, unusable);
			expect((await later.refusal(remote)).context.wasAsked).toBe(true);
			expect(later.requests).toHaveLength(3);
		}
	});

	const REFUSED = /^Sign-in failed \(HTTP 400\)\. The service refused: bad wallet.*BAD_WALLET/;
	const WRONG_SETTING = /Platform ID, the wallet and the Base URL/;
	const NO_ROLE = /role on this Platform ID.*viewer/s;
	const LATER = /^Rate limit reached\. Try again in a minute\.$/;
	const NO_REDIRECTS = /doesn’t follow redirects.*Base URL/;
	const CHECK_URL = /Check the Base URL in the credentials\.$/;
	const contradiction = answer(401, { success: true, data: { siwe } });

	type Row = [what: string, HttpAnswer, message: RegExp, hint?: RegExp];
	const TO_THE_FIRST: Row[] = [
		['a refusal', failure(400, 'bad wallet', 'BAD_WALLET'), REFUSED, WRONG_SETTING],
		['a refusal with status 200', failure(200, 'No'), /^Sign-in failed\. The service refused: No/],
		['a refusal without words', failure(400, ''), /no reason given/],
		['a refusal with 401, as without a role', failure(401, 'No'), /No/, NO_ROLE],
		['a refusal with 403, as without a role', failure(403, 'No'), /No/, NO_ROLE],
		['a refusal with 404', failure(404, 'No'), /No/, /doesn’t know this Platform ID/],
		['the 404 of another server', answer(404, '<html>'), /HTTP 404/, CHECK_URL],
		['a page with 403', answer(403, '<html>'), /HTTP 403/, /role.*proxy may have answered/],
		['a page with 400', answer(400, '<html>'), /HTTP 400/, /^A proxy may have answered/],
		['a defect', failure(500, 'No'), /No/, /isn’t working properly/],
		[
			'a redirect',
			{ ...answer(301, ''), headers: { location: 'https://x.example/?a=b' } },
			/redirect to https:\/\/x\.example \(HTTP 301\)$/,
			NO_REDIRECTS,
		],
		[
			'a redirect whose host has the key where it’s cut',
			{ ...answer(301, ''), headers: { location: `https://${'a'.repeat(50)}.${privateKey}.x` } },
			/redirect to https:\/\/a{50}\.\[…\]\.x /,
		],
		['the last redirect', answer(399, ''), /redirect/, NO_REDIRECTS],
		['a web page', answer(200, '<html>'), /Unexpected response/, CHECK_URL],
		['10 MB', success({ siwe: 'x'.repeat(10_000_000) }), /more than 8192 characters/],
		['nothing', answer(204, ''), /HTTP 204/],
		['a success with a failure’s status', contradiction, /HTTP 401/],
		['no message', success({}), /data\.siwe is missing or invalid/],
		['a message that is no text', success({ siwe: 5 }), /data\.siwe is missing or invalid/],
	];
	const TO_THE_FIRST_TWICE: Row[] = [
		['too many requests', failure(429, 'No'), /No/, LATER],
		['a gateway', answer(502, ''), /^Sign-in failed\. Unexpected response \(HTTP 502\)$/],
		['a gateway with a page', answer(503, '<html>'), /HTTP 503/, /proxy may have answered/],
	];
	const TOO_LONG = /^Sign-in failed\. The service’s token has more than 8192 characters$/;
	const TO_THE_SECOND: Row[] = [
		['a refusal', failure(401, 'Invalid'), /Invalid/, /isn’t this wallet’s, or the nonce/],
		['a refusal with 403', failure(403, 'No'), /No/, NO_ROLE],
		['no token', success({}), /data\.jwt is missing or invalid/],
		['an empty token', success({ jwt: '' }), /data\.jwt is missing or invalid/],
		['a token of two lines', success({ jwt: `${jwt}\r\nX-Evil: 1` }), /data\.jwt is .* invalid/],
		['a token of 8,193 characters', success({ jwt: 'a'.repeat(8_193) }), TOO_LONG, /^Report this/],
	];

	it.each<[HttpAnswer[], ...Row]>([
		...TO_THE_FIRST.map((row): [HttpAnswer[], ...Row] => [[], ...row]),
		...TO_THE_FIRST_TWICE.map((row): [HttpAnswer[], ...Row] => [[row[1]], ...row]),
		...TO_THE_SECOND.map((row): [HttpAnswer[], ...Row] => [[success({ siwe })], ...row]),
	])('ends after %j, and then %s', async (...row) => {
		const [before, , last, words, hint = /./] = row;
		const service = serviceAnswering(...before, last);
		const refusal = await service.refusal();
		expect(refusal.message).toMatch(words);
		expect(refusal.hint).toMatch(hint);
		expect(refusal.message.length).toBeLessThan(500);
		expect(service.requests).toHaveLength(before.length + 1);
	});

	it('repeats neither signatures nor tokens that the service echoes', async () => {
		const signature = await new Judge(privateKey).signMessage(siwe);
		for (const echo of [signature, signature.slice(2), jwt, `x\n${signature}\u0007`]) {
			const second = failure(400, `Cannot use ${echo}`, echo);
			const { message, hint } = await serviceAnswering(success({ siwe }), second).refusal();
			expect(message).toContain('Cannot use');
			expect(`${message}${hint}`).not.toContain(signature.slice(2, 40));
			expect(`${message}${hint}`).not.toContain(jwt.slice(0, 12));
			expect(message).not.toMatch(/[\x00-\x1f]/);
		}
	});

	it.each([1, 2])('signs or sends nothing once nobody wants it, at question %d', async (last) => {
		const service = serviceAnswering(success({ siwe }));
		let asked = 0;
		const { message } = await service.refusal({}, () => (asked += 1) < last);
		expect([message, asked, service.requests.length]).toEqual([stoppedError().message, last, 1]);
	});

	it('passes on what the connection says', async () => {
		await expect(serviceAnswering().refusal()).rejects.toThrow(/^one request too many$/);
	});
});
