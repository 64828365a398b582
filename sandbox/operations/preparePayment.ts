import { centsOf } from '../amounts';
import { ServiceFailure } from '../failure';
import { existing, requireRole } from '../roles';
import { MAY_PAY } from './createInstantPayment';
import { defineOperation } from './operation';

interface Request {
	readonly body: {
		readonly team: string;
		readonly recipient: string;
		readonly amount: string | number;
		readonly reference?: string;
	};
}

/** The call of a provider that authorizes a payment; it isn't in the document. */
export const preparePayment = defineOperation<Request>(
	'preparePayment',
	({ body }, { service, caller }) => {
		const { organisation, settings } = service;
		if (!caller) throw new ServiceFailure(401, 'A token is needed', 'TOKEN_MISSING');
		const team = existing(
			organisation.team(body.team),
			new ServiceFailure(404, `${body.team} does not exist`, 'TEAM_NOT_FOUND'),
			() => requireRole(caller, body.team, MAY_PAY, organisation),
			settings,
		);
		const amount = String(body.amount).trim();
		const amountCents = centsOf(amount);
		if (amountCents === undefined) {
			throw new ServiceFailure(
				400,
				`“${amount}” isn’t an amount like 125.00, from 1.00 to 100000000.00 dollars`,
			);
		}
		const order = { team, amountCents, email: body.recipient, signer: caller.address };
		return service.authorize(order, body.reference);
	},
);
