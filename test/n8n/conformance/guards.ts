import type { Guard } from './record';

/** A test outside this folder: its file, its title as it stands there, and what it guards. */
type GuardElsewhere = Pick<Guard, 'area' | 'what' | 'guards'>;

/** Statements about what the node does by itself have tests of their own. */
export const GUARDED_ELSEWHERE: readonly GuardElsewhere[] = [
	{
		area: 'test/unit/contract/emails.test.ts',
		what: 'takes what the HTML standard takes and has a dot in its domain, up to 320 characters',
		guards: ['read-between-the-lines/what-makes-an-email*', 'common-formats/email'],
	},
	{
		area: 'test/unit/signing/signInMessage.property.test.ts',
		what: 'refuses any message with one line changed, or reads it as siwe does',
		guards: ['read-between-the-lines/whether-a-sign*'],
	},
	{
		area: 'test/unit/signing/administratorRoles.test.ts',
		what: 'signs the documented hash of no other role than the one asked for',
		guards: ['read-between-the-lines/how-typed-data*'],
	},
	{
		area: 'test/unit/signing/administratorRoles.test.ts',
		what: 'an expiry in the past in ISO 8601',
		guards: ['read-between-the-lines/the-unit-of-expires'],
	},
	{
		area: 'test/unit/trigger/simplify.test.ts',
		what: 'reads created %d as %s',
		guards: ['read-between-the-lines/the-unit-of-created', 'event-envelope/created'],
	},
	{
		area: 'test/unit/signing/instantPayment.test.ts',
		what: 'takes exactly one amount, whatever the form’s',
		guards: ['requests/endpoint-10-what*'],
	},
	{
		area: 'test/n8n/permissions.test.ts',
		what: 'writes with Everything and no limits',
		guards: ['requests/other-operations'],
	},
	{
		area: 'test/n8n/session.test.ts',
		what: 'by a day costs no sign-in while the service takes the token',
		guards: ['signing-in/how-long*'],
	},
	{
		area: 'test/n8n/action.test.ts',
		what: 'go out exactly once when the connection is cut after the body was read, over three tries',
		guards: ['answers-and-errors/endpoint-10*'],
	},
	{
		area: 'test/unit/trigger/signatures.test.ts',
		what: 'survives any header and any body: %j',
		guards: ['deliveries/how-deliveries*'],
	},
	{
		area: 'test/n8n/invitePeople.test.ts',
		what: 'gives no identifier where the service lists none, and takes no blank email for a person',
		guards: ['read-between-the-lines/whether-endpoint-4*'],
	},
	{
		area: 'test/n8n/invitePeople.test.ts',
		what: 'does as the property model says for random sheets, and again after a fault',
		guards: ["read-between-the-lines/whether-endpoint-11's*"],
	},
	{
		area: 'test/n8n/invitePeople.test.ts',
		what: 'gives none where the service names %s',
		guards: ['read-between-the-lines/whether-endpoint-5*'],
	},
	{
		area: 'test/n8n/trigger.test.ts',
		what: 'registers nothing, and says so in the log only',
		guards: ['deliveries/how-endpoints*'],
	},
	{
		area: 'test/n8n/trigger.test.ts',
		what: 'genuine, key seen before: ignored as a duplicate, whatever else has changed',
		guards: ['deliveries/when-and*', 'event-envelope/idempotency_key'],
	},
	{
		area: 'test/n8n/trigger.test.ts',
		what: 'can add headers, without those that contain secrets',
		guards: ['deliveries/headers*'],
	},
];

/** What no test can show, and why. */
export const UNTESTABLE: Readonly<Record<string, string>> = {
	'overview/the-service*': 'says what the service is for',
	'overview/clients-talk*': 'an introduction; the request of each endpoint is tested',
	'deposit-status/which*': 'says that something is not documented',
	'open-questions/what*': 'an introduction',
	'answers-and-errors/states*':
		'the node draws no conclusion that could be wrong; the polling trigger has tests of its own',
	'deliveries/payloads-of-major*': 'the contents of other major versions are not documented',
	'deliveries/which-operations*': 'says that the node assumes nothing',
	'read-between-the-lines/these*': 'an introduction',
	'read-between-the-lines/what-a-list*': 'says what no client can promise',
};
