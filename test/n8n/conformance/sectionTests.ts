import { OPERATION_CASES } from './operations';
import { OPERATIONS } from './openapi';

const OF_EACH_OPERATION = ['Sandbox', 'Authentication', 'Answers'];
const SHEETS = 'test/n8n/invitePeople.test.ts';
const SIGNING = 'test/unit/signing';
const TRIGGER = 'test/n8n/trigger.test.ts';

const EVERY_OPERATION = OPERATION_CASES.map(({ name }) => name);

/** The operations of the node that send a request of the service. */
function operationsOf(id: string): string[] {
	return OPERATION_CASES.filter(({ calls }) => calls.includes(id)).map(({ name }) => name);
}

/** What tries the sections of docs/api.md: areas of the tests here, or other files and folders. */
export const SECTION_TESTS: Readonly<Record<string, readonly string[]>> = {
	Overview: OF_EACH_OPERATION,
	Identifiers: ['Sandbox', ...EVERY_OPERATION],
	'Common formats': ['Sandbox', ...EVERY_OPERATION, 'test/unit/shared'],
	'Response envelope': ['Sandbox', 'Answers'],
	Roles: ['Sandbox', 'Answers', 'Menus', ...operationsOf('createAdministratorInvites')],
	'Balance entry': ['Sandbox', 'Answers', ...operationsOf('getBalance')],
	'Invite record': ['Sandbox', 'Answers', ...operationsOf('listInvites')],
	'Invite prefill': ['Sandbox', ...operationsOf('createInvites'), SHEETS],
	'Typed data for administrator invites': [
		'Sandbox',
		...operationsOf('executeAdministratorInvites'),
		SIGNING,
	],
	'Team user record': ['Sandbox', 'Answers', ...operationsOf('listTeamUsers')],
	Pagination: ['Sandbox', 'Answers', ...operationsOf('listTeamUsers')],
	'Deposit record': ['Sandbox', 'Trigger'],
	'Deposit status': ['Trigger'],
	Endpoints: OF_EACH_OPERATION,
	...Object.fromEntries(
		OPERATIONS.map(({ id, number }) => [
			`Endpoint ${number}`,
			[...operationsOf(id), ...OF_EACH_OPERATION],
		]),
	),
	Authentication: ['Sandbox', 'Authentication', 'test/n8n/session.test.ts', SIGNING],
	Events: ['Sandbox', 'Trigger'],
	'Event types': ['Sandbox', 'Trigger', 'Menus'],
	'Event envelope': ['Sandbox', 'Trigger', TRIGGER],
	'deposit.received': ['Sandbox', 'Trigger', 'test/unit/trigger'],
	Errors: ['Sandbox', 'Answers', 'test/n8n/faults.test.ts'],
	Limits: ['Sandbox', ...EVERY_OPERATION],
	Versioning: ['Sandbox', 'Authentication', 'Trigger', ...operationsOf('sendTestDelivery')],
	'Open questions': ['test/n8n/openQuestions.test.ts'],
	Requests: ['Defaults', ...EVERY_OPERATION, 'test/n8n/permissions.test.ts', SIGNING],
	'Signing in': ['Authentication', 'test/n8n/session.test.ts'],
	'Answers and errors': ['Answers', 'test/n8n/payments.test.ts', 'test/n8n/faults.test.ts'],
	Deliveries: ['Trigger', TRIGGER, 'test/unit/trigger'],
	'Read between the lines': [...EVERY_OPERATION, 'Trigger', SHEETS, SIGNING, 'test/unit/trigger'],
};
