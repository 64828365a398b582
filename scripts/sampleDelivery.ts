// Prints a signed sample delivery as one line of curl for bash:
// `npm run --silent sample-delivery -- EVENT_TYPE [--url URL] [--secret TEXT] [--scheme NAME] …`.
// Every field of an endpoint's signature in sandbox/deliverySignature.ts is an option.
import { randomUUID } from 'node:crypto';
import { parseArgs } from 'node:util';

import { z } from 'zod';

import { EVENT_TYPES } from '../nodes/PayrollPayments/contract/events';
import { signatureHeaders, signingShape } from '../sandbox/deliverySignature';
import { makeEvent } from '../sandbox/events';
import { Organisation } from '../sandbox/organisation';

/** Where n8n listens on this machine; only the trigger knows the rest of its path. */
const DEFAULT_URL = 'http://localhost:5678/webhook/YOUR-WEBHOOK-ID/webhook';

const SIGNING_OPTIONS = Object.entries(signingShape.shape).map(([field, { _def }]) => ({
	field,
	option: field.replace(/[A-Z]/g, (letter) => `-${letter.toLowerCase()}`),
	type: _def.innerType instanceof z.ZodBoolean ? ('boolean' as const) : ('string' as const),
	choices: _def.innerType instanceof z.ZodEnum ? _def.innerType.options.join(' | ') : 'TEXT',
}));

const HELP = [
	'npm run --silent sample-delivery -- EVENT_TYPE [--url URL] [OPTION …]',
	...SIGNING_OPTIONS.map(
		({ option, type, choices }) => `  --${option}${type === 'boolean' ? '' : ` ${choices}`}`,
	),
].join('\n');

/** A word that bash reads as it is. */
const quoted = (text: string): string => `'${text.replaceAll("'", String.raw`'\''`)}'`;

function sampleDelivery(args: string[]): string {
	const options: Record<string, { type: 'string' | 'boolean'; default?: string }> = {
		help: { type: 'boolean' },
		url: { type: 'string', default: DEFAULT_URL },
		...Object.fromEntries(SIGNING_OPTIONS.map(({ option, type }) => [option, { type }])),
	};
	const { values, positionals } = parseArgs({ args, allowPositionals: true, options });
	if (values.help === true) return HELP;
	const [eventType, ...rest] = positionals;
	if (eventType === undefined || rest.length > 0 || !EVENT_TYPES.some((one) => one === eventType)) {
		throw new Error(
			`Name one event type, e.g. deposit.received. There are:\n${EVENT_TYPES.join('\n')}`,
		);
	}
	const signing = signingShape.parse(
		Object.fromEntries(SIGNING_OPTIONS.map(({ field, option }) => [field, values[option]])),
	);
	const organisation = new Organisation(randomUUID(), 0);
	const body = JSON.stringify(makeEvent(eventType, organisation, { optionalFields: true }));
	const headers = {
		'content-type': 'application/json',
		...signatureHeaders(body, signing, {
			id: organisation.randomness.identifier('dl'),
			timestamp: Math.floor(Date.now() / 1000),
		}),
	};
	return [
		'curl --include',
		...Object.entries(headers).map(([name, value]) => `--header ${quoted(`${name}: ${value}`)}`),
		`--data-raw ${quoted(body)}`,
		quoted(String(values.url)),
	].join(' ');
}

try {
	process.stdout.write(`${sampleDelivery(process.argv.slice(2))}\n`);
} catch (error) {
	const reason =
		error instanceof z.ZodError
			? error.issues.map(({ path, message }) => `--${path.join('.')}: ${message}`).join('\n')
			: error instanceof Error
				? error.message
				: String(error);
	process.stderr.write(`${reason}\n`);
	process.exitCode = 1;
}
