import { endpoint } from '../../../nodes/PayrollPayments/contract/endpoints';

it('encodes what is put into a path', () => {
	expect(endpoint('listTeamUsers', { team_nanoid: 'te-a/b c?d' })).toEqual({
		method: 'GET',
		path: '/v2/teams/te-a%2Fb%20c%3Fd/users',
	});
	const ids = { team_nanoid: 'te-$&', user_nanoid: '{team_nanoid}' };
	expect(endpoint('resolveNameReview', ids).path).toBe(
		'/v2/payments/teams/te-%24%26/external_entity/%7Bteam_nanoid%7D/name_review',
	);
});
