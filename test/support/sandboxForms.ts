import type { IDataObject, INodeParameters } from 'n8n-workflow';

import type { ActionSandbox } from './actionSandbox';
import { formOf, FORMS as WITHOUT_SANDBOX } from './operationForms';

/* Forms that the sandbox does as asked, each time that one is made. */

let payees = 0;

async function outputOf(sandbox: ActionSandbox, name: string): Promise<IDataObject> {
	const { output, error } = await sandbox.run(await formFor(sandbox, name));
	if (output[0] === undefined) throw new Error(`nothing came out: ${error?.message}`);
	return output[0].json;
}

const role = 'team_viewer';
const administrators = async ({ team: entityId }: ActionSandbox) => {
	return { entityId, role, emails: 'one@example.com, two@example.com' };
};

const FORMS: Readonly<Record<string, (sandbox: ActionSandbox) => Promise<INodeParameters>>> = {
	'administratorInvite.create': administrators,
	'administratorInvite.send': async (sandbox) => ({
		...(await administrators(sandbox)),
		options: sandbox.roleOptions(role),
	}),
	'administratorInvite.complete': async (sandbox) => {
		const created = await outputOf(sandbox, 'administratorInvite.create');
		return {
			role,
			options: sandbox.roleOptions(role),
			inviteIds: String(created.invites),
			typedData: JSON.stringify(created.typed_data),
			signatureSource: 'wallet',
		};
	},
	'authentication.getSignInMessage': async () => ({}),
	'authentication.verify': async (sandbox) => {
		const message = String((await outputOf(sandbox, 'authentication.getSignInMessage')).siwe);
		return { message, signature: await sandbox.wallet().signMessage(message) };
	},
	'balance.get': async ({ team }) => ({ entityId: team }),
	'invite.create': async ({ team }) => ({ ...WITHOUT_SANDBOX.createInvites, teamId: team }),
	'invite.getAll': async ({ team }) => ({ entityId: team, returnAll: true }),
	'nameReview.update': async ({ team, firstTeam }) => {
		const [review] = firstTeam.nameReviews;
		return {
			teamId: team,
			userId: { __rl: true, mode: 'id', value: review?.[0] ?? '' },
			decision: 'approve',
			reviewVersion: review?.[1].reviewVersion ?? '',
		};
	},
	'payment.create': async (sandbox) => {
		/* Somebody else each time: the guard would take the same payment for a repeat. */
		payees += 1;
		const email = `payee.${payees}@example.com`;
		return await sandbox.payment({ recipientEmail: email }, { email });
	},
	'teamUser.getAll': async ({ team }) => ({ teamId: team, returnAll: true }),
	'webhook.send': async ({ service }) => ({
		webhookId: service.organisation.firstWebhookId,
		eventType: 'deposit.received',
	}),
};

/** A complete form for an operation, e.g. `balance.get`. */
export async function formFor(sandbox: ActionSandbox, name: string): Promise<INodeParameters> {
	return formOf(name, (await FORMS[name]?.(sandbox)) ?? {});
}
