import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import type { WebhookCredentials } from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { hmac } from '../../unit/trigger/samples';

import type { Target } from './fuzzer';

const NOW_SECONDS = 1_774_949_400;
const TOLERANCE_SECONDS = 600;
const SECRETS = ['whsec_new', 'whsec_old', ' padded '];
const SCHEMES = ['timestamped', 'hex', 'base64', 'sharedToken'] as const;

type Scheme = (typeof SCHEMES)[number];

function credentialsOf(scheme: Scheme): WebhookCredentials {
	const proof = { header: 'x-signature', secrets: SECRETS };
	return scheme === 'timestamped'
		? { ...proof, scheme, toleranceSeconds: TOLERANCE_SECONDS }
		: { ...proof, scheme };
}

/** A letter for each key that can sign, since no mutation would ever find a valid signature. */
const KEYS = { n: SECRETS[0], o: SECRETS[1], p: SECRETS[2], s: 'whsec_stranger' };

/** Replaces the placeholders in a header, e.g. `§hn`, with the time, valid signatures and tokens. */
function filled(header: string, body: Buffer): string {
	const timed = header.replaceAll('§T', String(NOW_SECONDS));
	const [, time = ''] = /t=(\d+)/.exec(timed) ?? [];
	return Object.entries(KEYS).reduce(
		(text, [letter, key = '']) =>
			text
				.replaceAll(`§t${letter}`, () => hmac(key, `${time}.`, body).toString('hex'))
				.replaceAll(`§h${letter}`, () => hmac(key, body).toString('hex'))
				.replaceAll(`§b${letter}`, () => hmac(key, body).toString('base64'))
				.replaceAll(`§k${letter}`, () => key),
		timed,
	);
}

/** All substrings of `length` characters from an alphabet. */
function stretches(text: string, alphabet: RegExp, length: number): string[] {
	return (text.match(alphabet) ?? []).flatMap((run) =>
		Array.from({ length: Math.max(0, run.length - length + 1) }, (_, at) =>
			run.slice(at, at + length),
		),
	);
}

/**
 * An independent verdict from the documented rules alone, with an HMAC written from its definition.
 * `forged`: the header has no valid signature, however it is read. `genuine`: it has a valid
 * signature in the documented form. `open`: it has a valid signature in an unspecified form.
 */
function judged(scheme: Scheme, header: string, body: Buffer): 'genuine' | 'forged' | 'open' {
	const value = header.replace(/^[ \t]+|[ \t]+$/g, '');
	if (scheme === 'sharedToken') {
		if (SECRETS.includes(value)) return 'genuine';
		/* Which characters are white space around a header's value is for nobody here to say. */
		return SECRETS.includes(header.trim()) ? 'open' : 'forged';
	}
	const over = (...message: (string | Uint8Array)[]) =>
		SECRETS.map((secret) => hmac(secret, ...message));
	const isHexOf = (text: string, proofs: readonly Buffer[]) =>
		proofs.some((proof) => proof.toString('hex') === text.toLowerCase());

	if (scheme === 'timestamped') {
		const canonical = /^t=(\d{1,15})((?:,v1=[0-9a-f]{64}){1,16})$/.exec(value);
		const times = [...new Set(value.match(/\d+/g) ?? [])].filter(
			(time) => Math.abs(Number(time) - NOW_SECONDS) <= TOLERANCE_SECONDS,
		);
		const proves = (time: string, texts: readonly string[]) => {
			const proofs = over(`${time}.`, body);
			return texts.some((text) => isHexOf(text, proofs));
		};
		if (canonical !== null) {
			const [, time = '', signatures = ''] = canonical;
			const isFresh = times.includes(time);
			return isFresh && proves(time, signatures.split(',v1=').slice(1)) ? 'genuine' : 'forged';
		}
		const texts = stretches(value, /[0-9a-f]+/gi, 64);
		return times.some((time) => proves(time, texts)) ? 'open' : 'forged';
	}
	const proofs = over(body);
	if (scheme === 'hex') {
		if (/^(sha256=)?[0-9a-f]{64}$/.test(value))
			return isHexOf(value.slice(-64), proofs) ? 'genuine' : 'forged';
		return stretches(value, /[0-9a-f]+/gi, 64).some((text) => isHexOf(text, proofs))
			? 'open'
			: 'forged';
	}
	const texts = proofs.map((proof) => proof.toString('base64'));
	if (texts.includes(value.replace(/^sha256=/, ''))) return 'genuine';
	/* The last of 43 characters carries two bits that mean nothing, and - and _ are + and /. */
	const plain = value.replaceAll('-', '+').replaceAll('_', '/');
	return texts.some((text) => plain.includes(text.slice(0, 42))) ? 'open' : 'forged';
}

/** The first byte chooses the scheme, the first line is the header, the rest is the body. */
export const verifier: Target = {
	dictionary: [
		...Object.keys(KEYS).flatMap((key) => ['t', 'h', 'b', 'k'].map((kind) => `§${kind}${key}`)),
		...[
			'§T',
			't=',
			',v1=',
			'v1=',
			',',
			'sha256=',
			'SHA256=',
			' ',
			'\t',
			'\u00a0',
			'=',
			'\n',
			'0',
			'+',
			'_',
		],
		...['1774950000', '1774950001', '1774948800', '1774948799', '1774949400000', '9'.repeat(20)],
		't=§T,v1=§tn',
	],
	check(input) {
		const scheme = SCHEMES[(input[0] ?? 0) % SCHEMES.length] ?? 'timestamped';
		const lineEnd = input.indexOf(10);
		const headerEnd = lineEnd === -1 ? input.length : lineEnd;
		const body = input.subarray(headerEnd + 1);
		const header = filled(input.subarray(1, headerEnd).toString(), body);

		const refusal = verifySignature(
			body,
			{ 'x-signature': header },
			credentialsOf(scheme),
			NOW_SECONDS * 1_000,
		);
		const verdict = judged(scheme, header, body);
		if (refusal === undefined && verdict === 'forged')
			throw new Error(`accepts a forged ${scheme} proof`);
		if (refusal !== undefined && verdict === 'genuine')
			throw new Error(`refuses a genuine ${scheme} proof`);
		const said = `${refusal?.message} ${refusal?.hint}`;
		if (SECRETS.some((secret) => said.includes(secret))) throw new Error('names a secret');
	},
};
