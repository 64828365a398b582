import type { OperationCases } from '../cases';
import {
	createAdministratorInvites,
	createAndExecuteAdministratorInvites,
	executeAdministratorInvites,
} from './administratorInvites';
import { getSignInMessage, verifySignIn } from './authentication';
import { getBalance } from './balance';
import { createInvites, listInvites } from './invites';
import { resolveNameReview } from './nameReviews';
import { createInstantPayment } from './payments';
import { listTeamUsers } from './teamUsers';
import { sendTestDelivery } from './webhooks';

/** In the order of docs/api.md. */
export const OPERATION_CASES: readonly OperationCases[] = [
	getSignInMessage,
	verifySignIn,
	getBalance,
	listInvites,
	createInvites,
	createAdministratorInvites,
	executeAdministratorInvites,
	createAndExecuteAdministratorInvites,
	resolveNameReview,
	sendTestDelivery,
	createInstantPayment,
	listTeamUsers,
];
