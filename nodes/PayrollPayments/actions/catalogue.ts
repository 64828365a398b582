import { createAdministratorInvites } from './administratorInvite/create';
import { createAndExecuteAdministratorInvites } from './administratorInvite/send';
import { executeAdministratorInvites } from './administratorInvite/complete';
import { getSignInMessage } from './authentication/getSignInMessage';
import { verifySignIn } from './authentication/verify';
import { getBalance } from './balance/get';
import type { Operation, ResourceName } from './defineOperation';
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

/** The names in the Resource menu. */
export const RESOURCE_NAMES: Readonly<Record<ResourceName, string>> = {
	administratorInvite: 'Administrator Invite',
	authentication: 'Authentication',
	balance: 'Balance',
	invite: 'Invite',
	nameReview: 'Name Review',
	payment: 'Payment',
	teamUser: 'Team User',
	webhook: 'Webhook',
};

/** The operation that the parameters `resource` and `operation` select. */
export function operationNamed(resource: unknown, operation: unknown): Operation | undefined {
	return CATALOGUE.find((each) => each.resource === resource && each.operation === operation);
}
