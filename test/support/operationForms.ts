import type { INodeParameters } from 'n8n-workflow';

import { SavedCredentials } from './actionHost';
import { paymentForm } from '../../n8nHost/workflows';

const TEAM = 'te-a1B2c3D4e5F6';
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
export const SIGNED_ELSEWHERE = {
	signatureSource: 'provided',
	signer: ADDRESS,
	signature: `0x${'a1'.repeat(65)}`,
};

const typedData = (data: object) =>
	JSON.stringify({ from: ADDRESS, to: ADDRESS, salt: '1', expires: '1', data });

export function formOf<Fields extends INodeParameters>(name: string, fields: Fields) {
	const [resource = '', operation = ''] = name.split('.');
	return { resource, operation, ...fields };
}

const DATA_FIELDS = [
	...['id', 'groupID', 'payAtTime', 'validMinutes', 'payType'],
	...['token', 'recipient', 'amount', 'data'],
];

/** How each operation is asked by itself, without a sandbox. */
export const FORMS = {
	getSignInMessage: formOf('authentication.getSignInMessage', {
		wallet: ADDRESS,
		platformId: 'PLT-1',
	}),
	/* As short as a contract's signature may be. */
	verifySignIn: formOf('authentication.verify', {
		message: 'A message',
		nonce: 'abcdefgh',
		signature: '0xa1',
	}),
	getBalance: formOf('balance.get', { entityId: TEAM, output: 'asReceived' }),
	listInvites: formOf('invite.getAll', { entityId: TEAM, returnAll: true }),
	createInvites: formOf('invite.create', {
		...{ teamId: TEAM, role: 'contractor', inviteesSource: 'json', existingPeople: 'invite' },
		inviteesJson: '[{ "email": "ana@example.com" }]',
	}),
	createAdministratorInvites: formOf('administratorInvite.create', {
		entityId: TEAM,
		role: 'team_viewer',
		emails: 'ana@example.com',
	}),
	executeAdministratorInvites: formOf('administratorInvite.complete', {
		inviteIds: 'in-a1B2c3D4e5F6',
		typedData: typedData([{ role: 'team_viewer', account: ADDRESS }]),
		...SIGNED_ELSEWHERE,
	}),
	resolveNameReview: formOf('nameReview.update', {
		...{ teamId: TEAM, userId: { __rl: true, mode: 'id', value: 'us-a1B2c3D4e5F6' } },
		...{ decision: 'cancel', reviewVersion: '2026-03-31T09:30Z' },
	}),
	sendTestDelivery: formOf('webhook.send', {
		webhookId: 'wh-a1B2c3D4e5F6',
		eventType: 'deposit.received',
	}),
	createInstantPayment: paymentForm({
		teamId: TEAM,
		typedData: typedData(Object.fromEntries(DATA_FIELDS.map((name) => [name, '1']))),
		...SIGNED_ELSEWHERE,
	}),
	listTeamUsers: formOf('teamUser.getAll', { teamId: TEAM, returnAll: true, output: 'asReceived' }),
} satisfies Record<string, INodeParameters>;

export type OperationId = keyof typeof FORMS;

export const OPERATION_IDS = Object.keys(FORMS).filter((id): id is OperationId => id in FORMS);

export const withAccessToken = (baseUrl: string): SavedCredentials =>
	new SavedCredentials({
		baseUrl,
		authentication: 'accessToken',
		access: 'everything',
		accessToken: 'the.access.token',
	});
