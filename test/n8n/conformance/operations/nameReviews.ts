import { field, post, refusing, renamed, type OperationCases } from '../cases';
import { allowedTexts, forbiddenTexts } from '../examples';
import { bodyField } from '../openapi';

const REVIEWED_AT = '2026-03-31T09:30:00Z';
const DECISIONS = bodyField('resolveNameReview', 'action').enum ?? [];

const path = (team: unknown, user: string): string =>
	`/v2/payments/teams/${String(team)}/external_entity/${user}/name_review`;

export const resolveNameReview: OperationCases = {
	name: 'nameReview.update',
	calls: ['resolveNameReview'],
	form: () => ({ reviewVersion: REVIEWED_AT }),
	requests: ({ teamId, decision, reviewVersion }, { reviewed }) => [
		post(path(teamId, reviewed), { review_version: reviewVersion, action: decision }),
	],
	groups: ({ team, reviewed }) => [
		field('Decision', 'decision', DECISIONS, ['', 'approved', 'reject', 'Approve']),
		field(
			'Review Version',
			'reviewVersion',
			allowedTexts('UtcTimestamp'),
			forbiddenTexts('UtcTimestamp'),
		),
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
		renamed('Decision Field Name', 'decisionFieldName', 'review_version', (name) =>
			post(path(team, reviewed), { review_version: REVIEWED_AT, [name]: 'approve' }),
		),
	],
};
