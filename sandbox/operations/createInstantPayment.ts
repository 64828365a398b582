import { ServiceFailure } from '../failure';
import type { InstantPayment } from '../instantPayments';
import { requireRole } from '../roles';
import { defineOperation } from './operation';

interface Request {
	readonly body: InstantPayment;
}

const MAY_PAY = [
	'team_admin',
	'team_finance_admin',
	'team_payment_initiator',
	'org_admin',
	'org_finance_admin',
];

/** Endpoint 10: one payment to an external recipient; each signed salt pays once. */
export const createInstantPayment = defineOperation<Request>(
	'createInstantPayment',
	({ body }, { service, caller }) => {
		const { organisation, instantPayments, settings } = service;
		const team = organisation.team(body.from);
		if (!team) throw new ServiceFailure(404, `${body.from} does not exist`, 'team_not_found');
		const signer = instantPayments.signerOf(body, settings);
		if (caller && caller.address !== signer) {
			throw new ServiceFailure(403, 'The signer is not the caller', 'signer_mismatch');
		}
		requireRole(organisation.account(signer), team.nanoid, MAY_PAY, organisation);
		instantPayments.check(body, team, signer);
		instantPayments.pay(body, team);
		return { transaction: organisation.randomness.identifier('tx') };
	},
);
