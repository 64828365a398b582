import { ServiceFailure } from '../failure';
import type { InstantPayment } from '../instantPayments';
import { existing, requireRole } from '../roles';
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
		const signer = instantPayments.signerOf(body, settings);
		const checkRole = (): void => {
			if (caller && caller.address !== signer) {
				throw new ServiceFailure(403, 'The signer is not the caller', 'signer_mismatch');
			}
			requireRole(organisation.account(signer), body.from, MAY_PAY, organisation);
		};
		const missing = new ServiceFailure(404, `${body.from} does not exist`, 'team_not_found');
		const team = existing(organisation.team(body.from), missing, checkRole, settings);
		instantPayments.check(body, team, signer);
		instantPayments.pay(body, team);
		return { transaction: organisation.randomness.identifier('tx') };
	},
);
