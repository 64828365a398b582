/** Query parameters, and members of bodies and answers, that a deployment may name differently (docs/api.md). */
const RENAMABLE = [
	...['wallet', 'platformid', 'siwe', 'message', 'sig', 'nonce', 'jwt', 'nanoid', 'nanoids'],
	...['currencies', 'platform_account_address', 'balances', 'currency', 'balance_cents'],
	...['invites', 'role', 'email', 'emails', 'anonymous', 'prefill', 'first_name', 'middle_name'],
	...['last_name', 'phone', 'company_name', 'job_title', 'company_size', 'company_website'],
	...['company_industry', 'company_address', 'company_city', 'company_state', 'company_zip'],
	...['company_country', 'invitee_name', 'inviter_name', 'inviter_email', 'company', 'team'],
	...['name', 'avatar', 'signer', 'signature', 'transaction', 'review_version', 'status'],
	...['version', 'delivery_nanoid', 'test_payload', 'from', 'amount_cents', 'currency_symbol'],
	...['external_recipient_email', 'network', 'users', 'pagination', 'platform_account', 'address'],
	...['line_1', 'line_2', 'city', 'state', 'country', 'zip_code', 'onboarding', 'onboarded'],
	...['step', 'moderation_status', 'payable', 'page', 'offset', 'count', 'next_page'],
	...['next_offset', 'has_more'],
];

/** The typed data of operations 6, 7 and 10, which is signed as it is. */
export const TYPED_DATA = 'typed_data';

/** What the envelope, paths and typed data call theirs. */
const FIXED = [
	...['success', 'data', 'error_code', 'team_nanoid', 'user_nanoid', 'webhook_nanoid'],
	...[TYPED_DATA, 'domain', 'types', 'primary_type', 'to', 'salt', 'expires', 'account'],
	...['chainId', 'verifyingContract', 'id', 'groupID', 'payAtTime', 'validMinutes', 'payType'],
	...['token', 'recipient', 'amount'],
];

export function isRenamable(name: string): boolean {
	return RENAMABLE.includes(name);
}

export function isDocumented(name: string): boolean {
	return isRenamable(name) || FIXED.includes(name);
}
