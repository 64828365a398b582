import type { INodeParameters } from 'n8n-workflow';

import {
	accepting,
	field,
	get,
	people,
	post,
	refusing,
	refusingOption,
	WRONG_EMAILS,
	type OperationCases,
} from '../cases';
import { allowedTexts, forbiddenTexts } from '../examples';
import { fieldsOf, valuesOf } from '../openapi';

const PREFILL_FIELDS = fieldsOf('InvitePrefill');
const ROLES = valuesOf('Role');
const WORKER_ROLES = valuesOf('WorkerInviteRole');

export const listInvites: OperationCases = {
	name: 'invite.getAll',
	calls: ['listInvites'],
	requests: ({ entityId }) => [get('/v2/invites', { nanoid: String(entityId) })],
	answers: (output) => [output],
	groups: ({ team, company }) => [
		field('Team or Company ID', 'entityId', [team, company], forbiddenTexts('TeamOrCompanyId')),
		{
			what: 'Return All, and limits',
			accepted: [
				{ form: { returnAll: false } },
				...accepting('limit', [1, 1000], { returnAll: false }),
			],
			refused: refusing('Limit', 'limit', [0, -1, 1.5], { returnAll: false }),
		},
	],
};

const camelCase = (name: string): string =>
	name.replaceAll(/_(\w)/g, (_, letter: string) => letter.toUpperCase());

/** A complete prefill with these fields. */
export const prefillWith = (given: Readonly<Record<string, string>>): Record<string, string> =>
	Object.fromEntries(PREFILL_FIELDS.map((name) => [name, given[name] ?? '']));

const COMPLETE = Object.fromEntries(PREFILL_FIELDS.map((name) => [name, `The ${name}`]));

/** Invitees in JSON, without anything else known of them. */
const listOf = (emails: readonly string[]) => JSON.stringify(emails.map((email) => ({ email })));

const inForm = (invitee: INodeParameters): INodeParameters => ({
	inviteesSource: 'fields',
	invitees: { invitee: [invitee] },
});

const request = (nanoid: unknown, invites: unknown, others: object = {}) =>
	post('/v2/invites', { nanoid, invites, role: 'contractor', ...others });

export const createInvites: OperationCases = {
	name: 'invite.create',
	calls: ['createInvites'],
	requests: ({ teamId, role, inviteesJson, anonymous }) => [
		request(teamId, JSON.parse(String(inviteesJson)), {
			role,
			...(anonymous === true ? { anonymous } : {}),
		}),
	],
	groups: ({ team }) => [
		field('Team ID', 'teamId', [team], forbiddenTexts('TeamId')),
		field('Role', 'role', WORKER_ROLES, [
			...ROLES.filter((role) => !WORKER_ROLES.includes(role)),
			...['', 'Contractor'],
		]),
		field('Anonymous', 'anonymous', [true, false], ['perhaps']),
		field(
			'Invitees (JSON)',
			'inviteesJson',
			[
				...[allowedTexts('Email'), people(250)].map(listOf),
				JSON.stringify([{ email: 'ana@example.com', prefill: COMPLETE }]),
			],
			[
				...['', '{', '[]', '{}', '[{}]', ...WRONG_EMAILS.map((email) => listOf([email]))],
				'[{ "email": "ana@example.com", "name": "Ana" }]',
				'[{ "email": "ana@example.com", "prefill": { "nickname": "A" } }]',
				'[{ "email": "ana@example.com", "prefill": "Ana" }]',
			],
		),
		{
			what: 'each of the 14 prefill fields alone, in the form',
			accepted: [
				...PREFILL_FIELDS.map((name) => ({
					form: inForm({ email: 'ana@example.com', [camelCase(name)]: 'X' }),
					requests: () => [
						request(team, [{ email: 'ana@example.com', prefill: prefillWith({ [name]: 'X' }) }]),
					],
				})),
				{
					form: inForm({ email: 'ana@example.com' }),
					requests: () => [request(team, [{ email: 'ana@example.com' }])],
				},
			],
			refused: WRONG_EMAILS.map((email) => ({ label: 'Invitees', form: inForm({ email }) })),
		},
		/* test/n8n/invitePeople.test.ts has the requests of sheets, and of people who are known already. */
		{
			what: 'no other number of people, and no other way with those who are known already',
			refused: [
				...refusingOption('Invitees per Request', 'inviteesPerRequest', [-1, 1.5, 'two']),
				...refusing('Existing People', 'existingPeople', ['', 'ignore']),
			],
		},
	],
};
