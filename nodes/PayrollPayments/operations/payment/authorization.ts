import { balanceCall } from '../../api/balanceCall';
import { entityLabel } from '../../api/credentials';
import { signatureOver, type Signs } from '../../run/write';
import { messageOf, wrapError } from '../../shared/errors';
import { asWord } from '../../shared/redaction';
import { chainLabel } from '../../signing/chains';
import { signedAmountInDollars } from '../../signing/typedAmount';
import { eip712PartsOf } from './eip712Parts';
import type { PaymentForm, PaymentInput, PaymentRun, PaymentSettings } from './paymentFields';

/** Reads the account that a team pays from; null if it has none yet. */
export type AccountOf = (teamId: string) => Promise<string | null>;

/** Reads the account of each team once. */
export function accountsOf({ read }: PaymentRun): AccountOf {
	const accounts = new Map<string, ReturnType<AccountOf>>();
	return async (teamId) => {
		const account =
			accounts.get(teamId) ??
			read(balanceCall(teamId)).then((balance) => balance.platform_account_address);
		accounts.set(teamId, account);
		return await account;
	};
}

/**
 * Checks a payment's authorization against the form, before anyone signs it. A provided signature must
 * also be the signer's, if domain and types say what it covers.
 * @throws {UserError} if they disagree
 */
export async function guardAuthorization(
	{ input, options }: PaymentForm,
	signer: string,
	{ credentials, settings, wallet }: PaymentRun,
	accountOf: AccountOf,
) {
	const { teamId, recipientEmail, network, signature, typedData: payload } = input;
	const parts = eip712PartsOf(payload, options, signature !== undefined);
	if (parts === undefined) return { signs: null, sign: async () => signature ?? '' };
	const { addressIn, instantPaymentTypedData, isSameAddress } = await import('../../signing');
	const { platformId } = credentials;
	const sender = addressIn(payload.message.from);
	/* Reading the account takes a request, so it is read only where nothing else explains `from`. */
	const needsAccount =
		sender !== undefined && ![signer, platformId ?? ''].some((own) => isSameAddress(own, sender));
	const teamLabel = entityLabel(teamId, credentials.entities);
	const readAccount = async () =>
		await accountOf(teamId).catch((error: unknown) => {
			const unread = `In Payment Authorization, from is ${sender}, not the signing wallet ${signer}, and the account of team ${teamLabel} can’t be read`;
			throw wrapError(error, `${unread}. ${messageOf(error)}`, {});
		});
	const typedData = instantPaymentTypedData(
		{ ...parts, message: payload.message },
		{
			teamId,
			teamLabel,
			network,
			signer,
			platformId,
			recipientEmail,
			teamAccount: needsAccount ? await readAccount() : undefined,
			amountCents: input.cents,
			typedAmountUnit: settings.typedAmountUnit,
		},
	);
	return await signatureOver(typedData, wallet, { signer, signature });
}

/** What is signed, for the person who approves it. */
export function authorizationSummary(
	{ typedData, signature, signatureSource }: PaymentInput,
	unit: PaymentSettings['typedAmountUnit'],
	signs: Signs | null,
	signer: string,
): string {
	const { amount, token = '', recipient } = typedData.message.data;
	const dollars = signedAmountInDollars(amount, unit);
	const units = unit === 'cents' ? 'cents' : 'token units';
	const { chainId, verifyingContract } = signs?.domain ?? {};
	const isChecked =
		signs === null
			? ' that can’t be checked, since its domain and types aren’t known'
			: ' that was checked';
	const isUnsigned = signatureSource === 'provided' && signature === undefined;
	return [
		`Authorization${signature === undefined ? '' : ` with a provided signature${isChecked}`}`,
		`: ${dollars === undefined ? `${asWord(amount)} (not compared)` : `${dollars} (${amount} ${units})`}`,
		signs === null ? '' : ` on ${chainLabel(chainId)},`,
		` to ${asWord(recipient)}`,
		token.trim() === '' ? '' : `, token ${asWord(token)}`,
		signs === null ? '' : `, contract ${String(verifyingContract)}`,
		`, ${isUnsigned ? 'to be signed' : 'signed'} by ${signer}`,
	].join('');
}
