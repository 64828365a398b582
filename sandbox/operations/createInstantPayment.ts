import { ServiceFailure } from '../failure';
import { checkPayment, signerOf, type InstantPayment } from '../instantPayments';
import { existing, requireRole } from '../roles';
import { defineOperation } from './operation';

interface Request {
	readonly body: InstantPayment;
}

/** The roles that may pay for a team. */
export const MAY_PAY = [
	'team_admin',
	'team_finance_admin',
	'team_payment_initiator',
	'org_admin',
	'org_finance_admin',
];

/** Endpoint 10: one payment to an external recipient; each signed salt pays once. */
export const createInstantPayment = defineOperation<Request>(
	'createInstantPayment',
	({ body }, { service, caller, requestId }) => {
		const { organisation, payments, settings } = service;
		const signer = signerOf(body, settings);
		const checkRole = (): void => {
			if (caller && caller.address !== signer) {
				throw new ServiceFailure(403, 'The signer is not the caller', 'SIGNER_MISMATCH');
			}
			requireRole(organisation.account(signer), body.from, MAY_PAY, organisation);
		};
		const missing = new ServiceFailure(404, `${body.from} does not exist`, 'TEAM_NOT_FOUND');
		const team = existing(organisation.team(body.from), missing, checkRole, settings);
		const order = {
			team,
			amountCents: body.amount_cents,
			email: body.external_recipient_email,
			signer,
			platformId: organisation.account(signer)?.platformId,
		};
		checkPayment(body, order, settings);
		return { transaction: payments.make(body, team, requestId, service) };
	},
);
