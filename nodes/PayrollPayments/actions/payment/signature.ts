import { Refusal } from '../../shared/errors';
import type { PaymentPayload } from '../../api/schemas/typedData';
import type { Service } from '../service';
import type { PaymentExpectation } from '../../signing';

type Json = Readonly<Record<string, unknown>>;

/** What EIP-712 needs in addition to the message. */
interface Description {
	readonly domain: Json;
	readonly types: Json;
	readonly primaryType: string;
}

/** The form's fields about the payment's signature. */
interface SignatureInput {
	readonly typedData: PaymentPayload;
	readonly domain: Json | undefined;
	readonly types: Json | undefined;
	readonly primaryType: string | undefined;
	/** Set if it is provided. If not, the wallet signs. */
	readonly signature: string | undefined;
}

const LABELS = { domain: 'Domain', types: 'Types', primaryType: 'Primary Type' };
const WALLET_NEEDS_IT =
	'The wallet needs Domain, Types and Primary Type to sign. Fill them in, or use a whole EIP-712 payload as Typed Data. Nothing was sent.';
const CHECK_NEEDS_IT =
	'Fill in Domain, Types and Primary Type to have the signature checked, or leave all three empty. Nothing was sent.';

function isSameJson(one: unknown, other: unknown): boolean {
	if (typeof one !== 'object' || typeof other !== 'object' || one === null || other === null) {
		return one === other;
	}
	const members = Object.entries(one);
	const others = new Map(Object.entries(other));
	return (
		Array.isArray(one) === Array.isArray(other) &&
		members.length === others.size &&
		members.every(([name, value]) => others.has(name) && isSameJson(value, others.get(name)))
	);
}

/**
 * Domain, types and primary type, each from its field or from Typed Data, if that is a whole EIP-712
 * payload. If both are filled in, they must agree.
 */
function readDescription(input: SignatureInput): Partial<Description> {
	const { domain, types, primaryType, typedData: payload } = input;
	for (const name of ['domain', 'types', 'primaryType'] as const) {
		const [own, given] = [input[name], payload[name]];
		if (own === undefined || given === undefined || isSameJson(own, given)) continue;
		throw new Refusal(`${LABELS[name]} differs from the one in Typed Data`, {
			field: name,
			hint: `Correct one of the two, or leave ${LABELS[name]} empty. Nothing was signed or sent.`,
		});
	}
	return {
		domain: domain ?? payload.domain,
		types: types ?? payload.types,
		primaryType: primaryType ?? payload.primaryType,
	};
}

function completed(
	{ domain, types, primaryType }: Partial<Description>,
	hint: string,
): Description {
	const missing = (field: keyof Description) =>
		new Refusal(`${LABELS[field]} is missing`, { field, hint });
	if (domain === undefined) throw missing('domain');
	if (types === undefined) throw missing('types');
	if (primaryType === undefined) throw missing('primaryType');
	return { domain, types, primaryType };
}

function descriptionToSign(input: SignatureInput): Description {
	return completed(readDescription(input), WALLET_NEEDS_IT);
}

/** `undefined` if the form doesn't say what a provided signature covers. */
function descriptionToCheck(input: SignatureInput): Description | undefined {
	const description = readDescription(input);
	if (Object.values(description).every((value) => value === undefined)) return undefined;
	return completed(description, CHECK_NEEDS_IT);
}

/** @throws {Refusal} if domain, types or primary type is missing or contradicts Typed Data */
export function checkDescription(input: SignatureInput): void {
	if (input.signature === undefined) descriptionToSign(input);
	else descriptionToCheck(input);
}

/**
 * Checks a payment's typed data against the form, before anyone signs it. A provided signature must
 * also be the signer's, if domain and types say what it covers.
 * @param signer address of the wallet that signs or has signed
 * @returns what signs with the wallet, or returns the provided signature
 * @throws {Refusal} if they disagree
 */
export async function guardPayment(
	input: SignatureInput,
	form: Pick<PaymentExpectation, 'teamId' | 'amountCents' | 'recipientEmail' | 'typedAmountUnit'>,
	signer: string,
): Promise<(service: Service) => Promise<string>> {
	const { signature, typedData: payload } = input;
	if (signature === undefined) {
		const description = descriptionToSign(input);
		const { instantPaymentTypedData } = await import('../../signing');
		const typedData = instantPaymentTypedData(
			{ ...description, typedData: payload.message },
			{ ...form, walletAddress: signer },
		);
		return async (service) => await (await service.wallet()).signTypedData(typedData);
	}
	const description = descriptionToCheck(input);
	if (description !== undefined) {
		const { instantPaymentTypedData, checkSigner } = await import('../../signing');
		const typedData = instantPaymentTypedData(
			{ ...description, typedData: payload.message },
			{ ...form, walletAddress: signer, signatureSource: 'provided' },
		);
		await checkSigner(typedData, { signer, signature });
	}
	return async () => signature;
}
