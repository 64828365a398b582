/**
 * Wallets and the checks before signing. Import this dynamically: it loads viem, which only signing
 * needs.
 */
export {
	administratorInviteTypedData,
	checkProvidedRoles,
	type AdministratorInviteExpectation,
} from './guards/administratorRoles';
export { instantPaymentTypedData } from './guards/instantPayment';
export { privateKeyWallet } from './privateKey';
export { remoteSignerWallet } from './remoteSigner';
export { checkSigner, type GuardedTypedData } from './typedData';
export type { Wallet } from './wallet';
