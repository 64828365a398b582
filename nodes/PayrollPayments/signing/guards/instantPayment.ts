import { centsAsDollars } from '../../shared/money';
import {
	signedAmountInDollars,
	typedAmount,
	TYPED_AMOUNT_UNITS,
	type TypedAmountUnit,
} from '../typedAmount';
import { quoted } from '../../shared/redaction';
import { paymentTypedData } from '../payloads';
import { isSameAddress, refuseToSign } from '../signature';
import { readTypedData, type GuardedTypedData, type UncheckedTypedData } from '../typedData';
import { foreignNamesFinder } from './foreignNames';

interface PaymentExpectation {
	/** The address that signs, or has signed. */
	readonly signer: string;
	readonly teamId: string;
	/** Whole cents, the form's amount. */
	readonly amountCents: number;
	readonly recipientEmail: string;
	readonly typedAmountUnit: TypedAmountUnit;
}

/** An address, possibly padded to 32 bytes. */
const ADDRESS = /^0x(?:0{24})?([0-9a-f]{40})$/i;
/** Without these, a signature would be good on every chain and for every contract. */
const NEEDED_DOMAIN_MEMBERS = ['chainId', 'verifyingContract'];
/** How errors begin the path of a signed value. */
const MESSAGE = 'In Payment Authorization, ';

function checkTexts(
	where: string,
	values: Readonly<Record<string, unknown>>,
	form: PaymentExpectation,
): void {
	const foreignNames = foreignNamesFinder(form);
	for (const [name, value] of Object.entries(values)) {
		const found = foreignNames(String(value));
		if (found === undefined) continue;
		refuseToSign(
			`${where}${name} is ${quoted(value)}, which contains ${found}`,
			'Email addresses and team IDs must be exactly those of the form. Correct the form, or get a new payment authorization.',
		);
	}
}

function checkAmount(given: string, { amountCents, typedAmountUnit }: PaymentExpectation): void {
	const { unitsPerCent } = TYPED_AMOUNT_UNITS[typedAmountUnit];
	if (unitsPerCent === undefined) return;
	const amount =
		typedAmount(given) ??
		refuseToSign(`${MESSAGE}data.amount is ${quoted(given)}, which isn’t a plain whole number`);
	if (amount === BigInt(amountCents) * unitsPerCent) return;
	const other = typedAmountUnit === 'cents' ? 'tokenSixDecimals' : 'cents';
	const { label, unitsPerCent: otherUnits } = TYPED_AMOUNT_UNITS[other];
	refuseToSign(
		`Authorization: ${signedAmountInDollars(given, typedAmountUnit)}. Form: ${centsAsDollars(amountCents)}`,
		amount === BigInt(amountCents) * otherUnits
			? `The amounts are the same if the service counts in another unit. If so, set Typed Amount Unit under Options to ${label}.`
			: 'Correct the amount, or get a new payment authorization.',
	);
}

/**
 * The signing guard of instant payments (docs/api.md, Endpoint 10): checks what the wallet is about to
 * sign, or what a provided signature covers. SECURITY.md lists what can't be compared.
 *
 * The message has exactly the documented members, all of them text, and every member is signed: so the
 * types can hold nothing else.
 * @returns typed data whose `message` is both what is signed and the `typed_data` to send
 */
export function instantPaymentTypedData(
	input: UncheckedTypedData,
	expectation: PaymentExpectation,
): GuardedTypedData {
	const typedData = readTypedData(input, MESSAGE);
	const { domain } = typedData;
	const missing = NEEDED_DOMAIN_MEMBERS.find((name) => !Object.hasOwn(domain, name));
	if (missing !== undefined) {
		return refuseToSign(
			`Domain has no ${missing}`,
			'Without it, the signature would also be valid elsewhere. Get the whole domain from the service.',
		);
	}
	const { data, ...others } = paymentTypedData.parse(typedData.message);
	const from = ADDRESS.exec(others.from.trim())?.[1];
	const { signer } = expectation;
	if (from !== undefined && !isSameAddress(`0x${from}`, signer)) {
		return refuseToSign(`${MESSAGE}from is 0x${from}, not the signing wallet ${signer}`);
	}
	checkTexts(MESSAGE, others, expectation);
	checkTexts(`${MESSAGE}data.`, data, expectation);
	checkTexts('In Domain, ', domain, expectation);
	checkAmount(data.amount, expectation);
	return typedData;
}
