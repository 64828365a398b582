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
 * Endpoint 8: resolves a name review, once. What the service compares `review_version` with isn't
 * documented; by default it has to be the review's own, so that nobody decides on what they haven't seen.
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
		const isMember = organisation.user(user_nanoid)?.team === team;
		const review = isMember ? team.nameReviews.get(user_nanoid) : undefined;
		if (!review) {
			throw new ServiceFailure(404, `${user_nanoid} has no name review`, 'REVIEW_NOT_FOUND');
		}
		if (review.status !== 'waiting') {
			throw new ServiceFailure(400, `The review is already ${review.status}`, 'REVIEW_RESOLVED');
		}
		const isCurrent = Date.parse(body.review_version ?? '') === Date.parse(review.reviewVersion);
		if (settings.reviewVersions === 'current' && !isCurrent) {
			throw new ServiceFailure(400, 'The review has changed since then', 'REVIEW_CHANGED');
		}
		review.status = body[settings.decisionFieldName] === 'approve' ? 'approved' : 'cancelled';
		return { status: review.status };
	},
);
