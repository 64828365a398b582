import type { INodeParameters } from 'n8n-workflow';

import { SavedCredentials } from './actionHost';
import { paymentForm } from '../../n8nHost/workflows';

const TEAM = 'te-a1B2c3D4e5F6';
const ADDRESS = '0x52908400098527886E0F7030069857D2E4169EE7';
const SIGNATURE = `0x${'a1'.repeat(65)}`;
export const SIGNED_ELSEWHERE = {
	signatureSource: 'provided',
	signer: ADDRESS,
	signature: SIGNATURE,
};

/** A message to sign, with this in `data`. */
const typedData = (data: object) =>
	JSON.stringify({ from: ADDRESS, to: ADDRESS, salt: '1', expires: '1', data });

/** How each operation is asked by itself, without a sandbox. */
export const FORMS = {
	getSignInMessage: {
		resource: 'authentication',
		operation: 'getSignInMessage',
		wallet: ADDRESS,
		platformId: 'PLT-1',
	},
	verifySignIn: {
		resource: 'authentication',
		operation: 'verify',
		message: 'A message',
		nonce: 'abcdefgh',
		/* As short as a contract's signature may be. */
		signature: '0xa1',
	},
	getBalance: { resource: 'balance', operation: 'get', entityId: TEAM, output: 'asReceived' },
	listInvites: { resource: 'invite', operation: 'getAll', entityId: TEAM, returnAll: true },
	createInvites: {
		resource: 'invite',
		operation: 'create',
		teamId: TEAM,
		role: 'contractor',
		inviteesSource: 'json',
		existingPeople: 'invite',
		inviteesJson: '[{ "email": "ana@example.com" }]',
	},
	createAdministratorInvites: {
		resource: 'administratorInvite',
		operation: 'create',
		entityId: TEAM,
		role: 'team_viewer',
		emails: 'ana@example.com',
	},
	executeAdministratorInvites: {
		resource: 'administratorInvite',
		operation: 'complete',
		inviteIds: 'in-a1B2c3D4e5F6',
		typedData: typedData([{ role: 'team_viewer', account: ADDRESS }]),
		...SIGNED_ELSEWHERE,
	},
	resolveNameReview: {
		resource: 'nameReview',
		operation: 'update',
		teamId: TEAM,
		userId: { __rl: true, mode: 'id', value: 'us-a1B2c3D4e5F6' },
		decision: 'cancel',
		reviewVersion: '2026-03-31T09:30Z',
	},
	sendTestDelivery: {
		resource: 'webhook',
		operation: 'send',
		webhookId: 'wh-a1B2c3D4e5F6',
		eventType: 'deposit.received',
	},
	createInstantPayment: paymentForm({
		teamId: TEAM,
		typedData: typedData(
			Object.fromEntries(
				[
					...['id', 'groupID', 'payAtTime', 'validMinutes', 'payType'],
					...['token', 'recipient', 'amount', 'data'],
				].map((name) => [name, '1']),
			),
		),
		...SIGNED_ELSEWHERE,
	}),
	listTeamUsers: {
		resource: 'teamUser',
		operation: 'getAll',
		teamId: TEAM,
		returnAll: true,
		output: 'asReceived',
	},
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
