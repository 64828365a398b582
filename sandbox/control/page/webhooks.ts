import type { DeliveryAttempt, Endpoint } from '../../deliveries';
import { hasSetting, SCHEME_NAMES, SIGNING_SCHEMES } from '../../signingSchemes';
import { call } from './control';
import { credentialSettings, type Setting } from './credentialSettings';
import {
	button,
	byId,
	copy,
	copyable,
	element,
	input,
	onSubmit,
	report,
	select,
	setOptions,
} from './elements';
import { eventName } from './eventName';
import { toCents } from './money';
import { resultOf } from './verdict';

type Signing = Omit<Endpoint, 'nanoid' | 'url' | 'name' | 'link'>;

const NEW_ENDPOINT = '';
const HOUR_SECONDS = 3_600;

/** Secrets of the same words, as the scheme needs them to be written. */
const SAMPLE_SECRETS = {
	text: 'sandbox-webhook-secret',
	hex: '73616e64626f782d776562686f6f6b2d736563726574',
	base64: 'whsec_c2FuZGJveC13ZWJob29rLXNlY3JldA==',
} as const;

/** Schemes of well-known kinds to start from. */
const CUSTOM_EXAMPLES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
	slack: {
		signedContent: 'v0:{timestamp}:{body}',
		header: 'X-Slack-Signature',
		timestampHeader: 'X-Slack-Request-Timestamp',
		signaturePrefix: 'v0=',
	},
	method: { signedContent: '{method}{body}' },
	identified: { signedContent: '{id}.{timestamp}.{body}', timestampFormat: 'iso' },
	sha512: { algorithm: 'sha512', encoding: 'base64', secretEncoding: 'base64' },
};
const CUSTOM_DEFAULTS = {
	signedContent: '{timestamp}.{body}',
	header: 'X-Signature',
	timestampHeader: 'X-Timestamp',
	timestampFormat: 'seconds',
	idHeader: 'X-Delivery-ID',
	signaturePrefix: '',
	algorithm: 'sha256',
	encoding: 'hex',
	secretEncoding: 'text',
} as const;

const VARIANT_HINTS: Readonly<Record<string, string>> = {
	genuine: 'Signed with the secret. A complete deposit also raises the team’s balance.',
	duplicate:
		'Signs the event sent last correctly, and sends it again with the same idempotency key.',
	forged: 'Signed with another secret. Expect 401. It isn’t sent again.',
	unsigned: 'Without a signature or token. Expect 401. It isn’t sent again.',
	old: 'Created and signed an hour ago. Expect 401 if the signature contains the time.',
};

let endpoints: readonly Endpoint[] = [];

const variant = (): string =>
	document.querySelector<HTMLInputElement>('input[name=variant]:checked')?.value ?? 'genuine';

const chosenScheme = () =>
	SCHEME_NAMES.find((name) => name === select('scheme').value) ?? 'timestamped';

/** How the form says to sign; fields that the scheme doesn't use have their defaults. */
function signing(): Signing {
	const field = (id: string): string =>
		byId(id, HTMLElement) instanceof HTMLSelectElement ? select(id).value : input(id).value.trim();
	const isUsed = (id: string): boolean => byId(id, HTMLElement).closest('[hidden]') === null;
	const used = (id: keyof typeof CUSTOM_DEFAULTS): string =>
		isUsed(id) ? field(id) : CUSTOM_DEFAULTS[id];
	const oneOf = <Value extends string>(value: string, ...values: [Value, ...Value[]]): Value =>
		values.find((each) => each === value) ?? values[0];
	const previousSecret = isUsed('previousSecret') ? field('previousSecret') : '';
	return {
		scheme: chosenScheme(),
		secret: input('secret').value,
		...(previousSecret !== '' && { previousSecret }),
		header: used('header'),
		prefixed: isUsed('prefixed') && input('prefixed').checked,
		separator: isUsed('spaced') && input('spaced').checked ? ' ' : ',',
		bearer: isUsed('bearer') && input('bearer').checked,
		headerPrefix: oneOf(field('headerPrefix'), 'webhook', 'svix'),
		signedContent: used('signedContent'),
		timestampHeader: used('timestampHeader'),
		timestampFormat: oneOf(used('timestampFormat'), 'seconds', 'milliseconds', 'iso'),
		idHeader: used('idHeader'),
		algorithm: oneOf(used('algorithm'), 'sha256', 'sha512'),
		encoding: oneOf(used('encoding'), 'hex', 'base64'),
		signaturePrefix: used('signaturePrefix'),
		secretEncoding: oneOf(used('secretEncoding'), 'text', 'hex', 'base64'),
	};
}

/** Shows an endpoint in the form. */
function fill(endpoint: Endpoint): void {
	select('endpoint').value = endpoint.nanoid;
	input('address').value = endpoint.url ?? '';
	select('scheme').value = endpoint.scheme;
	input('secret').value = endpoint.secret;
	input('previousSecret').value = endpoint.previousSecret ?? '';
	input('prefixed').checked = endpoint.prefixed;
	input('spaced').checked = endpoint.separator === ' ';
	input('bearer').checked = endpoint.bearer;
	select('headerPrefix').value = endpoint.headerPrefix;
	fillCustom(endpoint);
	showScheme();
}

function fillCustom(values: Readonly<Record<keyof typeof CUSTOM_DEFAULTS, string>>): void {
	for (const id of [
		'signedContent',
		'header',
		'timestampHeader',
		'idHeader',
		'signaturePrefix',
	] as const) {
		input(id).value = values[id];
	}
	for (const id of ['timestampFormat', 'algorithm', 'encoding', 'secretEncoding'] as const) {
		select(id).value = values[id];
	}
}

/** Rows of a list, without those that have no value. */
const copyableList = (settings: readonly Setting[]): HTMLElement[] =>
	settings
		.filter(({ value }) => value !== '')
		.map(({ label, value }) =>
			element('div', '', element('dt', '', label), element('dd', '', copyable(label, value))),
		);

/** Shows the fields of the chosen scheme, and what n8n needs for it. */
function showScheme(): void {
	const scheme = chosenScheme();
	for (const field of document.querySelectorAll<HTMLElement>('[data-setting]')) {
		field.hidden = !hasSetting(scheme, field.dataset.setting ?? '');
	}
	const nanoid = select('endpoint').value;
	byId('settings', HTMLElement).replaceChildren(
		...copyableList(credentialSettings({ ...signing(), nanoid })),
	);
	const registered = endpoints.find((each) => each.nanoid === nanoid);
	byId('webhook', HTMLElement).replaceChildren(
		...copyableList([
			{ label: 'Webhook URL', value: input('address').value },
			{ label: 'Webhook ID, for Send Test', value: registered?.nanoid ?? '' },
		]),
	);
}

/** Replaces a sample secret with one that the scheme can decode; a person's own stays. */
function suggestSecret(): void {
	const samples: readonly string[] = Object.values(SAMPLE_SECRETS);
	if (!samples.includes(input('secret').value)) return;
	const { scheme, secretEncoding } = signing();
	const encoding = scheme === 'standardWebhooks' ? 'base64' : secretEncoding;
	input('secret').value = SAMPLE_SECRETS[encoding];
}

function chooseScheme(): void {
	const isCustom = select('scheme').value === 'custom';
	fillCustom({
		...CUSTOM_DEFAULTS,
		...(isCustom ? CUSTOM_EXAMPLES[select('example').value] : {}),
	});
	showScheme();
	suggestSecret();
	showScheme();
}

function chooseEvent(): void {
	const isDeposit = select('event').value === 'deposit.received';
	const isRepeated = variant() === 'duplicate';
	byId('deposit', HTMLElement).hidden = !isDeposit || isRepeated;
	byId('undocumented', HTMLElement).hidden = isDeposit || isRepeated;
	select('event').disabled = isRepeated;
	byId('variant-hint', HTMLElement).textContent = VARIANT_HINTS[variant()] ?? '';
}

/** Takes over endpoints that were registered elsewhere, e.g. by `npm start`. */
export function showEndpoints(current: readonly Endpoint[]): void {
	const isFirst = endpoints.length === 0;
	endpoints = current;
	setOptions(select('endpoint'), [
		...current.map(({ nanoid, url, name }) => {
			const address = url ?? `${nanoid}, without a URL yet`;
			return [nanoid, name === undefined ? address : `${name} (${address})`] as const;
		}),
		[NEW_ENDPOINT, 'New webhook'],
	]);
	const last = current.findLast(({ url }) => url !== undefined) ?? current[0];
	if (isFirst && last) fill(last);
}

/** Registers the endpoint as the form describes it; another URL is another webhook. */
async function save(): Promise<Endpoint> {
	const url = input('address').value;
	const chosen = endpoints.find(({ nanoid }) => nanoid === select('endpoint').value);
	const target =
		chosen && (chosen.url ?? url) === url ? chosen : endpoints.find((each) => each.url === url);
	const saved = await call<Endpoint>('POST', 'endpoints', {
		...signing(),
		url,
		...(target && { nanoid: target.nanoid, name: target.name, link: target.link }),
	});
	const { endpoints: all } = await call<{ endpoints: Endpoint[] }>('GET', 'endpoints');
	showEndpoints(all);
	fill(saved);
	return saved;
}

/** Fields of the deposit as the form has them. Throws if the amount isn't one. */
function deposit(): object {
	const cents = Number(toCents(input('amount').value) ?? Number.NaN);
	if (!Number.isSafeInteger(cents)) throw new Error('Amount isn’t an amount like 1,250.00.');
	const currency = select('currency').value;
	const reference = input('reference').value.trim();
	return {
		source_amount_cents: cents,
		destination_amount_cents: cents,
		source_currency: currency,
		destination_currency: currency,
		network: select('network').value,
		...(reference !== '' && { reference }),
	};
}

async function send(): Promise<string> {
	const chosen = variant();
	const eventType = select('event').value;
	const isDeposit = eventType === 'deposit.received';
	const content = isDeposit && chosen !== 'duplicate' ? deposit() : {};
	const { nanoid: endpoint } = await save();
	if (chosen === 'duplicate') {
		const again = await call<Sent>('POST', 'deliveries/repeat', { endpoint });
		return `Last event sent again: ${outcomeOf(again)}`;
	}
	const delivery = {
		endpoint,
		retries: chosen === 'genuine',
		...(chosen === 'forged' && { signature: 'wrong' }),
		...(chosen === 'unsigned' && { signature: 'missing' }),
		...(chosen === 'old' && { age: HOUR_SECONDS }),
	};
	const created = Math.floor(Date.now() / 1000) - HOUR_SECONDS;
	const envelope = chosen === 'old' ? { created } : {};
	/* One event for each, in this order. */
	const statuses = select('status').value.split(' ');
	const sent = isDeposit
		? await call<Sent>('POST', 'deposits', { deposit: content, statuses, envelope, delivery })
		: await call<Sent>('POST', 'events', { event_type: eventType, envelope, delivery });
	return `${eventName(eventType)} sent: ${outcomeOf(sent)}`;
}

interface Sent {
	readonly attempts: readonly DeliveryAttempt[];
}

const outcomeOf = ({ attempts }: Sent): string => attempts.map(resultOf).join('; ');

/** Sets up the form that sends events. */
export async function setUpWebhooks(refresh: () => Promise<void>): Promise<void> {
	setOptions(
		select('scheme'),
		SCHEME_NAMES.map((name) => [name, SIGNING_SCHEMES[name].label]),
	);
	const { event_types: types } = await call<{ event_types: string[] }>('GET', 'event-types');
	const named = types.map((type) => [type, eventName(type)] as const);
	setOptions(
		select('event'),
		named.sort(([, one], [, other]) => one.localeCompare(other, 'en')),
	);
	select('event').value = 'deposit.received';
	chooseEvent();
	select('event').addEventListener('change', chooseEvent);
	for (const radio of document.querySelectorAll('input[name=variant]')) {
		radio.addEventListener('change', chooseEvent);
	}

	select('endpoint').addEventListener('change', () => {
		const chosen = endpoints.find(({ nanoid }) => nanoid === select('endpoint').value);
		if (chosen) fill(chosen);
		else {
			input('address').value = '';
			showScheme();
			input('address').focus();
		}
	});
	select('scheme').addEventListener('change', chooseScheme);
	select('example').addEventListener('change', chooseScheme);
	select('secretEncoding').addEventListener('change', suggestSecret);
	byId('send', HTMLFormElement).addEventListener('input', showScheme);
	button('copy-settings').addEventListener('click', () => {
		const settings = credentialSettings({ ...signing(), nanoid: '' });
		const lines = settings.map(({ label, value }) => `${label}: ${value}`);
		void copy(button('copy-settings'), lines.join('\n'));
	});

	onSubmit('send', () => void report('sent', send).then(refresh));
	button('save').addEventListener('click', () => {
		if (!byId('send', HTMLFormElement).reportValidity()) return;
		const work = async (): Promise<string> => `Saved as ${(await save()).nanoid}.`;
		void report('sent', work).then(refresh);
	});
}
