import * as fc from 'fast-check';
import { SiweMessage } from 'siwe';

import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { privateKeyWallet } from '../../../nodes/PayrollPayments/signing';
import {
	checkSignInMessage,
	parseSignInMessage,
} from '../../../nodes/PayrollPayments/signing/guards/signInMessage';
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

function judged(text: string): SiweMessage | undefined {
	try {
		return new SiweMessage(text);
	} catch {
		return undefined;
	}
}

describe('parsing a sign-in message', () => {
	const word = (characters: string, minLength: number, maxLength = 20) =>
		fc.string({ unit: fc.constantFrom(...characters), minLength, maxLength });
	const LETTERS = 'abcXYZ0189';
	const STATEMENT = `${LETTERS} ._~:/?#[]@!$&'()*+,;=-`;
	const time = fc
		.date({
			min: new Date('2020-01-01T00:00:00Z'),
			max: new Date('2099-12-31T00:00:00Z'),
			noInvalidDate: true,
		})
		.chain((date) =>
			fc.constantFrom(
				date.toISOString(),
				date.toISOString().replace(/\.\d+/, ''),
				date.toISOString().replace(/\.\d+Z/, '.123456789Z'),
				date.toISOString().replace('Z', '+05:30'),
				date.toISOString().replace(/\.\d+Z/, '-08:00'),
			),
		);
	const host = fc.constantFrom(
		'payroll.example',
		'LOCALHOST',
		'127.0.0.1',
		'[::1]',
		'[2001:db8::7]',
	);
	const domain = fc
		.tuple(host, fc.option(fc.integer({ min: 1, max: 65535 }), { nil: undefined }))
		.map(([name, port]) => (port === undefined ? name : `${name}:${port}`));
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

	it('reads what siwe writes, and reads it as siwe does', () => {
		fc.assert(
			fc.property(fields, (given) => {
				const text = new SiweMessage(given).toMessage();
				const message = parseSignInMessage(text);
				expect(meaning(message)).toEqual(given);
				expect(meaning(message)).toEqual(meaning(new SiweMessage(text)));
			}),
			{ numRuns: runs(100) },
		);
	});

	const line = fc.nat(LINES.length - 1);
	const hostile = fc.constantFrom(
		'',
		' ',
		'\t',
		'\r',
		'\0',
		'\u202e',
		'\u200b',
		'\ud800',
		'é',
		'%',
		'"',
		'0',
		'1',
		':',
		'@',
		'/',
		'\\',
		'Nonce: evilnonce1',
		'Version: 2',
		'URI: https://evil.example/',
		'- https://evil.example',
		'\nURI: https://evil.example/',
		'\n',
		'\n\n',
		'https://',
		'evil.example',
		'Resources:',
		'[',
		']',
		'2026-02-30T00:00:00Z',
		'2026-11-21T24:00:00Z',
		'2026-11-21t12:00:00z',
		'99999999999999999999',
	);
	const mutated = fc.oneof(
		line.map((at) => LINES.toSpliced(at, 1)),
		line.map((at) => LINES.toSpliced(at, 0, LINES[at] ?? '')),
		fc.tuple(line, line).map(([at, from]) => LINES.toSpliced(at, 0, LINES[from] ?? '')),
		fc.tuple(line, line).map(([at, from]) => LINES.toSpliced(at, 1, LINES[from] ?? '')),
		fc.tuple(line, hostile).map(([at, text]) => LINES.toSpliced(at, 0, text)),
		fc.tuple(line, hostile).map(([at, text]) => LINES.toSpliced(at, 1, text)),
		fc.tuple(line, fc.nat(90), fc.nat(2), hostile).map(([at, position, cut, text]) => {
			const old = LINES[at] ?? '';
			const start = Math.min(position, old.length);
			return LINES.toSpliced(at, 1, old.slice(0, start) + text + old.slice(start + cut));
		}),
		fc.tuple(line, fc.nat(90), fc.string({ maxLength: 2 })).map(([at, position, text]) => {
			const old = LINES[at] ?? '';
			const start = Math.min(position, old.length);
			return LINES.toSpliced(at, 1, old.slice(0, start) + text + old.slice(start + 1));
		}),
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

	it('refuses any message with one line changed, or reads it as siwe does', () => {
		let accepted = 0;
		let refused = 0;
		fc.assert(
			fc.property(
				fc.oneof({ weight: 9, arbitrary: mutated }, { weight: 1, arbitrary: shorter }),
				(lines) => {
					const text = lines.join('\n');
					let message: ReturnType<typeof parseSignInMessage>;
					try {
						message = parseSignInMessage(text);
					} catch (error) {
						expect(error).toBeInstanceOf(UserError);
						refused += 1;
						return;
					}
					accepted += 1;
					const verdict = judged(text);
					expect(verdict && meaning(verdict)).toEqual(meaning(message));
					expect(verdict?.toMessage()).toBe(text);
				},
			),
			{ numRuns: runs(2_000) },
		);
		// Both ways are walked: a parser that refuses everything would prove nothing.
		expect(accepted).toBeGreaterThan(runs(200));
		expect(refused).toBeGreaterThan(runs(1_000));
	});

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

	it("signs nothing that siwe reads differently or doesn't verify", async () => {
		let signed = 0;
		await fc.assert(
			fc.asyncProperty(
				fc.array(edit, { minLength: 1, maxLength: 3 }),
				shorter,
				fc.boolean(),
				async (edits, some, hasDomain) => {
					const domain = hasDomain ? 'app.payroll.example' : undefined;
					const text = edits.reduce(
						(old, { at, removed, added }) => old.slice(0, at) + added + old.slice(at + removed),
						some.join('\n'),
					);
					let message: ReturnType<typeof parseSignInMessage>;
					try {
						message = checkSignInMessage(text, { ...expectation, domain });
					} catch (error) {
						expect(error).toBeInstanceOf(UserError);
						return;
					}
					signed += 1;
					const signature = await wallet.signMessage(text);
					const judge = new SiweMessage(text);
					expect(meaning(judge)).toEqual(meaning(message));
					expect(judge.address).toBe(address);
					const { nonce } = message;
					const { success } = await judge.verify(
						{ signature, nonce, domain, time: new Date(now).toISOString() },
						{ suppressExceptions: true },
					);
					expect(success).toBe(true);
				},
			),
			{ numRuns: runs(2_000) },
		);
		/* About 6% of the changed messages are still valid; a few runs have had fewer than 5%. */
		expect(signed).toBeGreaterThan(runs(40));
	});
});
