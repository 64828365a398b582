import { z } from 'zod';

import { entityLabel } from '../../api/credentials';
import { serviceHost } from '../../run/approve';
import type { OutputRecord } from '../../run/write';
import { centsAsDecimal } from '../../shared/money';
import { chainLabel, readChainId } from '../../signing/chains';
import {
	enteredCents,
	type PaymentForm,
	type PaymentInput,
	type PaymentRun,
} from './paymentFields';

const text = z.string().nullable();

/** What a person needs to judge a payment, as the output schemas have it. Null where the form doesn't tell. */
export const paymentColumns = z.object({
	/** In dollars, e.g. "125.00". */
	amount: z.string(),
	currency: z.string(),
	network: z.string(),
	team: z.string(),
	recipient_email: z.string(),
	recipient_address: text,
	token: text,
	reference: text,
	expires: text,
	signer: z.string(),
	/** What the signature is for. */
	chain: text,
	contract: text,
	/** Host of the service. */
	service: z.string(),
});

/** Those that the form alone doesn't tell are added by {@link columnsOf}. */
type ToldColumn = Exclude<keyof z.infer<typeof paymentColumns>, 'chain' | 'contract' | 'service'>;

/** The columns that a form or row tells by itself, as far as it could be read. */
function columnsTold(input: Partial<PaymentInput>, team: string | undefined) {
	const message = input.typedData?.message;
	const cents = enteredCents(input);
	return {
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
	} satisfies Record<ToldColumn, string | undefined>;
}

/** All columns of a payment; its signer is null until the wallet is asked. */
export function columnsOf({ input, options }: PaymentForm, run: PaymentRun): OutputRecord {
	const told = columnsTold(input, entityLabel(input.teamId, run.credentials.entities));
	return {
		...Object.fromEntries(Object.entries(told).map(([name, value]) => [name, value ?? null])),
		...signedFor(input.typedData.domain ?? options.domain),
		service: serviceHost(run.approvable),
	};
}

/**
 * The columns of a payment that was refused before it could be checked: those that its form or row tells.
 * @param team as people call it
 */
export function columnsOfRefused(input: Partial<PaymentInput>, team = input.teamId): OutputRecord {
	return Object.fromEntries(
		Object.entries(columnsTold(input, team)).flatMap(([name, value]) =>
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
