/**
 * The wallet: signing in, guarding what is signed, and signing it. The only place that knows viem;
 * loaded when something is to be signed, so that nothing else pays for it.
 */
export {
	administratorInviteTypedData,
	checkProvidedRoles,
	type AdministratorInviteExpectation,
} from './administratorInvite';
export {
	instantPaymentTypedData,
	type PaymentExpectation,
	type TypedAmountUnit,
} from './instantPayment';
export { privateKeyWallet } from './privateKeyWallet';
export { remoteSignerWallet, type RemoteSignerDialect } from './remoteSignerWallet';
export { signIn } from './signIn';
export { checkSigner, typedDataSigner } from './typedData';
export type { Hex, TypedData, Wallet } from './wallet';
