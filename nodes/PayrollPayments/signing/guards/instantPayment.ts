import { isRecord } from '../../shared/json';
import { centsAsDollars } from '../../shared/money';
import { guarded, refuseToSign, type SignatureSource } from '../refuseToSign';
import { isSameAddress } from '../signature';
import { isAtomic, membersOf, quoted, readTypedData, readTypes } from '../typedData';
import type { TypedData } from '../wallet';

/** The unit of typedData.data.amount, which the service doesn't document. */
type TypedAmountUnit = 'tokenSixDecimals' | 'cents' | 'notChecked';

export interface PaymentExpectation {
	/** The address that signs, or has signed. */
	walletAddress: string;
	/** Whose signature it is. Default: the wallet's. */
	signatureSource?: SignatureSource;
	teamId: string;
	/** Whole cents, the form's amount. */
	amountCents: number;
	recipientEmail: string;
	typedAmountUnit: TypedAmountUnit;
	/** Milliseconds since 1970. Default: the clock. */
	now?: number;
}

const MESSAGE_MEMBERS = ['from', 'to', 'salt', 'expires', 'data'];
const DATA_MEMBERS = [
	'id',
	'groupID',
	'payAtTime',
	'validMinutes',
	'payType',
	'token',
	'recipient',
	'amount',
	'data',
];
/** Without these, a signature would allow any amount, or a payment to anyone. */
const NEEDED_DATA_MEMBERS = ['recipient', 'amount'];

/** An address, possibly padded to 32 bytes. */
const ADDRESS = /^0x(?:0{24})?([0-9a-f]{40})$/i;
const TEAM = /^te-[\w-]{12}$/i;
const TOKEN_UNITS_PER_CENT = 10_000n;
const TYPES = { field: 'types' };

/** Typed data is documented as two levels of text, so deeper levels are refused. */
function checkTypes(input: unknown, primaryType: string): void {
	const types = readTypes(input);
	const primary =
		membersOf(types, primaryType) ??
		refuseToSign(`The primary type ${quoted(primaryType)} is not among the types`, {
			field: 'primaryType',
		});
	const names = primary.map(({ name }) => name);
	const missing = MESSAGE_MEMBERS.find((name) => !names.includes(name));
	if (missing !== undefined)
		refuseToSign(`The type ${primaryType} does not sign ${missing}`, TYPES);
	const dataType = primary.find(({ name }) => name === 'data')?.type ?? '';
	const data = membersOf(types, dataType) ?? [];
	for (const name of NEEDED_DATA_MEMBERS) {
		if (data.every((member) => member.name !== name)) {
			refuseToSign(`The types do not sign data.${name}`, TYPES);
		}
	}
	const undocumented =
		names.find((name) => !MESSAGE_MEMBERS.includes(name)) ??
		data.find(({ name }) => !DATA_MEMBERS.includes(name))?.name;
	if (undocumented !== undefined) {
		refuseToSign(`The types sign ${undocumented}, which the service does not document`, TYPES);
	}
	const nested = [...primary.filter(({ name }) => name !== 'data'), ...data].find(
		({ type }) => !isAtomic(type),
	);
	if (nested !== undefined) {
		refuseToSign(`The type of ${nested.name} is ${quoted(nested.type)}, not a plain value`, TYPES);
	}
}

/** Every signed value, with its path. */
function valuesOf(record: Record<string, unknown>, path: string): Array<[string, unknown]> {
	return Object.entries(record).flatMap(([name, value]): Array<[string, unknown]> => {
		const place = `${path}.${name}`;
		return isRecord(value) ? valuesOf(value, place) : [[place, value]];
	});
}

/**
 * Whether a text looks like an email address: something before a single @, a dot between two other
 * characters after it, and no white space. Linear in the length of the text, which anyone may choose.
 */
function isEmail(text: string): boolean {
	const at = text.indexOf('@');
	const dot = text.indexOf('.', at + 2);
	return (
		at > 0 &&
		text.lastIndexOf('@') === at &&
		dot !== -1 &&
		dot < text.length - 1 &&
		!/\s/.test(text)
	);
}

/** Lower case for A to Z only. Other letters that fold to these belong to other mailboxes. */
function foldAscii(value: string): string {
	return value.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
}

function checkTexts(
	values: ReadonlyArray<[string, unknown]>,
	{ teamId, recipientEmail }: PaymentExpectation,
): void {
	for (const [path, value] of values) {
		const text = String(value);
		if (TEAM.test(text.trim()) && text !== teamId) {
			refuseToSign(`${path} is the team ${quoted(text)}, not the form’s ${teamId}`);
		}
		if (isEmail(text.trim()) && foldAscii(text) !== foldAscii(recipientEmail)) {
			refuseToSign(`${path} is the email ${quoted(text)}, not the form’s ${recipientEmail}`);
		}
	}
}

function tokenUnitsAsDollars(units: bigint): string {
	const rest = (units % TOKEN_UNITS_PER_CENT).toString().padStart(4, '0').replace(/0+$/, '');
	return `${centsAsDollars(units / TOKEN_UNITS_PER_CENT)}${rest}`;
}

function checkAmount(given: string, { amountCents, typedAmountUnit }: PaymentExpectation): void {
	if (!Number.isSafeInteger(amountCents) || amountCents <= 0) {
		refuseToSign(`The amount ${amountCents} isn’t a whole number of cents`, {
			field: 'amountCents',
		});
	}
	if (typedAmountUnit === 'notChecked') return;
	const form = `the form’s ${amountCents} cents (${centsAsDollars(amountCents)})`;
	if (!/^(?:0|[1-9]\d{0,77})$/.test(given)) {
		refuseToSign(
			`typedData.data.amount is ${quoted(given)}, which isn’t a plain whole number like ${form}`,
		);
	}
	const amount = BigInt(given);
	const asCents = BigInt(amountCents);
	const asTokens = asCents * TOKEN_UNITS_PER_CENT;
	const [wanted, other, otherUnit] =
		typedAmountUnit === 'cents'
			? [asCents, asTokens, 'Token Units (Six Decimals)']
			: [asTokens, asCents, 'Cents'];
	if (amount === wanted) return;
	const [dollars, unit] =
		typedAmountUnit === 'cents'
			? [centsAsDollars(amount), 'cents']
			: [tokenUnitsAsDollars(amount), 'token units with six decimals'];
	refuseToSign(
		`typedData.data.amount is ${given}, as ${unit} ${dollars}, not ${form}, which are ${wanted}`,
		{
			hint:
				amount === other
					? `It would fit as ${otherUnit}: if the service counts so, set Typed Amount Unit to it.`
					: 'Correct the amount, or the typed data.',
		},
	);
}

/** What the form asks to sign. */
interface UncheckedPayment {
	readonly typedData: unknown;
	readonly domain: unknown;
	readonly types: unknown;
	readonly primaryType: string;
}

function check(input: UncheckedPayment, expectation: PaymentExpectation): TypedData {
	checkTypes(input.types, input.primaryType);
	const typedData = readTypedData(
		{
			domain: input.domain,
			types: input.types,
			primaryType: input.primaryType,
			message: input.typedData,
		},
		'typedData',
	);
	const values = new Map(valuesOf(typedData.message, 'typedData'));
	for (const [path, value] of values) {
		if (typeof value !== 'string') return refuseToSign(`${path} is not text`);
	}
	const from = ADDRESS.exec(String(values.get('typedData.from')).trim())?.[1];
	const { walletAddress, signatureSource } = expectation;
	if (from !== undefined && !isSameAddress(`0x${from}`, walletAddress)) {
		const who = signatureSource === 'provided' ? 'signer' : 'wallet';
		return refuseToSign(`typedData.from is 0x${from}, not the ${who} ${walletAddress}`);
	}
	checkTexts([...values, ...valuesOf(typedData.domain, 'domain')], expectation);
	checkAmount(String(values.get('typedData.data.amount')), expectation);
	return typedData;
}

/**
 * The signing guard of instant payments (docs/api.md, Endpoint 10): checks what the wallet is about to
 * sign, or what a provided signature covers. SECURITY.md lists what can't be compared.
 * @returns typed data whose `message` is both what is signed and the `typed_data` to send
 * @throws {Refusal} if it doesn't match the form
 */
export function instantPaymentTypedData(
	input: UncheckedPayment,
	expectation: PaymentExpectation,
): TypedData {
	return guarded(expectation.signatureSource ?? 'wallet', () => check(input, expectation));
}
