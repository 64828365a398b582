/**
 * The wallet: signing in, guarding what is signed, and signing it. The only place that knows viem;
 * loaded when something is to be signed, so that nothing else pays for it.
 */
export {
	administratorInviteTypedData,
	checkProvidedRoles,
	type AdministratorInviteExpectation,
} from './guards/administratorRoles';
export { instantPaymentTypedData, type PaymentExpectation } from './guards/instantPayment';
export { privateKeyWallet } from './privateKey';
export { remoteSignerWallet, type RemoteSignerDialect } from './remoteSigner';
export { checkSigner, typedDataSigner } from './typedData';
export type { TypedData, Wallet } from './wallet';
