import { centsAsDollars } from '../../shared/money';
import {
	signedAmountInDollars,
	typedAmount,
	TYPED_AMOUNT_UNITS,
	type TypedAmountUnit,
} from '../typedAmount';
import { quoted } from '../../shared/redaction';
import type { PaymentNetwork } from '../../contract/networks';
import { chainLabel, chainsOf } from '../chains';
import { paymentTypedData } from '../payloads';
import { refuseToSign } from '../signature';
import { parseTypedData, type GuardedTypedData, type UncheckedTypedData } from '../typedData';
import { checkSender } from './sender';
import { unexpectedIdentifiers } from './unexpectedIdentifiers';

interface PaymentExpectation {
	/** The address that signs, or has signed. */
	readonly signer: string;
	/** The Platform ID in the credentials. If it is an address, `from` may be that. */
	readonly platformId?: string;
	/** `platform_account_address` of the paying team's balance. `from` may be that, too. */
	readonly teamAccount?: string | null;
	readonly teamId: string;
	/** The team as errors call it. */
	readonly teamLabel: string;
	readonly network: PaymentNetwork;
	/** Whole cents, the form's amount. */
	readonly amountCents: number;
	readonly recipientEmail: string;
	readonly typedAmountUnit: TypedAmountUnit;
}

/** Without these, a signature would be good on every chain and for every contract. */
const NEEDED_DOMAIN_MEMBERS = ['chainId', 'verifyingContract'];
/** How errors begin the path of a signed value. */
const MESSAGE = 'In Payment Authorization, ';

function checkEip712Domain({ domain }: GuardedTypedData, network: PaymentNetwork): void {
	const missing = NEEDED_DOMAIN_MEMBERS.find((name) => !Object.hasOwn(domain, name));
	if (missing !== undefined) {
		return refuseToSign(
			`Domain has no ${missing}`,
			'Without it, the signature would also be valid elsewhere. Get the whole domain from the service.',
		);
	}
	const chains = chainsOf(network);
	if (chains.some((id) => id === domain.chainId)) return;
	refuseToSign(
		`Domain is for chain ${String(domain.chainId)}, which doesn’t belong to the network ${network}`,
		`It must be for ${chains.map(chainLabel).join(' or ')}. Get a payment authorization for one of these.`,
	);
}

/** @param where how errors begin the names of the values */
function checkTexts(
	where: string,
	values: Readonly<Record<string, unknown>>,
	unexpectedIn: (text: string) => string | undefined,
): void {
	for (const [name, value] of Object.entries(values)) {
		const text = String(value);
		if (/[^\x20-\x7e]/.test(text)) {
			refuseToSign(
				`${where}${name} is ${quoted(text)}, which has characters outside printable ASCII`,
				'Such characters can hide what is signed. Get a payment authorization without them.',
			);
		}
		const found = unexpectedIn(text);
		if (found === undefined) continue;
		refuseToSign(
			`${where}${name} is ${quoted(text)}, which contains ${found}`,
			'Email addresses and team IDs must be exactly those of the form. Correct the form, or get a new payment authorization.',
		);
	}
}

function checkAmount(
	given: string,
	{ amountCents, typedAmountUnit }: Pick<PaymentExpectation, 'amountCents' | 'typedAmountUnit'>,
): void {
	const { unitsPerCent } = TYPED_AMOUNT_UNITS[typedAmountUnit];
	if (unitsPerCent === undefined) return;
	const amount =
		typedAmount(given) ??
		refuseToSign(`${MESSAGE}data.amount is ${quoted(given)}, which isn’t a plain whole number`);
	if (amount === BigInt(amountCents) * unitsPerCent) return;
	const other = typedAmountUnit === 'cents' ? 'tokenSixDecimals' : 'cents';
	const { label, unitsPerCent: otherUnits } = TYPED_AMOUNT_UNITS[other];
	refuseToSign(
		`Authorization: ${signedAmountInDollars(given, typedAmountUnit)}. Amount: ${centsAsDollars(amountCents)}`,
		amount === BigInt(amountCents) * otherUnits
			? `The amounts are the same if the service counts in another unit. If so, set Typed Amount Unit under Options to ${label}.`
			: 'Correct the amount, or get a new payment authorization.',
	);
}

/**
 * The signing guard of instant payments (docs/api.md, Endpoint 10): checks what the wallet is about to
 * sign, or what a provided signature covers. SECURITY.md lists what can't be compared.
 *
 * The message has only documented members, all of them text, and every member is signed: so the types
 * can hold nothing else.
 * @returns typed data whose `message` is both what is signed and the `typed_data` to send
 */
export function instantPaymentTypedData(
	input: UncheckedTypedData,
	expectation: PaymentExpectation,
): GuardedTypedData {
	const typedData = parseTypedData(input, MESSAGE);
	const { signer, platformId, teamAccount, network, ...form } = expectation;
	checkEip712Domain(typedData, network);
	const { data, ...others } = paymentTypedData.parse(typedData.message);
	checkSender(MESSAGE, others.from, [
		['the signing wallet', signer],
		['Platform ID', platformId],
		[`the account of team ${form.teamLabel}`, teamAccount],
	]);
	const unexpectedIn = unexpectedIdentifiers(form);
	checkTexts(MESSAGE, others, unexpectedIn);
	checkTexts(`${MESSAGE}data.`, data, unexpectedIn);
	checkTexts('In Domain, ', typedData.domain, unexpectedIn);
	checkAmount(data.amount, form);
	return typedData;
}
