import { UserError } from '../../../nodes/PayrollPayments/shared/errors';
import { decodeSecret } from '../../../nodes/PayrollPayments/trigger/proofs';
import { verifySignature } from '../../../nodes/PayrollPayments/trigger/verifySignature';
import {
	readWebhookCredentials,
	type WebhookCredentials,
} from '../../../nodes/PayrollPayments/trigger/webhookCredentials';
import { rejectionOf } from '../refusals';
import { hmac } from '../../../n8nHost/sampleEvents';

import { words, type Judge } from './judge';

const NOW_SECONDS = 1_774_949_400;
const TOLERANCE_SECONDS = 600;
const SECRETS = ['whsec_new', 'whsec_old', ' padded '];
const SCHEMES = ['timestamped', 'hex', 'base64', 'sharedToken'] as const;

type Scheme = (typeof SCHEMES)[number];
type Verdict = 'genuine' | 'forged' | 'open';

/** Headers longer than this are refused, whatever they contain. */
const MAX_HEADER_LENGTH = 8_192;

/** Credentials of these fields that accept all three secrets. */
function credentialsOf(saved: Readonly<Record<string, unknown>>): WebhookCredentials {
	const toleranceSeconds = TOLERANCE_SECONDS;
	const credentials = readWebhookCredentials({ ...saved, secret: 'replaced', toleranceSeconds });
	const { secretEncoding } = credentials.schemes[0];
	const keys = SECRETS.flatMap((secret) => decodeSecret(secret, secretEncoding) ?? []);
	return { ...credentials, secrets: SECRETS, keys };
}

/** The first line of an input after the byte that chooses, and the body after it. */
function split(input: Buffer): [head: string, body: Buffer] {
	const lineEnd = input.indexOf(10);
	const headEnd = lineEnd === -1 ? input.length : lineEnd;
	return [input.subarray(1, headEnd).toString(), input.subarray(headEnd + 1)];
}

/** A letter for each key that can sign, since no mutation would ever find a valid signature. */
const KEYS = {
	n: SECRETS[0] ?? '',
	o: SECRETS[1] ?? '',
	p: SECRETS[2] ?? '',
	s: 'whsec_stranger',
};

/** Replaces placeholders with the time and with what each kind of proof is, e.g. `§hn` or `§T`. */
function filled(text: string, proofs: Readonly<Record<string, (key: string) => string>>): string {
	const placeholders = Object.entries(proofs).flatMap(([kind, prove]) =>
		Object.entries(KEYS).map(([letter, key]) => [`§${kind}${letter}`, () => prove(key)] as const),
	);
	return placeholders.reduce(
		(sofar, [placeholder, prove]) => sofar.replaceAll(placeholder, prove),
		text.replaceAll('§T', String(NOW_SECONDS)),
	);
}

/** The last of 43 characters carries two bits that mean nothing, and - and _ are + and /. */
const mayHoldBase64 = (text: string, proof: string) =>
	text.replaceAll('-', '+').replaceAll('_', '/').includes(proof.slice(0, 42));

const isFresh = (milliseconds: number) =>
	Math.abs(Math.round((NOW_SECONDS * 1_000 - milliseconds) / 1_000)) <= TOLERANCE_SECONDS;

/**
 * An independent verdict from the documented rules alone, with an HMAC written from its definition.
 * `forged`: the header has no valid signature, however it is read. `genuine`: it has a valid
 * signature in the documented form. `open`: it has a valid signature in an unspecified form.
 */
function judged(scheme: Scheme, header: string, body: Buffer): Verdict {
	const value = header.replace(/^[ \t]+|[ \t]+$/g, '');
	if (value.trim().length > MAX_HEADER_LENGTH) return 'forged';
	if (scheme === 'sharedToken') {
		if (SECRETS.includes(value) || SECRETS.includes(value.replace('Bearer ', ''))) return 'genuine';
		/* The scheme's name may be in any case, and more than one space may follow it. */
		const [, token = ''] = /^bearer[ ]+(.*)$/is.exec(header.trim()) ?? [];
		if (SECRETS.includes(token)) return 'open';
		/* Which characters are white space around a header's value is for nobody here to say. */
		return SECRETS.includes(header.trim()) ? 'open' : 'forged';
	}
	const proofs = (encoding: 'hex' | 'base64', ...message: (string | Uint8Array)[]) =>
		SECRETS.map((secret) => hmac(secret, ...message).toString(encoding));
	if (scheme === 'timestamped') {
		const canonical = /^t=(\d{1,15})((?:,v1=[0-9a-f]{64}){1,16})$/.exec(value);
		const times = canonical === null ? (value.match(/\d+/g) ?? []) : [canonical[1] ?? ''];
		const isProven = times
			.filter((time) => isFresh(Number(time) * 1_000))
			.flatMap((time) => proofs('hex', `${time}.`, body))
			.some((proof) => value.toLowerCase().includes(proof));
		if (!isProven) return 'forged';
		return canonical === null ? 'open' : 'genuine';
	}
	if (scheme === 'hex') {
		if (!proofs('hex', body).some((proof) => value.toLowerCase().includes(proof))) return 'forged';
		return /^(sha256=)?[0-9a-f]{64}$/.test(value) ? 'genuine' : 'open';
	}
	const texts = proofs('base64', body);
	if (texts.includes(value.replace(/^sha256=/, ''))) return 'genuine';
	return texts.some((proof) => mayHoldBase64(value, proof)) ? 'open' : 'forged';
}

function verdictMustHold(scheme: string, verdict: Verdict, verify: () => void): void {
	const refusal = rejectionOf(verify);
	if (refusal === undefined && verdict === 'forged')
		throw new Error(`accepts a forged ${scheme} proof`);
	if (refusal !== undefined && verdict === 'genuine')
		throw new Error(`refuses a genuine ${scheme} proof`);
	const said = `${refusal?.message} ${refusal?.details.hint}`;
	if (SECRETS.some((secret) => said.includes(secret))) throw new Error('names a secret');
}

/** The first byte chooses the scheme, the first line is the header, the rest is the body. */
export const verifier: Judge = {
	dictionary: [
		...Object.keys(KEYS).flatMap((key) => ['t', 'h', 'b', 'k'].map((kind) => `§${kind}${key}`)),
		...words('§T t= ,v1= v1= , sha256= SHA256= = 0 + _'),
		...['Bearer ', 'bearer  ', ' ', '\t', '\u00a0', '\n'],
		...words('1774950000 1774950001 1774948800 1774948799 1774949400000'),
		'9'.repeat(20),
		't=§T,v1=§tn',
	],
	check(input) {
		const scheme = SCHEMES[(input[0] ?? 0) % SCHEMES.length] ?? 'timestamped';
		const [head, body] = split(input);
		const text = head.replaceAll('§T', String(NOW_SECONDS));
		const [, time = ''] = /t=(\d+)/.exec(text) ?? [];
		const header = filled(text, {
			t: (key) => hmac(key, `${time}.`, body).toString('hex'),
			h: (key) => hmac(key, body).toString('hex'),
			b: (key) => hmac(key, body).toString('base64'),
			k: (key) => key,
		});

		const saved = scheme === 'sharedToken' ? { method: scheme } : { format: scheme };
		const headers = { 'x-signature': header };
		verdictMustHold(scheme, judged(scheme, header, body), () => {
			verifySignature(body, headers, credentialsOf(saved), NOW_SECONDS * 1_000);
		});
	},
};

/** The bytes that a Standard Webhooks secret stands for. */
function decoded(secret: string): Buffer {
	return Buffer.from(secret.trim().replace('whsec_', ''), 'base64');
}

/** What a template of Custom stands for, read from left to right; undefined if it is unusable. */
function expanded(
	template: string,
	values: Readonly<Record<string, string | Buffer>>,
): Buffer | undefined {
	const pieces: (string | Buffer)[] = [];
	let rest = template.replaceAll('\\n', '\n');
	let hasBody = false;
	/* Two fields may not touch; {method} is a text. */
	if (/\{(?:body|timestamp|id)\}\{(?:body|timestamp|id)\}/.test(template)) return undefined;
	while (rest !== '') {
		const name = /^\{([A-Za-z0-9_]+)\}/.exec(rest)?.[1];
		if (name === undefined) {
			pieces.push(rest[0] ?? '');
			rest = rest.slice(1);
			continue;
		}
		const value = Object.hasOwn(values, name) ? values[name] : undefined;
		if (value === undefined) return undefined;
		hasBody ||= name === 'body';
		pieces.push(value);
		rest = rest.slice(name.length + 2);
	}
	/* Joined as text first, since two halves of a character may stand on either side of a piece. */
	const chunks: Buffer[] = [];
	let text = '';
	for (const piece of pieces) {
		if (typeof piece === 'string') text += piece;
		else {
			chunks.push(Buffer.from(text), piece);
			text = '';
		}
	}
	return hasBody ? Buffer.concat([...chunks, Buffer.from(text)]) : undefined;
}

/** Milliseconds; undefined if the documented forms don't include it, null if only in spirit. */
function timeOf(text: string): number | undefined | null {
	if (/^[0-9]{1,15}$/.test(text)) return Number(text) > 1e11 ? Number(text) : Number(text) * 1000;
	const [, day, hour] = /^(\d{4}-\d\d-\d\d)T(\d\d:\d\d:\d\d)Z$/.exec(text) ?? [];
	if (day === undefined) return /^\d{4}-\d\d-\d\dT/.test(text) ? null : undefined;
	const at = Date.parse(`${day}T${hour}Z`);
	return Number.isNaN(at) ? null : at;
}

function judgedStandardWebhooks(
	[id, time, list]: readonly [string, string, string],
	body: Buffer,
): Verdict {
	if ([id, time, list].some((each) => each === '' || each.length > MAX_HEADER_LENGTH))
		return 'forged';
	if (!/^[0-9]{1,15}$/.test(time) || !isFresh(Number(time) * 1_000)) return 'forged';
	const proofs = SECRETS.map((secret) =>
		hmac(decoded(secret), `${id}.${time}.`, body).toString('base64'),
	);
	if (!proofs.some((proof) => mayHoldBase64(list, proof))) return 'forged';
	if (!/^v1,[^ ,]{44}(?: v1,[^ ,]{44}){0,15}$/.test(list)) return 'open';
	return list.split(' ').some((entry) => proofs.includes(entry.slice(3))) ? 'genuine' : 'open';
}

function judgedCustom(
	[template, id, time, value]: readonly [string, string, string, string],
	body: Buffer,
): Verdict {
	const content = expanded(template, { body, timestamp: time, id, method: 'POST' });
	if (content === undefined) return 'forged';
	const used = [
		value,
		...(template.includes('{id}') ? [id] : []),
		...(template.includes('{timestamp}') ? [time] : []),
	];
	if (used.some((each) => each === '' || each.length > MAX_HEADER_LENGTH)) return 'forged';
	const proofs = SECRETS.map((secret) => hmac(secret, content).toString('hex'));
	if (!proofs.some((proof) => value.toLowerCase().includes(proof))) return 'forged';
	if (template.includes('{timestamp}')) {
		const at = timeOf(time);
		if (at === undefined) return 'forged';
		if (at === null) return 'open';
		if (!isFresh(at)) return 'forged';
	}
	return proofs.some((proof) => value === `v0=${proof}`) ? 'genuine' : 'open';
}

/**
 * The first byte chooses Standard Webhooks or Custom, and the first line has the fields, separated by
 * `|`: ID, time and signatures, or template, ID, time and signature. The rest is the body.
 */
export const headerSchemes: Judge = {
	dictionary: [
		...Object.keys(KEYS).map((key) => `§S${key}`),
		...words(
			'{body} {timestamp} {id} {method} { } {url} {__proto__} $& $1 | v1, v1a, v0= V0= §T §T000',
		),
		...['§T|', '.', ':', ' v1,', ', ', '\t', '\u00a0', '9'.repeat(16)],
		...words('2026-03-31T09:30:00Z 2026-02-30T09:30:00Z +02:00 1774950001'),
	],
	check(input) {
		const [head, body] = split(input);
		const filledIn = head.replaceAll('§T', String(NOW_SECONDS));
		const fields = filledIn.split('|').map((field) => field.trim());
		const isStandard = (input[0] ?? 0) % 2 === 0;
		const now = NOW_SECONDS * 1_000;
		if (isStandard) {
			const [id = '', time = '', ...lists] = fields;
			const list = filled(lists.join('|'), {
				S: (key) => hmac(decoded(key), `${id}.${time}.`, body).toString('base64'),
			});
			const headers = { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': list };
			const credentials = credentialsOf({ format: 'standardWebhooks' });
			const verdict = judgedStandardWebhooks([id, time, list], body);
			verdictMustHold('standardWebhooks', verdict, () => {
				verifySignature(body, headers, credentials, now);
			});
			return;
		}
		const [template = '', id = '', time = '', ...values] = fields;
		const content = expanded(template, { body, timestamp: time, id, method: 'POST' });
		const value = filled(values.join('|'), {
			S: (key) => hmac(key, content ?? '').toString('hex'),
		}).trim();
		const verdict = judgedCustom([template, id, time, value], body);
		let credentials: WebhookCredentials;
		try {
			credentials = credentialsOf({
				format: 'custom',
				header: 'X-Proof',
				signedContent: template,
				timestampHeader: 'X-Time',
				idHeader: 'X-ID',
				signaturePrefix: 'v0=',
			});
		} catch (error) {
			if (!(error instanceof UserError)) throw error;
			if (content !== undefined) throw new Error('refuses a usable template');
			return;
		}
		if (content === undefined) throw new Error('accepts an unusable template');
		const headers = { 'x-proof': value, 'x-time': time, 'x-id': id };
		verdictMustHold('custom', verdict, () => {
			verifySignature(body, headers, credentials, now);
		});
	},
};
