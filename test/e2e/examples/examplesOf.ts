/** Which examples each test of this folder runs; each checks at its end that it did. */
export const EXAMPLES_OF = {
	deposits: [
		'balance-changed-to-message',
		'balance-rose-without-deposit',
		'deposit-to-sheet',
		'deposit-to-slack',
		'month-end-statement',
		'nightly-balance-check',
		'webhook-canary',
	],
	people: [
		'administrator-invites-with-approval',
		'ai-agent-with-review',
		'mcp-reading',
		'name-reviews-from-queue',
		'onboarding-to-board',
		'payroll-sheet-to-invites',
	],
	payments: [
		'cleared-deposit-to-payment',
		'payment-record',
		'payment-record-month',
		'payroll-run-with-approval',
		'unknown-outcome-alarm',
		'was-it-paid',
	],
	approvals: [
		'confirm-in-your-wallet',
		'deposit-payment-approved-in-slack',
		'payment-by-signed-in-approvers',
		'provider-authorization-to-payment',
		'sign-outside',
	],
} as const;
