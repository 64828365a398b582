import type { FastifyInstance } from 'fastify';
import { z } from 'zod';

import { ServiceFailure } from '../failure';
import { addPendingInvite } from '../operations/invites';
import type { SimulatedService } from '../simulatedService';
import { bodyOf } from './body';
import { found } from './found';

const balanceShape = z
	.object({
		nanoid: z.string(),
		currency: z.string(),
		/** null: the balance doesn't list the currency at all. */
		balance_cents: z
			.string()
			.regex(/^-?\d+$/)
			.nullable(),
	})
	.strict();
const newUserShape = z
	.object({
		/** The team. */
		nanoid: z.string(),
		email: z.string().optional(),
	})
	.strict();
const userShape = z.object({ nanoid: z.string() }).strict();
const changesShape = z
	.object({
		nanoid: z.string(),
		role: z.string().optional(),
		payable: z.boolean().optional(),
		first_name: z.string().optional(),
		onboarding: z
			.object({
				onboarded: z.boolean(),
				step: z.string(),
				role: z.string(),
				moderation_status: z.string(),
			})
			.strict()
			.partial()
			.optional(),
	})
	.strict();
const newInviteShape = z.object({ nanoid: z.string(), email: z.string() }).strict();
const endedInviteShape = z
	.object({ nanoid: z.string(), outcome: z.enum(['accepted', 'rejected', 'expired']) })
	.strict();

const membersQueryShape = z.object({
	nanoid: z.string(),
	limit: z.coerce.number().int().positive().default(200),
});

/** Routes that change balances, users and invites, as other people would. */
export function addOrganisationControl(app: FastifyInstance, service: SimulatedService): void {
	app.post('/sandbox/balances', async (request) => {
		const { nanoid, currency, balance_cents: cents } = balanceShape.parse(bodyOf(request));
		const { balances, unlisted } = found(service.organisation.workspace(nanoid), nanoid);
		unlisted.delete(currency);
		if (cents === null) unlisted.add(currency);
		balances.set(currency, BigInt(cents ?? 0));
		return { currency, balance_cents: cents };
	});

	app.get('/sandbox/members', async (request) => {
		const { nanoid, limit } = membersQueryShape.parse(request.query);
		const { organisation } = service;
		const { invites } = found(organisation.workspace(nanoid), nanoid);
		const team = organisation.team(nanoid);
		return {
			users: team?.users.slice(-limit) ?? [],
			former_users: team ? organisation.formerUsers(team).slice(-limit) : [],
			invites: invites.slice(-limit).map((each) => ({ nanoid: each.nanoid, email: each.email })),
		};
	});
	app.post('/sandbox/users', async (request) => {
		const { nanoid, email } = newUserShape.parse(bodyOf(request));
		const known = email === undefined ? {} : { email };
		return service.organisation.addUser(found(service.organisation.team(nanoid), nanoid), known);
	});
	app.post('/sandbox/users/change', async (request) => {
		const { nanoid, ...changes } = changesShape.parse(bodyOf(request));
		return found(service.organisation.changeUser(nanoid, changes), nanoid);
	});
	app.post('/sandbox/users/remove', async (request) => {
		const { nanoid } = userShape.parse(bodyOf(request));
		found(service.organisation.removeUser(nanoid), nanoid);
		return { removed: nanoid };
	});
	app.post('/sandbox/users/restore', async (request) => {
		const { nanoid } = userShape.parse(bodyOf(request));
		return found(service.organisation.restoreUser(nanoid), nanoid);
	});

	app.post('/sandbox/invites', async (request) => {
		const { nanoid, email } = newInviteShape.parse(bodyOf(request));
		const { organisation } = service;
		const workspace = found(organisation.workspace(nanoid), nanoid);
		const isEmail = service.description.allows('Email', email);
		if (!isEmail) throw new ServiceFailure(400, `“${email}” isn’t an email address`);
		const role = workspace === organisation.company ? 'org_viewer' : 'contractor';
		return { nanoid: addPendingInvite(organisation, workspace, { email, name: '', role }) };
	});
	app.post('/sandbox/invites/end', async (request) => {
		const { nanoid, outcome } = endedInviteShape.parse(bodyOf(request));
		const { organisation, settings } = service;
		const isAccepted = outcome === 'accepted';
		if (isAccepted && organisation.unexecutedInvites.has(nanoid)) {
			throw new ServiceFailure(400, `${nanoid} hasn’t been executed yet`);
		}
		const { invite, workspace, user } = found(organisation.endInvite(nanoid, isAccepted), nanoid);
		const { email, role, inviter_email } = invite;
		const inviter = organisation.accounts.find((each) => each.email === inviter_email);
		if (settings.automaticEvents) {
			service.announce(`invite.${outcome}`, {
				nanoid,
				// A company lists no users. Still, the person who accepts becomes one.
				user_nanoid: user?.nanoid ?? (isAccepted ? organisation.randomness.identifier('us') : null),
				email,
				role,
				anonymous: organisation.anonymousInvites.has(nanoid),
				invited_by: inviter?.userId ?? null,
				invited_to: workspace.nanoid,
			});
		}
		return { nanoid, outcome };
	});
}
