/**
 * Wallets and the checks before signing. Import this dynamically: it loads viem, which only signing
 * needs.
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
