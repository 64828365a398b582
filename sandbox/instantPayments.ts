import { getAddress, isAddress, isHexString, verifyTypedData } from 'ethers';

import { addressFor } from './accounts';
import { ServiceFailure } from './failure';
import type { Team } from './organisation';
import type { Randomness } from './randomness';
import type { Settings } from './settings';

/** `typed_data` of Endpoint 10; what its strings mean isn't documented. */
interface PaymentTypedData {
	readonly from: string;
	readonly to: string;
	readonly salt: string;
	readonly expires: string;
	readonly data: {
		readonly id: string;
		readonly groupID: string;
		readonly payAtTime: string;
		readonly validMinutes: string;
		readonly payType: string;
		readonly token: string;
		readonly recipient: string;
		readonly amount: string;
		readonly data: string;
	};
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
	readonly types: typeof PAYMENT_TYPES;
	readonly primary_type: 'PaymentForwardRequest';
	readonly typed_data: PaymentTypedData;
}

const PAYMENT_TYPES = {
	PaymentForwardRequest: [
		{ name: 'from', type: 'address' },
		{ name: 'to', type: 'address' },
		{ name: 'salt', type: 'bytes32' },
		{ name: 'expires', type: 'uint256' },
		{ name: 'data', type: 'Payment' },
	],
	Payment: [
		{ name: 'id', type: 'string' },
		{ name: 'groupID', type: 'string' },
		{ name: 'payAtTime', type: 'uint256' },
		{ name: 'validMinutes', type: 'uint256' },
		{ name: 'payType', type: 'string' },
		{ name: 'token', type: 'address' },
		{ name: 'recipient', type: 'address' },
		{ name: 'amount', type: 'uint256' },
		{ name: 'data', type: 'string' },
	],
};

/** One cent in units of a token with six decimals. */
const TOKEN_UNITS_PER_CENT = 10_000n;
const VALID_MINUTES = 60;

/** Prepares, checks and books instant payments; each salt pays once. */
export class InstantPayments {
	private readonly paidSalts = new Set<string>();

	/**
	 * Typed data for a payment, with a new salt. Its `from` is the signer, its `groupID` the team and
	 * its `data` the recipient's email.
	 */
	prepare(
		payment: { team: Team; amountCents: number; email: string; signer: string },
		settings: Settings,
		randomness: Randomness,
	): SignablePayment {
		const now = Math.floor(Date.now() / 1000);
		return {
			domain: paymentDomain(settings.chainId),
			types: PAYMENT_TYPES,
			primary_type: 'PaymentForwardRequest',
			typed_data: {
				from: getAddress(payment.signer.toLowerCase()),
				to: payment.team.account,
				salt: randomness.bytes32(),
				expires: String(now + VALID_MINUTES * 60),
				data: {
					id: randomness.identifier('tx'),
					groupID: payment.team.nanoid,
					payAtTime: String(now),
					validMinutes: String(VALID_MINUTES),
					payType: 'instant',
					token: TOKEN,
					recipient: recipientOf(payment.email),
					amount: String(BigInt(payment.amountCents) * TOKEN_UNITS_PER_CENT),
					data: payment.email,
				},
			},
		};
	}

	/** The address that signed, in EIP-55 spelling; throws {@link ServiceFailure} 400. */
	signerOf(payment: InstantPayment, settings: Settings): string {
		try {
			const signer = verifyTypedData(
				paymentDomain(settings.chainId),
				PAYMENT_TYPES,
				payment.typed_data,
				payment.signature,
			);
			if (signer === getAddress(payment.signer.toLowerCase())) return signer;
		} catch {
			// Data that can't be encoded or recovered counts as an invalid signature too.
		}
		throw new ServiceFailure(
			400,
			'The signature was not made by the signer for this payment',
			'signature_invalid',
		);
	}

	/** Compares the signed payment with the body; throws {@link ServiceFailure} 400. */
	check(payment: InstantPayment, team: Team, signer: string): void {
		const { typed_data: signed, external_recipient_email: email } = payment;
		const refuse = (message: string, errorCode: string): never => {
			throw new ServiceFailure(400, message, errorCode);
		};
		if (!isAddress(signed.from) || getAddress(signed.from) !== signer) {
			refuse('typed_data.from is not the signer', 'sender_mismatch');
		}
		if (signed.to.toLowerCase() !== team.account || signed.data.groupID !== team.nanoid) {
			refuse('The payment was not signed for this team', 'team_mismatch');
		}
		if (BigInt(signed.data.amount) !== BigInt(payment.amount_cents) * TOKEN_UNITS_PER_CENT) {
			refuse('typed_data.data.amount differs from amount_cents', 'amount_mismatch');
		}
		if (signed.data.recipient.toLowerCase() !== recipientOf(email).toLowerCase()) {
			refuse('typed_data.data.recipient is not the recipient', 'recipient_mismatch');
		}
		if (Number(signed.expires) * 1000 <= Date.now()) {
			refuse('The payment has expired', 'payment_expired');
		}
		if (!isHexString(signed.salt, 32) || this.paidSalts.has(signed.salt.toLowerCase())) {
			refuse('The payment was already made', 'payment_replayed');
		}
	}

	/** Books the payment; throws {@link ServiceFailure} 400 if the balance is too low. */
	pay(payment: InstantPayment, team: Team): void {
		const balance = team.balances.get(payment.currency_symbol) ?? 0n;
		const amount = BigInt(payment.amount_cents);
		if (balance < amount) {
			throw new ServiceFailure(400, 'The balance is too low', 'insufficient_balance');
		}
		team.balances.set(payment.currency_symbol, balance - amount);
		this.paidSalts.add(payment.typed_data.salt.toLowerCase());
	}
}

const TOKEN = addressFor('token contract');

function paymentDomain(chainId: number): {
	name: string;
	version: string;
	chainId: number;
	verifyingContract: string;
} {
	return {
		name: 'PayrollPayments',
		version: '1',
		chainId,
		verifyingContract: addressFor('payments contract'),
	};
}

/** The recipient's account, derived from the email. */
function recipientOf(email: string): string {
	return addressFor(`recipient ${email}`);
}
