import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { ROLE_NUMBERS, TYPED_DATA_TRICKS } from '../administratorInvites';
import type { Organisation, Team, Workspace } from '../organisation';
import type { SimulatedService } from '../simulatedService';
import { SIGN_IN_TRICKS } from '../signInMessages';
import { bodyOf } from './body';
import { lastOf } from './lastOf';

const timesShape = z.number().int().positive().default(1);
const signInTrickShape = z.object({ tamper: z.enum(SIGN_IN_TRICKS), times: timesShape }).strict();
const typedDataTrickShape = z
	.object({ tamper: z.enum(TYPED_DATA_TRICKS), times: timesShape })
	.strict();
const resetShape = z.object({ keepEndpoints: z.boolean().default(false) }).strict();
const followedShape = z.object({ resets: z.number().int().nonnegative() }).strict();
const paymentShape = z
	.object({
		from: z.string(),
		amount_cents: z.coerce.number().int(),
		email: z.string(),
		signer: z.string().regex(/^0x[0-9a-fA-F]{40}$/),
	})
	.strict();

/** Routes for accounts, the organization, the wire log, settings, faults and tricks. */
export function addServiceControl(app: FastifyInstance, service: SimulatedService): void {
	app.get('/sandbox/accounts', async () => ({
		notice:
			'Keys for this local sandbox, derived from labels. Worthless elsewhere; never fund them.',
		accounts: service.organisation.accounts,
	}));
	app.get('/sandbox/organisation', async () => present(service.organisation));

	app.get('/sandbox/log', async (request) => {
		const { entries, counts } = service.wireLog.read();
		return { entries: lastOf(entries, request.query), counts };
	});
	app.delete('/sandbox/log', async () => {
		service.wireLog.clear();
		return { cleared: true };
	});

	app.get('/sandbox/settings', async () => service.settings);
	app.post('/sandbox/settings', async (request) => service.change(bodyOf(request)));
	app.get('/sandbox/reset', async () => service.resets.state);
	app.post('/sandbox/reset/followed', async (request) => {
		service.resets.follow(followedShape.parse(bodyOf(request)).resets);
		return service.resets.state;
	});
	app.post('/sandbox/reset', async (request) => {
		service.reset(resetShape.parse(bodyOf(request)).keepEndpoints);
		return { reset: true };
	});
	app.post('/sandbox/tokens/expire', async () => {
		service.tokens.expireAll();
		return { expired: true };
	});

	app.get('/sandbox/faults', async () => ({ faults: service.faults.list() }));
	app.post('/sandbox/faults', async (request) => service.faults.plan(bodyOf(request)));
	app.delete('/sandbox/faults', async () => {
		service.faults.clear();
		return { cleared: true };
	});

	app.post('/sandbox/sign-in-message', async (request) => {
		const { tamper, times } = signInTrickShape.parse(bodyOf(request));
		service.signIn.tampering.plan(tamper, times);
		return { tamper, times };
	});
	app.post('/sandbox/typed-data', async (request) => {
		const { tamper, times } = typedDataTrickShape.parse(bodyOf(request));
		service.administratorInvites.tampering.plan(tamper, times);
		return { tamper, times };
	});
	app.get('/sandbox/payment-typed-data', async (request, reply) => {
		const { from, amount_cents: amountCents, email, signer } = paymentShape.parse(request.query);
		const team = service.organisation.team(from);
		if (!team) return await reply.code(404).send({ error: `${from} does not exist` });
		return service.authorize({ team, amountCents, email, signer });
	});
}

/** An overview of the organization, with the identifiers that requests need. */
function present(organisation: Organisation): object {
	const workspace = ({ nanoid, name, account, balances, invites }: Workspace): object => ({
		nanoid,
		name,
		account,
		balances: Object.fromEntries([...balances].map(([key, cents]) => [key, String(cents)])),
		pending_invites: invites.length,
	});
	const team = (each: Team): object => ({
		...workspace(each),
		users: each.users.length,
		first_users: each.users.slice(0, 3).map(({ nanoid, email }) => ({ nanoid, email })),
		name_reviews: [...each.nameReviews].map(([user, review]) => ({ user_nanoid: user, ...review })),
	});
	return {
		company: workspace(organisation.company),
		teams: organisation.teams.map(team),
		webhook: organisation.firstWebhookId,
		role_numbers: ROLE_NUMBERS,
	};
}
