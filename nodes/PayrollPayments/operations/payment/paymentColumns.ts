import { entityLabel } from '../../api/credentials';
import { serviceHost } from '../../run/approve';
import type { OutputRecord } from '../../run/write';
import { centsAsDecimal } from '../../shared/money';
import { chainLabel, readChainId } from '../../signing/chains';
import type { PaymentForm, PaymentInput, PaymentRun } from './fields';

/** What a person needs to judge a payment. Null where the form doesn't tell. */
export function columnsOf({ input, options }: PaymentForm, run: PaymentRun) {
	const { message } = input.typedData;
	return {
		amount: centsAsDecimal(input.cents),
		currency: input.currency,
		network: input.network,
		team: entityLabel(input.teamId, run.credentials.entities),
		recipient_email: input.recipientEmail,
		recipient_address: filled(message.data.recipient) ?? null,
		token: filled(message.data.token) ?? null,
		reference: input.paymentReference ?? null,
		expires: filled(message.expires) ?? null,
		signer: input.signer ?? null,
		...signedFor(input.typedData.domain ?? options.domain),
		service: serviceHost(run.approvable),
	};
}

/**
 * The columns of a payment that was refused before it could be checked: those that its form or row tells.
 * @param team as people call it
 */
export function columnsOfRefused(
	{ amountCents, amountDollars, typedData, ...input }: Partial<PaymentInput>,
	team = input.teamId,
): OutputRecord {
	const cents = amountCents ?? amountDollars;
	const message = typedData?.message;
	const columns = {
		amount: cents === undefined ? undefined : centsAsDecimal(cents),
		currency: input.currency,
		network: input.network,
		team,
		recipient_email: input.recipientEmail,
		recipient_address: filled(message?.data.recipient),
		token: filled(message?.data.token),
		reference: input.paymentReference,
		expires: filled(message?.expires),
		signer: input.signer,
	};
	return Object.fromEntries(
		Object.entries(columns).flatMap(([name, value]) =>
			value === undefined ? [] : [[name, value]],
		),
	);
}

function filled(text = ''): string | undefined {
	return text.trim() === '' ? undefined : text;
}

/** Which chain and contract the signature is for. */
function signedFor({ chainId, verifyingContract }: Readonly<Record<string, unknown>> = {}) {
	return {
		chain: readChainId(chainId) === undefined ? null : chainLabel(chainId),
		contract: typeof verifyingContract === 'string' ? verifyingContract : null,
	};
}
