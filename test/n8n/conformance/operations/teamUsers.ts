import {
	field,
	get,
	people,
	refusing,
	repeated,
	WRONG_EMAILS,
	type ExpectedRequest,
	type OperationCases,
} from '../cases';
import { allowedTexts, forbiddenTexts } from '../examples';
import { boundsOf, queryParameter } from '../openapi';

const [, LARGEST_PAGE] = boundsOf(queryParameter('listTeamUsers', 'count'));
const [, MOST_EMAILS_IN_FILTER] = boundsOf(queryParameter('listTeamUsers', 'emails'));

const request = (team: unknown, query: ExpectedRequest['query']) =>
	get(`/v2/teams/${String(team)}/users`, query);

export const listTeamUsers: OperationCases = {
	name: 'teamUser.getAll',
	calls: ['listTeamUsers'],
	form: () => ({ output: 'asReceived' }),
	requests: ({ teamId }) => [request(teamId, {})],
	answers: (output) => [
		{
			users: output,
			pagination: { page: 1, count: 1, offset: 0, next_page: 2, next_offset: 1, has_more: false },
		},
	],
	groups: ({ team, organisation: { growingTeam }, emails }) => [
		field('Team ID', 'teamId', [team], forbiddenTexts('TeamId')),
		{
			what: `pages of 1, 50 (the default limit) and ${LARGEST_PAGE}, the full list beyond`,
			accepted: [
				{
					form: { returnAll: false },
					requests: () => [request(team, { page: '1', count: '50' })],
				},
				...[1, LARGEST_PAGE - 1, LARGEST_PAGE].map((limit) => ({
					form: { returnAll: false, limit },
					requests: () => [request(team, { page: '1', count: String(limit) })],
				})),
				{
					form: { teamId: growingTeam.nanoid, returnAll: false, limit: LARGEST_PAGE + 1 },
					prepare: ({ service }) => void service.change({ growingTeamSize: LARGEST_PAGE + 20 }),
					requests: () => [request(growingTeam.nanoid, {})],
				},
			],
			refused: refusing('Limit', 'limit', [0, -1, 1.5], { returnAll: false }),
		},
		{
			what: `1, ${MOST_EMAILS_IN_FILTER} and ${MOST_EMAILS_IN_FILTER + 1} emails (two requests), of members and strangers`,
			accepted: [
				...[
					emails.slice(0, 1),
					people(1, 'nobody'),
					allowedTexts('Email'),
					[...emails.slice(0, MOST_EMAILS_IN_FILTER - 1), ...people(1, 'nobody')],
				].map((wanted) => ({
					form: { emails: wanted },
					requests: () => [request(team, { emails: repeated(wanted) })],
				})),
				{
					form: { emails: emails.slice(0, MOST_EMAILS_IN_FILTER + 1).join(', ') },
					requests: () => [
						request(team, { emails: emails.slice(0, MOST_EMAILS_IN_FILTER) }),
						request(team, { emails: repeated(emails.slice(MOST_EMAILS_IN_FILTER).slice(0, 1)) }),
					],
				},
			],
			refused: refusing('Emails', 'emails', [...WRONG_EMAILS, ['ana@example.com', 'ana']]),
		},
		/* test/n8n/reads.test.ts and openQuestions.test.ts have the items. */
		{
			what: 'no other output than simplified, as received, or selected fields',
			refused: [
				...refusing('Output', 'output', ['', 'raw']),
				...refusing('Output Fields', 'outputFields', ['', 'email, phone'], { output: 'selected' }),
			],
		},
	],
};
