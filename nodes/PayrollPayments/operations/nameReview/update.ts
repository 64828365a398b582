import { nameReviewAnswer } from '../../api/schemas/answers';
import { utcTimestamp } from '../../contract/formats';
import { choice, menu, text } from '../../forms/fieldTypes';
import { bodyFieldName, teamId, teamUserId } from '../../forms/serviceFields';
import { endpoint } from '../../contract/endpoints';
import { defineWrite, eachItem } from '../../run/operation';
import { stepOf } from '../../run/write';
import { entityLabel } from '../../api/credentials';

/** docs/api.md, Endpoint 8. */
export const resolveNameReview = defineWrite({
	resource: 'nameReview',
	operation: 'update',
	name: 'Resolve',
	action: 'Resolve name review',
	description: 'Approve or cancel a name mismatch of an external payment recipient',
	permission: 'resolveNameReviews',
	notice: 'The service offers no way to undo a decision',
	fields: {
		teamId: teamId(),
		userId: teamUserId('The external payment recipient'),
		decision: choice(
			{ label: 'Decision', description: 'What to do about the name mismatch' },
			menu({
				approve: 'Accept the recipient’s name',
				cancel: 'Refuse the recipient’s name; whether this stops the payment isn’t documented',
			}),
			'',
		),
		reviewVersion: text(
			{
				label: 'Review Version',
				description:
					'Timestamp of the review, exactly as your system got it: a UTC date and time ending in Z',
				example: '2026-03-31T09:30:00Z',
			},
			utcTimestamp,
		),
	},
	output: nameReviewAnswer,
	options: {
		decisionFieldName: bodyFieldName(
			{
				label: 'Decision Field Name',
				description: 'Name of the body field for the decision, which the service doesn’t document',
			},
			'action',
		),
	},
	check: eachItem(
		async ({ numbers, input, options }, run) => {
			const { teamId: team, userId, decision, reviewVersion } = input;
			const body = { review_version: reviewVersion, [options.decisionFieldName]: decision };
			const what = decision === 'approve' ? 'Approve the name of' : 'Cancel the name review of';
			const label = entityLabel(team, run.credentials.entities);
			return [
				stepOf(
					run.write(numbers, {
						entityId: team,
						...endpoint('resolveNameReview', { team_nanoid: team, user_nanoid: userId }),
						summary: `${what} user ${userId} in team ${label}, as reviewed in version ${reviewVersion}`,
						body,
						answer: nameReviewAnswer,
					}),
				),
			];
		},
		({ teamId: team, userId }) => [[`${team} ${userId}`, `User: ${userId}`]],
		/* A decision can't be undone, so neither of two is sent. */
		({ input: { teamId: team, userId, decision } }) => [
			[`user ${userId} in team ${team}`, decision],
		],
	),
});
