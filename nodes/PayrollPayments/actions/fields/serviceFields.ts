import { z } from 'zod';
import { ADMINISTRATOR_ROLES, type AdministratorRole, ROLE_NAMES } from '../../shared/roles';
import { ecdsaSignature, evmAddress } from '../../shared/address';
import { email } from '../../shared/email';
import { identifier, type IdentifierPrefix } from '../../shared/identifier';

import { literal, mustResolve, optional, shownWhen, type Field } from './field';
import { choice, flag, json, text, textList, wholeNumber } from './kinds';

/** The identifier of a team (te-). */
export function teamId(): Field<string> {
	return text(
		{
			label: 'Team ID',
			description: 'Identifier of the team, starting with te-',
			example: 'te-a1B2c3D4e5F6',
		},
		identifier('te'),
	);
}

/** The label of {@link entityId} where users aren't taken. */
export const TEAM_OR_COMPANY_ID = 'Team or Company ID';

/** The identifier of an entity with one of the given prefixes. */
export function entityId(...prefixes: IdentifierPrefix[]): Field<string> {
	const isUserTaken = prefixes.includes('us');
	const starts = prefixes
		.map((prefix) => `${prefix}-`)
		.join(', ')
		.replace(/, ([^,]*)$/, ' or $1');
	return text(
		{
			label: isUserTaken ? 'Team, Company or User ID' : TEAM_OR_COMPANY_ID,
			description: `Identifier of the ${isUserTaken ? 'team, company or user' : 'team or company'}, starting with ${starts}`,
			example: 'te-a1B2c3D4e5F6',
		},
		identifier(...prefixes),
	);
}

const ADMINISTRATOR_ROLE_OPTIONS = ADMINISTRATOR_ROLES.map((value) => ({
	name: ROLE_NAMES[value],
	value,
})).sort((a, b) => a.name.localeCompare(b.name, 'en'));

/** The role of an administrator of a team or company. */
export function administratorRole(): Field<AdministratorRole> {
	return choice(
		{
			label: 'Role',
			description:
				'Role of the new administrators; team roles need the ID of a team, company roles that of a company',
		},
		ADMINISTRATOR_ROLE_OPTIONS,
		'team_viewer',
	);
}

/** The role that typed data is compared with; *Any* skips the comparison. */
export function expectedRole(): Field<AdministratorRole | undefined> {
	const { form, ...rest } = mustResolve(optional(administratorRole()));
	return {
		...rest,
		form: {
			...form,
			displayName: 'Expected Role',
			options: [{ name: 'Any', value: '' }, ...ADMINISTRATOR_ROLE_OPTIONS],
			default: '',
			description:
				'The only role that the typed data may give. Any allows every administrator role.',
		},
	};
}

/** Options of operations that sign administrator invites. */
export const roleOptions = {
	allowUnknownRoleHash: literal(
		flag({
			label: 'Allow Unknown Role Hash',
			description:
				"Whether to sign typed data whose 32-byte role doesn't match a known spelling of the selected role. Ask the service first which role it stands for.",
		}),
	),
};

/** A list of email addresses. */
export function emails(wording: { label: string; description: string }): Field<string[]> {
	return textList({ ...wording, example: 'ana@example.com, ben@example.com' }, email);
}

/** All records, or up to a limit. */
export const returnAllOrLimit = {
	returnAll: flag({
		label: 'Return All',
		description: 'Whether to return all results or only up to a given limit',
	}),
	limit: shownWhen(
		{ returnAll: [false] },
		wholeNumber(
			{ label: 'Limit', description: 'Max number of results to return' },
			{ least: 1, preset: 50 },
		),
	),
};

/** Who signs the typed data: the wallet of the credentials, or someone else beforehand. */
export const signatureFields = {
	signatureSource: choice(
		{ label: 'Signature From', description: 'Who signs the typed data' },
		[
			{
				name: 'Provided',
				value: 'provided',
				description: 'Send a signature made outside n8n',
			},
			{
				name: 'Wallet',
				value: 'wallet',
				description: 'Check the typed data, then sign it with the wallet in the credentials',
			},
		],
		'wallet',
	),
	signature: shownWhen(
		{ signatureSource: ['provided'] },
		text(
			{
				label: 'Signature',
				description: 'ECDSA signature of the typed data, 0x followed by 130 hex characters',
				example: '0x4f1c…1b',
			},
			ecdsaSignature,
		),
	),
	signer: shownWhen(
		{ signatureSource: ['provided'] },
		text(
			{
				label: 'Signer',
				description: 'Address of the wallet that made the signature',
				example: '0x52908400098527886E0F7030069857D2E4169EE7',
			},
			evmAddress,
		),
	),
};

/** A JSON object with at least one property. */
export function jsonObject(wording: Parameters<typeof json>[0]) {
	return json(
		wording,
		z
			.record(z.unknown(), {
				invalid_type_error: 'must be a JSON object',
				required_error: 'is missing',
			})
			.refine((object) => Object.keys(object).length > 0, 'is missing'),
	);
}

/** An optional JSON object. n8n shows an empty one as "{}", which counts as blank. */
export function optionalJsonObject(wording: Parameters<typeof json>[0]) {
	return optional(
		json(
			wording,
			z
				.record(z.unknown(), { invalid_type_error: 'must be a JSON object' })
				.transform((object) => (Object.keys(object).length === 0 ? undefined : object)),
		),
	);
}

/** The name of a body field that the service doesn't document (docs/api.md, Endpoints 8 and 9). */
export function bodyFieldName(
	wording: { label: string; description: string },
	preset: string,
): Field<string> {
	const { form, ...rest } = text(
		wording,
		z
			.string({ invalid_type_error: 'must be text' })
			.regex(
				/^[A-Za-z][A-Za-z0-9_]{0,63}$/,
				'must start with a letter and contain only letters, digits and _',
			)
			.refine((name) => !RESERVED_NAMES.includes(name), 'is already the name of another field')
			.default(preset),
	);
	return { ...rest, required: false, form: { ...form, default: preset } };
}

/** Names that the same bodies use for other values. */
const RESERVED_NAMES: readonly string[] = ['review_version', 'version'];

/** A user of the team, selected from a list or given by ID. */
export function teamUserId(): Field<string> {
	const byId = identifier('us');
	return {
		form: {
			displayName: 'User',
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			description: 'The external payment recipient',
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: 'Select a user...',
					typeOptions: { searchListMethod: 'searchTeamUsers', searchable: true },
				},
				{
					displayName: 'By ID',
					name: 'id',
					type: 'string',
					placeholder: 'e.g. us-a1B2c3D4e5F6',
					validation: [
						{
							type: 'regex',
							properties: {
								regex: '^us-[A-Za-z0-9_-]{12}$',
								errorMessage: 'A user ID starts with us- and has 15 characters',
							},
						},
					],
				},
			],
		},
		schema: z
			.union([z.object({ value: z.unknown() }).transform(({ value }) => value ?? ''), z.unknown()])
			.pipe(byId),
		required: true,
	};
}
