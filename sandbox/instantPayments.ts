import { getAddress, isAddress, verifyTypedData, type TypedDataField } from 'ethers';

import { addressFor } from './accounts';
import { ServiceFailure } from './failure';
import type { Team } from './organisation';
import type { Randomness } from './randomness';
import { chainIdOf, type Settings } from './settings';
import { isCanonical } from './signatures';

/** `typed_data` of Endpoint 10; what its strings mean isn't documented. */
export interface PaymentTypedData {
	readonly from: string;
	readonly to: string;
	readonly salt: string;
	readonly expires: string;
	readonly data: PaymentData;
}

interface PaymentData {
	readonly id?: string;
	readonly groupID?: string;
	readonly payAtTime?: string;
	readonly validMinutes?: string;
	readonly payType?: string;
	readonly token?: string;
	readonly recipient: string;
	readonly amount: string;
	readonly data?: string;
}

/** The body of Endpoint 10. */
export interface InstantPayment {
	readonly from: string;
	readonly amount_cents: number;
	readonly signer: string;
	readonly typed_data: PaymentTypedData;
	readonly signature: string;
	readonly external_recipient_email: string;
	readonly currency_symbol: string;
	readonly network: string;
}

/** A payment that is ready to sign. */
export interface SignablePayment {
	readonly domain: ReturnType<typeof paymentDomain>;
	readonly types: Record<string, TypedDataField[]>;
	readonly primary_type: 'PaymentForwardRequest';
	readonly typed_data: PaymentTypedData;
}

/** What is to be paid, and who signs. */
export interface PaymentOrder {
	readonly team: Team;
	readonly amountCents: number;
	readonly email: string;
	readonly signer: string;
	/** The account contract of the signer, if it has one. */
	readonly platformId?: string;
}

/** The types that differ between the two forms. */
const TYPES = {
	numbers: {
		salt: 'uint64',
		expires: 'uint48',
		id: 'uint256',
		groupID: 'uint256',
		payAtTime: 'uint48',
		validMinutes: 'uint32',
		payType: 'uint8',
		data: 'bytes',
	},
	texts: {
		salt: 'bytes32',
		expires: 'uint256',
		id: 'string',
		groupID: 'string',
		payAtTime: 'uint256',
		validMinutes: 'uint256',
		payType: 'string',
		data: 'string',
	},
} as const;

/** One cent in units of a token with six decimals. */
const TOKEN_UNITS_PER_CENT = 10_000n;
const VALID_MINUTES = 60;
const TOKEN = addressFor('token contract');

/** Typed data for a payment, with a new salt. */
export function preparePayment(
	order: PaymentOrder,
	settings: Settings,
	randomness: Randomness,
): SignablePayment {
	const now = Math.floor(Date.now() / 1000);
	const isNumbers = settings.paymentForm === 'numbers';
	const data: PaymentData = {
		id: isNumbers ? randomness.smallNumber() : randomness.identifier('tx'),
		groupID: isNumbers ? randomness.smallNumber() : order.team.nanoid,
		payAtTime: String(now),
		validMinutes: String(VALID_MINUTES),
		payType: isNumbers ? '1' : 'instant',
		token: TOKEN,
		recipient: recipientOf(order.email),
		amount: String(BigInt(order.amountCents) * TOKEN_UNITS_PER_CENT),
		data: isNumbers ? '0x' : order.email,
	};
	return {
		domain: paymentDomain(settings),
		types: typesOf(settings),
		primary_type: 'PaymentForwardRequest',
		typed_data: {
			from: senderOf(order, settings),
			to: order.team.account,
			salt: isNumbers ? randomness.smallNumber() : randomness.bytes32(),
			expires: String(now + VALID_MINUTES * 60),
			data: without(data, settings.omittedPaymentMembers),
		},
	};
}

/** The address that signed, in EIP-55 spelling; throws {@link ServiceFailure} 400. */
export function signerOf(payment: InstantPayment, settings: Settings): string {
	const { typed_data: signed, signature } = payment;
	try {
		const signer = verifyTypedData(paymentDomain(settings), typesOf(settings), signed, signature);
		const isSigner = signer === getAddress(payment.signer.toLowerCase());
		if (isSigner && isCanonical(signature)) return signer;
	} catch {
		// Data that can't be encoded or recovered counts as an invalid signature too.
	}
	throw new ServiceFailure(
		400,
		'The signature was not made by the signer for this payment',
		'INVALID_SIGNATURE',
	);
}

/** Compares the signed payment with the order in the body; throws {@link ServiceFailure} 400. */
export function checkPayment(
	{ typed_data: signed }: InstantPayment,
	order: PaymentOrder,
	settings: Settings,
): void {
	const refuse = (message: string, errorCode: string): never => {
		throw new ServiceFailure(400, message, errorCode);
	};
	const sender = senderOf(order, settings);
	if (!isAddress(signed.from) || getAddress(signed.from) !== getAddress(sender)) {
		refuse(`typed_data.from is not ${SENDERS[settings.typedDataFrom]}`, 'SENDER_MISMATCH');
	}
	const isOtherGroup =
		settings.paymentForm === 'texts' && signed.data.groupID !== order.team.nanoid;
	if (signed.to.toLowerCase() !== order.team.account || isOtherGroup) {
		refuse('The payment was not signed for this team', 'TEAM_MISMATCH');
	}
	if (BigInt(signed.data.amount) !== BigInt(order.amountCents) * TOKEN_UNITS_PER_CENT) {
		refuse('typed_data.data.amount differs from amount_cents', 'AMOUNT_MISMATCH');
	}
	if (signed.data.recipient.toLowerCase() !== recipientOf(order.email).toLowerCase()) {
		refuse('typed_data.data.recipient is not the recipient', 'INVALID_RECIPIENT');
	}
	if (signed.data.token !== undefined && getAddress(signed.data.token) !== TOKEN) {
		refuse('typed_data.data.token is not a token that this service pays in', 'TOKEN_MISMATCH');
	}
	if (Number(signed.expires) * 1000 <= Date.now()) {
		refuse('The payment has expired', 'EXPIRED_TYPED_DATA');
	}
}

/** The members in one spelling, to compare them: `57164`, `057164` and `0xdf4c` are one number. */
export function plainly({ data, ...request }: PaymentTypedData): string {
	return Object.entries({ ...request, ...data })
		.filter(([, value]) => value !== undefined)
		.map(([name, value]) => `${name}: ${/^(\d+|0x[\da-f]+)$/i.test(value) ? BigInt(value) : value}`)
		.sort()
		.join('\n');
}

const SENDERS = {
	wallet: 'the signer',
	platformId: 'the signer’s account contract',
	teamAccount: 'the account of the team',
} as const;

function senderOf(order: PaymentOrder, { typedDataFrom }: Settings): string {
	if (typedDataFrom === 'teamAccount') return getAddress(order.team.account);
	const wallet = getAddress(order.signer.toLowerCase());
	return typedDataFrom === 'wallet' ? wallet : (order.platformId ?? wallet);
}

function typesOf({
	paymentForm,
	omittedPaymentMembers,
}: Settings): Record<string, TypedDataField[]> {
	const { salt, expires, ...members } = TYPES[paymentForm];
	const payment = [
		{ name: 'id', type: members.id },
		{ name: 'groupID', type: members.groupID },
		{ name: 'payAtTime', type: members.payAtTime },
		{ name: 'validMinutes', type: members.validMinutes },
		{ name: 'payType', type: members.payType },
		{ name: 'token', type: 'address' },
		{ name: 'recipient', type: 'address' },
		{ name: 'amount', type: 'uint256' },
		{ name: 'data', type: members.data },
	];
	const omitted: readonly string[] = omittedPaymentMembers;
	return {
		PaymentForwardRequest: [
			{ name: 'from', type: 'address' },
			{ name: 'to', type: 'address' },
			{ name: 'salt', type: salt },
			{ name: 'expires', type: expires },
			{ name: 'data', type: 'Payment' },
		],
		Payment: payment.filter(({ name }) => !omitted.includes(name)),
	};
}

function without(data: PaymentData, names: Settings['omittedPaymentMembers']): PaymentData {
	return { ...data, ...Object.fromEntries(names.map((name) => [name, undefined])) };
}

function paymentDomain(settings: Settings): {
	name: string;
	version: string;
	chainId: number | string;
	verifyingContract: string;
} {
	return {
		name: 'PayrollPayments',
		version: '1.0.0',
		chainId: chainIdOf(settings),
		verifyingContract: addressFor('payments contract'),
	};
}

/** The recipient's account, derived from the email. */
function recipientOf(email: string): string {
	return addressFor(`recipient ${email}`);
}
