/** Import this dynamically: it loads viem. */
export {
	administratorInviteTypedData,
	checkAccounts,
	checkRoles,
	roleIn,
	type AdministratorInviteExpectation,
} from './guards/administratorRoles';
export { instantPaymentTypedData } from './guards/instantPayment';
export { addressIn } from './guards/sender';
export { isSameAddress } from './signature';
export { privateKeyWallet, type Wallet } from './wallet';
export { remoteSignerWallet } from './remoteSigner';
export { checkSigner, type GuardedTypedData } from './typedData';
