import { ServiceFailure } from '../failure';
import { existing, requireRole } from '../roles';
import { defineOperation } from './operation';

interface Request {
	readonly path: { readonly team_nanoid: string; readonly user_nanoid: string };
	/** `review_version` and the decision, whose field name is a setting. */
	readonly body: Readonly<Record<string, string>>;
}

const MAY_REVIEW = ['team_admin', 'team_finance_admin', 'org_admin', 'org_finance_admin'];

/**
 * Endpoint 8: resolves a name review, once. It accepts any valid `review_version`, since what the
 * service compares it with isn't documented.
 */
export const resolveNameReview = defineOperation<Request>(
	'resolveNameReview',
	({ path: { team_nanoid, user_nanoid }, body }, { service, caller }) => {
		const { organisation, settings } = service;
		const team = existing(
			organisation.team(team_nanoid),
			new ServiceFailure(404, `${team_nanoid} does not exist`, 'TEAM_NOT_FOUND'),
			() => requireRole(caller, team_nanoid, MAY_REVIEW, organisation),
			settings,
		);
		const review = team.nameReviews.get(user_nanoid);
		if (!review) {
			throw new ServiceFailure(404, `${user_nanoid} has no name review`, 'REVIEW_NOT_FOUND');
		}
		if (review.status !== 'waiting') {
			throw new ServiceFailure(400, `The review is already ${review.status}`, 'REVIEW_RESOLVED');
		}
		review.status = body[settings.decisionFieldName] === 'approve' ? 'approved' : 'cancelled';
		return { status: review.status };
	},
);
