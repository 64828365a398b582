import type { INodeParameters } from 'n8n-workflow';

import { runNode } from '../../../support/actionHost';
import { formFor } from '../../../support/sandboxForms';
import {
	accepting,
	field,
	people,
	post,
	put,
	refusing,
	SIGNATURE,
	WRONG_EMAILS,
	WRONG_SIGNERS,
	type Group,
	type OperationCases,
	type Refused,
} from '../cases';
import { allowedTexts, forbiddenTexts } from '../examples';
import { bodyField, boundsOf, valuesOf } from '../openapi';
import type { World } from '../world';

const TEAM_ADMINISTRATOR_ROLES = valuesOf('TeamAdministratorRole');
const COMPANY_ADMINISTRATOR_ROLES = valuesOf('CompanyAdministratorRole');
const [FEWEST_ADMINISTRATORS, MOST_ADMINISTRATORS] = boundsOf(
	bodyField('createAdministratorInvites', 'emails'),
);

const roleForms = ({ team, company }: World): INodeParameters[] => [
	...TEAM_ADMINISTRATOR_ROLES.map((role) => ({ entityId: team, role })),
	...COMPANY_ADMINISTRATOR_ROLES.map((role) => ({ entityId: company, role })),
];

const wrongRoles = ({ team, company }: World): Refused[] => {
	const administrators = [...TEAM_ADMINISTRATOR_ROLES, ...COMPANY_ADMINISTRATOR_ROLES];
	const others = valuesOf('Role').filter((role) => !administrators.includes(role));
	const misfit = 'and Team or Company ID is a';
	return [
		...[team, company].flatMap((entityId) =>
			refusing('Role', 'role', [...others, '', 'Team: Viewer'], { entityId }),
		),
		...refusing(misfit, 'role', COMPANY_ADMINISTRATOR_ROLES, { entityId: team }),
		...refusing(misfit, 'role', TEAM_ADMINISTRATOR_ROLES, { entityId: company }),
	];
};

const batchesOf = (emails: unknown): string[][] => {
	const list = Array.isArray(emails) ? emails.map(String) : String(emails).split(/, */);
	const count = Math.ceil(list.length / MOST_ADMINISTRATORS);
	return Array.from({ length: count }, (_, batch) =>
		list.slice(batch * MOST_ADMINISTRATORS, (batch + 1) * MOST_ADMINISTRATORS),
	);
};

const PATH = '/v2/invites/manager';
const [INVITE = ''] = allowedTexts('InviteId');

const creation = ({ role, entityId }: INodeParameters, emails: readonly string[]) =>
	post(PATH, { emails, role, nanoid: entityId });

const execution = (changes: object = {}) =>
	put(PATH, {
		invites: expect.any(Array),
		signer: expect.any(String),
		typed_data: {
			from: expect.any(String),
			to: expect.any(String),
			salt: expect.any(String),
			expires: expect.any(String),
			data: expect.any(Array),
		},
		signature: expect.stringMatching(SIGNATURE),
		...changes,
	});

const sharedGroups = (world: World): Group[] => [
	{
		what: 'each of the 5 team roles and 4 company roles; the others are refused',
		accepted: roleForms(world).map((change) => ({ form: change })),
		refused: wrongRoles(world),
	},
	{
		what: `${FEWEST_ADMINISTRATORS}, ${MOST_ADMINISTRATORS} and ${MOST_ADMINISTRATORS + 1} emails (two requests)`,
		accepted: accepting('emails', [
			...[FEWEST_ADMINISTRATORS, MOST_ADMINISTRATORS, MOST_ADMINISTRATORS + 1].map((count) =>
				people(count),
			),
			...[people(3).join(', '), allowedTexts('Email')],
		]),
		refused: refusing('Emails', 'emails', [
			...['', [], ...WRONG_EMAILS, 'ana@example.com, ANA@example.com'],
		]),
	},
	field('Team or Company ID', 'entityId', [world.team], forbiddenTexts('TeamOrCompanyId')),
];

export const createAdministratorInvites: OperationCases = {
	name: 'administratorInvite.create',
	calls: ['createAdministratorInvites'],
	requests: (given) => batchesOf(given.emails).map((emails) => creation(given, emails)),
	groups: sharedGroups,
};

export const createAndExecuteAdministratorInvites: OperationCases = {
	name: 'administratorInvite.send',
	calls: ['createAdministratorInvites', 'executeAdministratorInvites'],
	requests: (given) =>
		batchesOf(given.emails).flatMap((emails) => [creation(given, emails), execution()]),
	answers: () => [],
	groups: sharedGroups,
};

/** Creates invites with the node, as a workflow with two nodes does. */
async function created(world: World, change: INodeParameters = {}) {
	const { output, error } = await runNode(world.signedIn, {
		...(await formFor(world, 'administratorInvite.create')),
		...change,
	});
	if (error !== undefined) throw new Error(error.message);
	return Object(output[0]?.json);
}

async function executionForm(world: World, change: INodeParameters): Promise<INodeParameters> {
	const { invites, typed_data: structure } = await created(world, change);
	return {
		inviteIds: invites,
		typedData: JSON.stringify(structure),
		role: change.role ?? 'team_viewer',
		signatureSource: 'wallet',
	};
}

type TypedDataOf = (answer: Awaited<ReturnType<typeof created>>) => unknown;

/** What the field Typed Data takes of the answer of Create. */
const TYPED_DATA: readonly TypedDataOf[] = [
	(answer) => answer,
	(answer) => answer.typed_data,
	(answer) => answer.typed_data.typed_data,
];

/** The form with a signature made outside n8n, by another library. */
async function providedForm(world: World, typedDataOf: TypedDataOf): Promise<INodeParameters> {
	const answer = await created(world);
	const { domain, types, typed_data: message } = answer.typed_data;
	return {
		inviteIds: answer.invites,
		typedData: JSON.stringify(typedDataOf(answer)),
		...(await world.signed({ domain, types, message })),
	};
}

/** The inner typed data of whatever Typed Data holds. */
function innermost(value: unknown): unknown {
	const { typed_data: inner } = Object(value);
	return inner === undefined ? value : innermost(inner);
}

export const executeAdministratorInvites: OperationCases = {
	name: 'administratorInvite.complete',
	calls: ['executeAdministratorInvites'],
	requests: ({ inviteIds, typedData, signature }, world) => [
		execution({
			invites: String(inviteIds).split(','),
			signer: world.account().address,
			typed_data: innermost(JSON.parse(String(typedData))),
			...(signature === undefined ? {} : { signature }),
		}),
	],
	groups: (world) => [
		{
			what: 'each of the 9 roles, signed by the wallet',
			accepted: roleForms(world).map((change) => ({
				form: async () => await executionForm(world, change),
			})),
			refused: refusing('Expected Role', 'role', [
				'contractor',
				'team_hr_admin',
				'org_delegate_admin',
			]),
		},
		{
			what: 'a provided signature with the answer of Create, its typed data, or the inner object',
			accepted: TYPED_DATA.map((typedDataOf) => ({
				form: async (world) => await providedForm(world, typedDataOf),
			})),
			refused: WRONG_SIGNERS,
		},
		{
			what: 'identifiers of invites',
			accepted: [1, MOST_ADMINISTRATORS].map((count) => ({
				form: async (world) => await executionForm(world, { emails: people(count) }),
			})),
			refused: [
				...refusing('Invite IDs', 'inviteIds', forbiddenTexts('InviteId')),
				...refusing(`Invite IDs: ${INVITE} is listed twice`, 'inviteIds', [`${INVITE}, ${INVITE}`]),
			],
		},
		/* test/unit/signing/payloads.test.ts has each member. */
		{
			what: 'no other typed data',
			refused: refusing('Typed Data', 'typedData', ['', '{', '[]', '{}', '{"salt":"1"}']),
		},
	],
};
