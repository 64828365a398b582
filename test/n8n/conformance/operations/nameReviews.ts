import { accepting, refusing, refusingOption, type OperationCases } from '../cases';
import { allowedTexts, forbiddenTexts } from '../examples';
import { bodyField } from '../openapi';

const DECISIONS = bodyField('resolveNameReview', 'action').enum ?? [];

export const resolveNameReview: OperationCases = {
	name: 'Name Review: Resolve',
	calls: ['resolveNameReview'],
	effect: 'write',
	resource: 'nameReview',
	operation: 'update',
	form: ({ team, reviewed }) => ({
		teamId: team,
		userId: { __rl: true, mode: 'id', value: reviewed },
		decision: 'approve',
		reviewVersion: '2026-03-31T09:30:00Z',
	}),
	requests: ({ teamId, decision, reviewVersion }, { reviewed }) => [
		{
			method: 'POST',
			path: `/v2/payments/teams/${String(teamId)}/external_entity/${reviewed}/name_review`,
			query: {},
			body: { review_version: reviewVersion, action: decision },
		},
	],
	answers: (output) => output,
	groups: ({ reviewed }) => [
		{
			what: 'approve and cancel',
			accepted: accepting('decision', DECISIONS),
			refused: refusing('Decision', 'decision', ['', 'approved', 'reject', 'Approve']),
		},
		{
			what: 'timestamps with and without seconds and fractions, byte for byte',
			accepted: accepting('reviewVersion', allowedTexts('UtcTimestamp')),
			refused: refusing('Review Version', 'reviewVersion', forbiddenTexts('UtcTimestamp')),
		},
		{
			what: 'a team and a user, from the list or by ID',
			accepted: ['list', 'id'].map((mode) => ({
				form: { userId: { __rl: true, mode, value: reviewed } },
			})),
			refused: [
				...refusing('Team ID', 'teamId', forbiddenTexts('TeamId')),
				...forbiddenTexts('UserId').map((value) => ({
					label: 'User',
					form: { userId: { __rl: true, mode: 'id', value: `={{ "${value}" }}` } },
				})),
			],
		},
		{
			what: 'another name for the field with the decision',
			accepted: ['decision', `d${'x'.repeat(63)}`].map((decisionFieldName) => ({
				form: { options: { decisionFieldName } },
				prepare: ({ service }) => void service.change({ decisionFieldName }),
				requests: ({ teamId }, { reviewed: user }) => [
					{
						method: 'POST',
						path: `/v2/payments/teams/${String(teamId)}/external_entity/${user}/name_review`,
						query: {},
						body: { review_version: '2026-03-31T09:30:00Z', [decisionFieldName]: 'approve' },
					},
				],
			})),
			refused: refusingOption('Decision Field Name', 'decisionFieldName', [
				'',
				'review_version',
				'1st',
				'a-b',
				`d${'x'.repeat(64)}`,
			]),
		},
	],
};
