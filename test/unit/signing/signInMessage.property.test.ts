import { verifyMessage } from 'ethers';
import * as fc from 'fast-check';
import { SiweMessage } from 'siwe';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import {
	parseSignInMessage,
	type SignInMessage,
} from '../../../nodes/PayrollPayments/signing/guards/eip4361';
import { checkSignInMessage } from '../../../nodes/PayrollPayments/signing/guards/signInMessage';
import { runs } from '../../support/propertyRuns';
import {
	address,
	expectation,
	LINES,
	meaning,
	MESSAGE,
	now,
	other,
	privateKey,
} from './genuineMessage';

describe('a sign-in message', () => {
	const word = (characters: string, minLength: number, maxLength = 20) =>
		fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
	const LETTERS = 'abcXYZ0189';
	const STATEMENT = `${LETTERS} ._~:/?#[]@!$&'()*+,;=-`;
	const time = fc
		.date({ min: new Date('2020'), max: new Date('2099'), noInvalidDate: true })
		.map((date) => date.toISOString())
		.chain((iso) =>
			fc.constantFrom(
				...[iso, iso.replace('Z', '+05:30')],
				...['Z', '.123456789Z', '-08:00'].map((end) => iso.replace(/\.\d+Z/, end)),
			),
		);
	const host = fc.constantFrom('payroll.example', 'LOCALHOST', '127.0.0.1', '[::1]', '[1:db8::7]');
	const port = fc.integer({ min: 1, max: 65535 }).map((number) => `:${number}`);
	const domain = fc.tuple(host, fc.oneof(fc.constant(''), port)).map((parts) => parts.join(''));
	const uri = fc
		.tuple(domain, fc.constantFrom('', '/', '/log/in', '?a=b&c=%20', '#top', '/x?y#z'))
		.map(([name, tail]) => `https://${name}${tail}`);
	const anyUri = fc.oneof(uri, fc.constantFrom('urn:isbn:0', 'did:key:z6Mk', 'mailto:a@b.example'));
	const optional = <Value>(arbitrary: fc.Arbitrary<Value>) =>
		fc.option(arbitrary, { nil: undefined });
	const fields = fc.record({
		scheme: optional(fc.constantFrom('https', 'http', 'app+x')),
		domain,
		address: fc.constantFrom(address, other.address),
		statement: optional(word(STATEMENT, 0, 60)),
		uri: anyUri,
		version: fc.constant('1'),
		chainId: fc.integer({ min: 1, max: 1e9 }),
		nonce: word(LETTERS, 8),
		issuedAt: time,
		expirationTime: optional(time),
		notBefore: optional(time),
		requestId: optional(word(`${LETTERS}-._~:@`, 1)),
		resources: optional(fc.array(anyUri, { minLength: 1, maxLength: 4 })),
	});

	it('is read as siwe writes and reads it', () => {
		fc.assert(
			fc.property(fields, (given) => {
				const text = new SiweMessage(given).toMessage();
				const message = parseSignInMessage(text, String);
				expect(meaning(message)).toEqual(given);
				expect(meaning(message)).toEqual(meaning(new SiweMessage(text)));
			}),
			{ numRuns: runs(100) },
		);
	});

	const line = fc.nat(LINES.length - 1);
	const hostile = fc.constantFrom(
		...['', ' ', '\t', '\r', '\r\n', '\0', '\u202e', '\u200b', '\ud800', 'é', '%', '"', '0', '1'],
		...[':', '@', '/', '\\', '[', ']', '\n', '\n\n', 'https://', 'evil.example'],
		...['- https://evil.example', '99999999999999999999', '2026-11-21t12:00:00z'],
		...['Nonce: evilnonce1', 'Version: 2', 'URI: https://evil.example/', 'Resources:'],
		...['\nURI: https://evil.example/', '2026-02-30T00:00:00Z', '2026-11-21T24:00:00Z'],
	);
	const spliced = (at: number, position: number, cut: number, text: string) => {
		const old = LINES[at] ?? '';
		const start = Math.min(position, old.length);
		return LINES.toSpliced(at, 1, old.slice(0, start) + text + old.slice(start + cut));
	};
	/** With one line changed. */
	const changed = fc.oneof(
		line.map((at) => LINES.toSpliced(at, 1)),
		line.map((at) => LINES.toSpliced(at, 0, LINES[at] ?? '')),
		fc.tuple(line, line).map(([at, from]) => LINES.toSpliced(at, 0, LINES[from] ?? '')),
		fc.tuple(line, line).map(([at, from]) => LINES.toSpliced(at, 1, LINES[from] ?? '')),
		fc.tuple(line, hostile).map(([at, text]) => LINES.toSpliced(at, 0, text)),
		fc.tuple(line, hostile).map(([at, text]) => LINES.toSpliced(at, 1, text)),
		fc.tuple(line, fc.nat(90), fc.nat(2), hostile).map((edit) => spliced(...edit)),
		fc
			.tuple(line, fc.nat(90), fc.constant(1), fc.string({ maxLength: 2 }))
			.map((edit) => spliced(...edit)),
		line.map((at) => LINES.toSpliced(at, 1, (LINES[at] ?? '').toUpperCase())),
		line.map((at) => LINES.toSpliced(at, 1, (LINES[at] ?? '').toLowerCase())),
		line.map((at) => LINES.toSpliced(at, 1, `${LINES[at] ?? ''} `)),
		line.map((at) => LINES.toSpliced(at, 1, ` ${LINES[at] ?? ''}`)),
	);

	/** Messages without some of their optional lines, and with an empty statement. */
	const shorter = fc
		.subarray([0, 1, 2, 3, 4])
		.map((left) => LINES.filter((_, at) => !left.includes(at - 10) || at > 14))
		.chain((lines) =>
			fc.constantFrom(lines, lines.toSpliced(3, 1, ''), lines.toSpliced(3, 2), lines.slice(0, 10)),
		);

	const wallet = privateKeyWallet({ privateKey });
	const character = fc.oneof(
		fc.constantFrom(...LETTERS, ...' ._~:/?#[]@!$&%\'()*+,;=-\n\r\t\0"<>\\^`{|}é'),
		fc.string({ minLength: 1, maxLength: 1, unit: 'binary' }),
	);
	const edit = fc.record({
		at: fc.nat(MESSAGE.length),
		removed: fc.nat(2),
		added: fc.string({ unit: character, maxLength: 2 }),
	});

	/** With a few characters changed. */
	const edited = fc
		.tuple(fc.array(edit, { minLength: 1, maxLength: 3 }), shorter)
		.map(([edits, lines]) =>
			edits.reduce(
				(old, { at, removed, added }) => old.slice(0, at) + added + old.slice(at + removed),
				lines.join('\n'),
			),
		);
	const text = fc.oneof(
		{ weight: 4, arbitrary: changed.map((lines) => lines.join('\n')) },
		{ weight: 4, arbitrary: edited },
		{ weight: 1, arbitrary: shorter.map((lines) => lines.join('\n')) },
	);

	/** Just before a time to which one digit can change the message's end: siwe tolerates no clocks. */
	const moment = now - 1000;

	it("is not signed where siwe reads it differently or doesn't verify it", async () => {
		let signed = 0;
		let refused = 0;
		await fc.assert(
			fc.asyncProperty(text, fc.boolean(), async (given, hasDomain) => {
				const domain = hasDomain ? 'app.payroll.example' : undefined;
				let message: SignInMessage;
				try {
					message = checkSignInMessage(given, { ...expectation, domain, now: moment });
				} catch (error) {
					expect(error).toBeInstanceOf(UserError);
					refused += 1;
					return;
				}
				signed += 1;
				/* siwe knows neither CRLF nor a line break at the end, which are no fault here. */
				const plain = given.replaceAll('\r\n', '\n').replace(/\n$/, '');
				const judge = new SiweMessage(plain);
				expect(meaning(judge)).toEqual(meaning(message));
				expect(judge.toMessage()).toBe(plain);
				expect(verifyMessage(given, await wallet.signMessage(given))).toBe(address);
				expect(judge.address).toBe(address);
				/* The case of a host name doesn't count, and siwe compares it as text. */
				if (domain !== undefined) expect(judge.domain.toLowerCase()).toBe(domain);
				const signature = await wallet.signMessage(plain);
				const verified = { signature, nonce: message.nonce, time: new Date(moment).toISOString() };
				const { success } = await judge.verify(verified, { suppressExceptions: true });
				expect(success).toBe(true);
			}),
			{ numRuns: runs(3_000) },
		);
		// Both ways are walked: a parser that refuses everything would prove nothing.
		expect(signed).toBeGreaterThan(runs(300));
		expect(refused).toBeGreaterThan(runs(1_500));
	});
});
