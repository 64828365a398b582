import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { completeChat } from '../scriptedModel';
import type { SimulatedService } from '../simulatedService';
import { bodyOf } from './body';

const CENTS = /^(\d+|\d{1,3}(?:,\d{3})+)(?:\.(\d{1,2}))?$/;

const authorizationShape = z.object({
	team: z.string().optional(),
	amount: z.string().trim().regex(CENTS, 'Amount isn’t an amount like 1,250.00').default('777.00'),
	email: z.string().email().default('supplier@example.com'),
	reference: z.string().default(''),
	signer: z
		.string()
		.regex(/^0x[0-9a-fA-F]{40}$/)
		.optional(),
});

const messageShape = z.object({ content: z.unknown() }).strict();

/** Routes that stand in for what a workflow needs besides the service. */
export function addPracticeControl(app: FastifyInstance, service: SimulatedService): void {
	// What a company's finance system does: it issues the authorization of a payment.
	app.get('/sandbox/authorization', async (request, reply) => {
		const { organisation, settings } = service;
		const asked = authorizationShape.parse(request.query);
		const nanoid = asked.team ?? organisation.teams[0]?.nanoid ?? '';
		const team = organisation.team(nanoid);
		if (!team) return await reply.code(404).send({ error: `${nanoid} does not exist` });
		const signer = asked.signer ?? organisation.accounts[0]?.address ?? '';
		const [, whole = '0', fraction = ''] = CENTS.exec(asked.amount) ?? [];
		const cents = whole.replaceAll(',', '') + fraction.padEnd(2, '0');
		const { domain, types, primary_type, typed_data } = service.instantPayments.prepare(
			{ team, amountCents: Number(cents), email: asked.email, signer },
			settings,
			organisation.randomness,
		);
		return {
			team: nanoid,
			amount: `${cents.slice(0, -2)}.${cents.slice(-2)}`,
			email: asked.email,
			reference: asked.reference,
			authorization: { domain, types, primaryType: primary_type, message: typed_data },
		};
	});

	// What a workflow would write to a channel or a sheet.
	app.post('/sandbox/messages', async (request) => messageShape.parse(bodyOf(request)));

	app.get('/sandbox/model/v1/models', async () => ({
		object: 'list',
		data: [{ id: 'practice', object: 'model', created: 0, owned_by: 'sandbox' }],
	}));
	app.post('/sandbox/model/v1/chat/completions', async (request, reply) => {
		const { contentType, text } = completeChat(bodyOf(request));
		return await reply.header('content-type', contentType).send(text);
	});
}
