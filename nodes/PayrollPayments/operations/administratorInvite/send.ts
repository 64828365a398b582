import { administratorInvitesExecutedAnswer } from '../../api/schemas/answers';
import { credentialLabel } from '../../api/credentialLimits';
import { roleOptions } from '../../forms/serviceFields';
import { outcomeOf, UserError } from '../../shared/errors';
import { listed, quantity } from '../../shared/lists';
import { defineWrite, eachItem } from '../../run/operation';
import { partlyDone } from '../../run/write';

import { checkedExecution, meaningOfCode } from './complete';
import { checkCreation, creationFields, creationsOf, invitedBy } from './create';

/** docs/api.md, Endpoint 6 and Endpoint 7. */
export const createAndExecuteAdministratorInvites = defineWrite({
	resource: 'administratorInvite',
	operation: 'send',
	name: 'Create and Execute',
	action: 'Create and execute administrator invites',
	description:
		'Invite administrators and set their roles right away, signed by the wallet in the credentials',
	permission: 'manageAdministrators',
	notice:
		'This sets administrator roles right away, signed by the wallet in the credentials. For human approval, use separate Create and Execute nodes.',
	fields: creationFields,
	options: roleOptions,
	output: administratorInvitesExecutedAnswer,
	checkForm: checkCreation,
	check: eachItem(
		async ({ numbers, input, options }, run) => {
			if (run.credentials.limits.requireApproval) {
				/* The check is of the invites only: what the wallet signs isn't known before they are made. */
				throw new UserError(
					`Create and Execute can’t be approved in advance, which ${credentialLabel(run.credentials)} require`,
					{
						hint: 'Use Create, then Execute, whose check shows all that is signed.',
						page: 'credentials.md#limits',
					},
				);
			}
			/* Fails before anything is created if the credentials have no wallet. */
			const { address: signer } = await run.wallet();
			return creationsOf(run, numbers, input, true).map(({ addresses, summary, creation }) => ({
				shown: {
					...creation,
					/* The typed data to sign comes with the answer to the first request. */
					summary: `${summary}, then check the typed data that the service returns and set the role`,
					signsSummary: `Signed by ${signer}`,
				},
				people: addresses,
				take: async (perform) => {
					const { invites, typed_data: typedData } = await perform(creation);
					const expected = { accounts: addresses.length, role: input.role, ...options };
					const execution = { invites, typedData, signer, ...expected };
					const created = quantity(invites.length, 'invite was', 'invites were');
					const failWith = (error: unknown, became: string, next: string): never => {
						if (!(error instanceof UserError)) throw error;
						throw partlyDone(
							error,
							{ invites, typed_data: typedData },
							`${created} created (${listed(addresses)}), but ${became}. Don’t create them again. ${next}`,
						);
					};
					const executeThese = 'run Execute with these Invite IDs and this Typed Data.';
					const ready = await checkedExecution(run, numbers, execution).catch((error: unknown) =>
						failWith(
							error,
							'the node refused to sign what sets the role',
							`Once the reason is cleared up, ${executeThese} If it can’t be, have the service’s support withdraw the invites.`,
						),
					);
					return await perform(ready).catch((error: unknown) =>
						outcomeOf(error) === 'unknown'
							? failWith(
									error,
									'it isn’t known whether the role was set',
									`If the service says that it wasn’t, ${executeThese}`,
								)
							: failWith(error, 'the role couldn’t be set', `To set it, ${executeThese}`),
					);
				},
			}));
		},
		invitedBy,
		meaningOfCode,
	),
});
