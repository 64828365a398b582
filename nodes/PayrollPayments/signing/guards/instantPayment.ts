import { isRecord } from '../../shared/json';
import {
	centsAsDollars,
	signedAmountInDollars,
	typedAmount,
	TYPED_AMOUNT_UNITS,
	type TypedAmountUnit,
} from '../../shared/money';
import { refuseToSign, type SignatureSource } from '../refuseToSign';
import { isSameAddress } from '../signature';
import {
	isAtomic,
	membersOf,
	quoted,
	readTypedData,
	readTypes,
	type GuardedTypedData,
} from '../typedData';
import { foreignNamesFinder } from './foreignNames';

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
/** Without these, a signature would be good on every chain and for every contract. */
const NEEDED_DOMAIN_MEMBERS = ['chainId', 'verifyingContract'];
/** How errors begin the path of a signed value. */
const PREFIX = 'In Payment Authorization, ';
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
function valuesOf(
	record: Readonly<Record<string, unknown>>,
	prefix: string,
): Array<[string, unknown]> {
	return Object.entries(record).flatMap(([name, value]): Array<[string, unknown]> => {
		const path = `${prefix}${name}`;
		return isRecord(value) ? valuesOf(value, `${path}.`) : [[path, value]];
	});
}

function checkTexts(values: ReadonlyArray<[string, unknown]>, form: PaymentExpectation): void {
	const foreignNames = foreignNamesFinder(form);
	for (const [path, value] of values) {
		const found = foreignNames(String(value));
		if (found === undefined) continue;
		refuseToSign(`${path} is ${quoted(value)}, which contains ${found}`, {
			hint: 'Email addresses and team IDs must be exactly those of the form. Correct the form, or get a new payment authorization.',
		});
	}
}

function checkAmount(given: string, { amountCents, typedAmountUnit }: PaymentExpectation): void {
	if (!Number.isSafeInteger(amountCents) || amountCents <= 0) {
		refuseToSign(`The amount ${amountCents} isn’t a whole number of cents`, {
			field: 'amountCents',
		});
	}
	const { unitsPerCent } = TYPED_AMOUNT_UNITS[typedAmountUnit];
	if (unitsPerCent === undefined) return;
	const amount =
		typedAmount(given) ??
		refuseToSign(`${PREFIX}data.amount is ${quoted(given)}, which isn’t a plain whole number`);
	if (amount === BigInt(amountCents) * unitsPerCent) return;
	const other = typedAmountUnit === 'cents' ? 'tokenSixDecimals' : 'cents';
	const { label, unitsPerCent: otherUnits } = TYPED_AMOUNT_UNITS[other];
	refuseToSign(
		`Authorization: ${signedAmountInDollars(given, typedAmountUnit)}. Form: ${centsAsDollars(amountCents)}`,
		{
			hint:
				amount === BigInt(amountCents) * otherUnits
					? `The amounts are the same if the service counts in another unit. If so, set Typed Amount Unit under Options to ${label}.`
					: 'Correct the amount, or get a new payment authorization.',
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

/**
 * The signing guard of instant payments (docs/api.md, Endpoint 10): checks what the wallet is about to
 * sign, or what a provided signature covers. SECURITY.md lists what can't be compared.
 * @returns typed data whose `message` is both what is signed and the `typed_data` to send
 * @throws {UserError} if it doesn't match the form
 */
export function instantPaymentTypedData(
	{ domain, types, primaryType, typedData: message }: UncheckedPayment,
	expectation: PaymentExpectation,
): GuardedTypedData {
	checkTypes(types, primaryType);
	const typedData = readTypedData({ domain, types, primaryType, message }, PREFIX);
	const missing = NEEDED_DOMAIN_MEMBERS.find((name) => !Object.hasOwn(typedData.domain, name));
	if (missing !== undefined) {
		return refuseToSign(`Domain has no ${missing}`, {
			field: 'domain',
			hint: 'Without it, the signature would also be valid elsewhere. Get the whole domain from the service.',
		});
	}
	const values = new Map(valuesOf(typedData.message, PREFIX));
	for (const [path, value] of values) {
		if (typeof value !== 'string') return refuseToSign(`${path} is not text`);
	}
	const from = ADDRESS.exec(String(typedData.message.from).trim())?.[1];
	const { walletAddress, signatureSource } = expectation;
	if (from !== undefined && !isSameAddress(`0x${from}`, walletAddress)) {
		const who = signatureSource === 'provided' ? 'signer' : 'wallet';
		return refuseToSign(`${PREFIX}from is 0x${from}, not the ${who} ${walletAddress}`);
	}
	checkTexts([...values, ...valuesOf(typedData.domain, 'In Domain, ')], expectation);
	checkAmount(String(values.get(`${PREFIX}data.amount`)), expectation);
	return typedData;
}
