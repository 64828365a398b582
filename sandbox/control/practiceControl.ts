import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { centsOf } from '../amounts';
import type { Description } from '../description';
import { ServiceFailure } from '../failure';
import { completeChat } from '../scriptedModel';
import type { SimulatedService } from '../simulatedService';
import { bodyOf } from './body';

const authorizationShape = z
	.object({
		team: z.string().optional(),
		/** In place of an amount and an email: the finance system knows the bill that this deposit pays. */
		deposit: z.string().optional(),
		amount: z.string().optional(),
		email: z.string().optional(),
		reference: z.string().trim().default(''),
		signer: z
			.string()
			.regex(/^0x[0-9a-fA-F]{40}$/)
			.optional(),
	})
	.strict();
type Asked = z.infer<typeof authorizationShape>;

const BILL = { amountCents: 77_700, email: 'supplier@example.com' };

const unusable = (name: string, given: string | undefined, expected: string): string =>
	given === undefined ? `${name} is missing` : `${name} “${given}” isn’t ${expected}`;

/** What to pay to whom. Fills in nothing: throws {@link ServiceFailure} 400 that quotes what it can't use. */
function orderOf({ deposit, amount, email }: Asked, description: Description): typeof BILL {
	if (deposit !== undefined) {
		if (deposit.trim() !== '') return BILL;
		throw new ServiceFailure(400, unusable('deposit', deposit, 'the ID of a deposit'));
	}
	const amountCents = centsOf(amount?.trim() ?? '');
	const recipient = email?.trim() ?? '';
	const isEmail = description.allows('Email', recipient);
	if (amountCents !== undefined && isEmail) return { amountCents, email: recipient };
	const problems = [
		...(amountCents === undefined
			? [unusable('amount', amount, 'an amount like 125.00, from 1.00 to 100000000.00 dollars')]
			: []),
		...(isEmail ? [] : [unusable('email', email, 'an email address like ana@example.com')]),
	];
	throw new ServiceFailure(400, problems.join('; '));
}

/** Routes that stand in for what a workflow needs besides the service. */
export function addPracticeControl(app: FastifyInstance, service: SimulatedService): void {
	// What a company's finance system does: it issues the authorization of a payment.
	app.get('/sandbox/authorization', async (request) => {
		const { organisation } = service;
		const asked = authorizationShape.parse(request.query);
		const nanoid = asked.team ?? organisation.teams[0]?.nanoid ?? '';
		const team = organisation.team(nanoid);
		if (!team) throw new ServiceFailure(404, `${nanoid} does not exist`);
		const signer = asked.signer ?? organisation.accounts[0]?.address ?? '';
		const { amountCents, email } = orderOf(asked, service.description);
		const order = { team, amountCents, email, signer };
		const { domain, types, primary_type, typed_data } = service.authorize(order, asked.reference);
		return {
			team: nanoid,
			amount: (amountCents / 100).toFixed(2),
			email,
			reference: asked.reference,
			authorization: { domain, types, primaryType: primary_type, message: typed_data },
		};
	});

	app.get('/sandbox/model/v1/models', async () => ({
		object: 'list',
		data: [{ id: 'practice', object: 'model', created: 0, owned_by: 'sandbox' }],
	}));
	app.post('/sandbox/model/v1/chat/completions', async (request, reply) => {
		const { contentType, text } = completeChat(bodyOf(request));
		return await reply.header('content-type', contentType).send(text);
	});
}
