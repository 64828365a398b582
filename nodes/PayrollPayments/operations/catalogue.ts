import { createAdministratorInvites } from './administratorInvite/create';
import { createAndExecuteAdministratorInvites } from './administratorInvite/send';
import { executeAdministratorInvites } from './administratorInvite/complete';
import { getSignInMessage } from './authentication/getSignInMessage';
import { verifySignIn } from './authentication/verify';
import { getBalance } from './balance/get';
import type { Operation } from '../run/operation';
import { createInvites } from './invite/create';
import { getInvites } from './invite/getAll';
import { resolveNameReview } from './nameReview/update';
import { createInstantPayment } from './payment/create';
import { getTeamUsers } from './teamUser/getAll';
import { sendTestDelivery } from './webhook/send';

/** Every operation, in menu order: by resource name, then by operation name. */
export const CATALOGUE: readonly Operation[] = [
	createAdministratorInvites,
	createAndExecuteAdministratorInvites,
	executeAdministratorInvites,
	getSignInMessage,
	verifySignIn,
	getBalance,
	createInvites,
	getInvites,
	resolveNameReview,
	createInstantPayment,
	getTeamUsers,
	sendTestDelivery,
];
