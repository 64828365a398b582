import { allOf } from '../shared/lists';
import { credentialFields } from './webhookCredentialFields';
import { decodeSecret } from './proofs';
import { asRejection } from './rejected';
import { formatOf, formatOptions, type Format, type Place, type Scheme } from './schemes';
import { checkProof, partsOf, type Delivery, type DeliveryHeaders } from './verifySignature';
import type { WebhookCredentials } from './webhookCredentials';

/*
 * Loaded only while someone listens for a test event in the editor, so that production deliveries
 * cost nothing more and learn nothing more.
 */

const NOTHING_FITS =
	'The secret in the credential doesn’t fit this delivery, whatever the header and format. Check in ' +
	'the service that it signs this webhook, and copy the secret from there again. If it’s right, look ' +
	'for a proxy that rewrites the JSON body, or set Format to Custom.';

const NOT_SIGNED =
	'No header of this delivery looks like a signature or a token. Turn on signing for this webhook in ' +
	'the service, or check whether a proxy removes the header.';

const IS_STANDARD =
	'This delivery has the headers of Standard Webhooks. Set Format to Standard Webhooks in the ' +
	'credential, and copy the secret from the service again: the saved one doesn’t fit.';

/** A signature of 32 or 64 bytes, in hex or Base64. */
const SIGNATURE =
	/(?<![\w+/-])(?:[0-9a-f]{64}|[0-9a-f]{128}|[\w+/-]{43}=?|[\w+/-]{86}(?:==)?)(?![\w+/=-])/i;

const NAME_OF_PROOF = /auth|hmac|secret|sign|token/;

/** Enough for any real delivery. The body limits it further, so that nobody can keep n8n busy. */
const MAX_TRIES = 5_000;
const MAX_BYTES = 64_000_000;

/**
 * Finds out with which header and format the saved secret fits a delivery, if with any. *Custom* is
 * tried as it's saved only.
 * @returns undefined if the proof fits the saved settings, except for its age or whitespace
 */
export function adviceFor(
	{ headers, rawBody = new Uint8Array() }: Delivery,
	{ format: saved, custom, schemes, ...credentials }: WebhookCredentials,
): string | undefined {
	const secrets = credentials.secrets.flatMap((secret) => [secret, secret.trim()]);
	const fits = (candidates: WebhookCredentials['schemes']): boolean => {
		const { secretEncoding } = candidates[0];
		const keys = secrets.flatMap((secret) => decodeSecret(secret, secretEncoding) ?? []);
		try {
			checkProof(rawBody, headers, { schemes: candidates, keys });
			return true;
		} catch (error) {
			asRejection(error);
			return false;
		}
	};
	if (fits(schemes)) return undefined;
	const isSent = ({ header }: Scheme) => headers[header.name] !== undefined;

	const places = Object.entries(headers).flatMap(placesIn);
	const presets = formatOptions.map(({ value }) => value).filter((value) => value !== 'custom');
	let triesLeft = Math.min(MAX_TRIES, MAX_BYTES / (rawBody.length + 200));
	for (const format of new Set<Format>(['sharedToken', ...presets, saved])) {
		const row = formatOf(format);
		for (const place of row.hasFixedHeaders === true ? [undefined] : places) {
			const [scheme, ...others] = row.schemes(place ?? { name: '' }, custom);
			if (scheme === undefined) continue;
			if (--triesLeft < 0) return NOTHING_FITS;
			if (fits([scheme, ...others])) return changesTo(format, place, saved);
		}
	}
	const standard = formatOf('standardWebhooks').schemes({ name: '' }, {});
	if (saved !== 'standardWebhooks' && standard.some(isSent)) return IS_STANDARD;
	const isSigned = Object.entries(headers).some(
		([name, value]) => NAME_OF_PROOF.test(name) || SIGNATURE.test(String(value)),
	);
	return isSigned || schemes.some(isSent) ? NOTHING_FITS : NOT_SIGNED;
}

const MAX_PARTS = 16;

/** A header and its parts. */
function placesIn([name, value]: readonly [string, DeliveryHeaders[string]]): Place[] {
	const parts = typeof value === 'string' ? partsOf(value.trim()).slice(0, MAX_PARTS) : [];
	return [{ name }, ...parts.map(([part]) => ({ name, part }))];
}

function changesTo(format: Format, place: Place | undefined, saved: Format): string {
	const isToken = format === 'sharedToken';
	const changes = [
		isToken === (saved === 'sharedToken')
			? undefined
			: changeOf('method', isToken ? 'sharedToken' : 'hmacSignature'),
		place && changeOf('header', labelOf(place)),
		isToken || format === saved ? undefined : changeOf('format', format),
	];
	return `In the credential, set ${allOf(changes.filter((each) => each !== undefined))}.`;
}

/** A header as documentation spells it; its part as it was sent. */
function labelOf({ name, part }: Place): string {
	const header = name.replace(/(?:^|-)[a-z]/g, (start) => start.toUpperCase());
	return part === undefined ? header : `${header}[${part}]`;
}

/** A field and its new value, as the form names them. */
function changeOf(field: 'method' | 'header' | 'format', value: string): string {
	const { displayName, options = [] } = credentialFields[field].form;
	const option = options.find((each) => 'value' in each && each.value === value);
	return `${displayName} to ${option?.name ?? value}`;
}
