import { createAdministratorInvites, executeAdministratorInvites } from './administratorInvites';
import { createInstantPayment } from './createInstantPayment';
import { getBalance } from './getBalance';
import { getSignInMessage } from './getSignInMessage';
import { createInvites, listInvites } from './invites';
import { listTeamUsers } from './listTeamUsers';
import type { Operation } from './operation';
import { preparePayment } from './preparePayment';
import { resolveNameReview } from './resolveNameReview';
import { sendTestDelivery } from './sendTestDelivery';
import { verifySignIn } from './verifySignIn';

/** The operations in the order of docs/api.md, Endpoints, and one that isn't documented. */
export const OPERATIONS: readonly Operation[] = [
	getSignInMessage,
	verifySignIn,
	getBalance,
	listInvites,
	createInvites,
	createAdministratorInvites,
	executeAdministratorInvites,
	resolveNameReview,
	sendTestDelivery,
	createInstantPayment,
	listTeamUsers,
	preparePayment,
];
