import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { centsOf } from '../amounts';
import { completeChat } from '../scriptedModel';
import type { SimulatedService } from '../simulatedService';
import { bodyOf } from './body';

const authorizationShape = z.object({
	team: z.string().optional(),
	amount: z.string().trim().default('777.00'),
	email: z.string().email().default('supplier@example.com'),
	reference: z.string().default(''),
	signer: z
		.string()
		.regex(/^0x[0-9a-fA-F]{40}$/)
		.optional(),
});

/** Routes that stand in for what a workflow needs besides the service. */
export function addPracticeControl(app: FastifyInstance, service: SimulatedService): void {
	// What a company's finance system does: it issues the authorization of a payment.
	app.get('/sandbox/authorization', async (request, reply) => {
		const { organisation } = service;
		const asked = authorizationShape.parse(request.query);
		const nanoid = asked.team ?? organisation.teams[0]?.nanoid ?? '';
		const team = organisation.team(nanoid);
		if (!team) return await reply.code(404).send({ error: `${nanoid} does not exist` });
		const signer = asked.signer ?? organisation.accounts[0]?.address ?? '';
		const amountCents = centsOf(asked.amount);
		if (amountCents === undefined) {
			const error = `“${asked.amount}” isn’t an amount in dollars like 125.00`;
			return await reply.code(400).send({ error });
		}
		const order = { team, amountCents, email: asked.email, signer };
		const { domain, types, primary_type, typed_data } = service.authorize(order, asked.reference);
		return {
			team: nanoid,
			amount: (amountCents / 100).toFixed(2),
			email: asked.email,
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
