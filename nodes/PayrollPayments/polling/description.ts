import type { INodeProperties } from 'n8n-workflow';

import { BALANCE_CURRENCIES } from '../shared/money';

const events = [
	{
		name: 'Balance Changed',
		value: 'balanceChanged',
		description: 'A balance of a team, company or user went up or down',
	},
	{
		name: 'Invite Added',
		value: 'inviteAdded',
		description: 'A team or company has a new pending invite',
	},
	{
		name: 'Invite Ended',
		value: 'inviteEnded',
		description:
			'An invite is no longer pending: it was accepted, rejected or withdrawn, or expired',
	},
	{
		name: 'Team User Added',
		value: 'teamUserAdded',
		description: 'A team has a new user',
	},
	{
		name: 'Team User Changed',
		value: 'teamUserChanged',
		description: 'The role, the onboarding or the payment eligibility of a team’s user changed',
	},
];

/*
 * The build evaluates this file and bundles only these values, so that n8n can load the node without
 * loading what polls.
 */
export const properties: INodeProperties[] = [
	{
		displayName:
			'The first check after you publish only remembers how things are. Each later check starts the workflow with everything that has changed since the one before.',
		name: 'firstCheckNotice',
		type: 'notice',
		default: '',
	},
	{
		displayName: 'Trigger On',
		name: 'event',
		type: 'options',
		noDataExpression: true,
		options: events,
		default: 'balanceChanged',
		description: 'The change that starts the workflow',
	},
	{
		displayName: 'Team, Company or User ID',
		name: 'entityId',
		type: 'string',
		required: true,
		displayOptions: { show: { event: ['balanceChanged'] } },
		default: '',
		placeholder: 'e.g. te-a1B2c3D4e5F6',
		description: 'Whose balances to watch; starts with te-, co- or us-',
	},
	{
		displayName: 'Team or Company ID',
		name: 'entityId',
		type: 'string',
		required: true,
		displayOptions: { show: { event: ['inviteAdded', 'inviteEnded'] } },
		default: '',
		placeholder: 'e.g. te-a1B2c3D4e5F6',
		description: 'Whose pending invites to watch; starts with te- or co-',
	},
	{
		displayName: 'Team ID',
		name: 'teamId',
		type: 'string',
		required: true,
		displayOptions: { show: { event: ['teamUserAdded', 'teamUserChanged'] } },
		default: '',
		placeholder: 'e.g. te-a1B2c3D4e5F6',
		description: 'The team whose users to watch; starts with te-',
	},
	{
		displayName: 'Currencies',
		name: 'currencies',
		type: 'multiOptions',
		displayOptions: { show: { event: ['balanceChanged'] } },
		options: BALANCE_CURRENCIES.map((currency) => ({ name: currency, value: currency })),
		default: [],
		description: 'The currencies to watch; leave empty for all',
	},
	{
		displayName: 'Minimum Change (Cents)',
		name: 'minimumChangeCents',
		type: 'number',
		displayOptions: { show: { event: ['balanceChanged'] } },
		typeOptions: { minValue: 0 },
		default: 0,
		description:
			'The smallest change that counts, up or down, in cents, e.g. 12500 for $125.00. Smaller changes add up until they reach it.',
	},
	{
		displayName:
			'For an invite to a team, <b>outcome</b> is <b>member</b> if the team now lists the invite’s email address, and <b>gone</b> if not. For an invite to a company it’s always <b>gone</b>.',
		name: 'outcomeNotice',
		type: 'notice',
		displayOptions: { show: { event: ['inviteEnded'] } },
		default: '',
	},
	{
		displayName:
			'Compares <b>role</b>, <b>payable</b> and <b>onboarding</b>. Other details, such as a name, don’t count as a change.',
		name: 'comparedNotice',
		type: 'notice',
		displayOptions: { show: { event: ['teamUserChanged'] } },
		default: '',
	},
];

const names = Object.fromEntries(events.map(({ name, value }) => [value, name]));

/** The line under the node on the canvas: the event as the menu names it. */
export const subtitle = `={{ (${JSON.stringify(names)})[$parameter.event] }}`;
