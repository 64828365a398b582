import { z } from 'zod';
import { ADMINISTRATOR_ROLES, type AdministratorRole, ROLE_NAMES } from '../contract/roles';
import { UserError } from '../shared/errors';
import { anyText, filledTrimmed } from '../shared/text';
import { ecdsaSignature, email, evmAddress } from '../contract/formats';
import {
	identifier,
	startsOf,
	IDENTIFIER_LENGTH,
	type IdentifierPrefix,
} from '../contract/identifiers';
import { BALANCE_CURRENCIES } from '../contract/currencies';

import { isBlank, labelOf, shownWhen, type Empty, type Field, type InputOf } from './field';
import {
	choice,
	choices,
	flag,
	json,
	menu,
	menuOf,
	text,
	textList,
	wholeNumber,
	type Wording,
} from './fieldTypes';

/** Dashes that `asTyped` makes a hyphen: the editor's own check must let them pass. */
const DASH = '[-\\u2010-\\u2015\\u2212]';

/** Where an identifier is found, which the service doesn't document. */
const WHERE_TO_FIND =
	'Ask an administrator in your company for the ID. Once it is in the credentials’ Teams and Companies, select it here.';

interface Locator {
	readonly label: string;
	/** What the list is of, e.g. "team". */
	readonly what: string;
	/** The node's method that lists them. */
	readonly searchListMethod: string;
	readonly prefixes: readonly IdentifierPrefix[];
	readonly description?: string;
	readonly noticeWhileEmpty?: string;
}

/** Something of the service, selected from a list or given by its ID. A plain ID as text is taken too. */
function locator({
	label,
	what,
	searchListMethod,
	prefixes,
	description,
	noticeWhileEmpty,
}: Locator): Field<string> {
	const starts = startsOf(prefixes);
	const validation = {
		type: 'regex',
		properties: {
			regex: `^\\W*(${prefixes.join('|')})${DASH}(${DASH}|\\w){12}\\W*$`,
			errorMessage: `A ${what} ID starts with ${starts} and has ${IDENTIFIER_LENGTH} characters`,
		},
	};
	return {
		form: {
			displayName: label,
			type: 'resourceLocator',
			default: { mode: 'list', value: '' },
			description: description ?? `The ${what}; its ID starts with ${starts}`,
			modes: [
				{
					displayName: 'From List',
					name: 'list',
					type: 'list',
					placeholder: `Select a ${what}...`,
					typeOptions: { searchListMethod, searchable: true },
				},
				{
					displayName: 'By ID',
					name: 'id',
					type: 'string',
					placeholder: `e.g. ${prefixes[0]}-a1B2c3D4e5F6`,
					validation: [validation],
				},
			],
		},
		schema: z
			.union([z.object({ value: z.unknown() }).transform(({ value }) => value ?? ''), z.unknown()])
			.pipe(identifier(...prefixes)),
		noticeWhileEmpty,
	};
}

export function teamId(): Field<string> {
	return locator({
		label: 'Team ID',
		what: 'team',
		searchListMethod: 'searchTeams',
		prefixes: ['te'],
		noticeWhileEmpty: WHERE_TO_FIND,
	});
}

export function teamUserId(description: string): Field<string> {
	return locator({
		label: 'User',
		what: 'user',
		description,
		searchListMethod: 'searchTeamUsers',
		prefixes: ['us'],
	});
}

/** A team or company, or a user where that prefix is given too. */
export function entityId(...prefixes: IdentifierPrefix[]): Field<string> {
	const isUserTaken = prefixes.includes('us');
	return locator({
		label: isUserTaken ? 'Team, Company or User ID' : 'Team or Company ID',
		what: isUserTaken ? 'team, company or user' : 'team or company',
		searchListMethod: isUserTaken ? 'searchUserEntities' : 'searchEntities',
		prefixes,
		noticeWhileEmpty: WHERE_TO_FIND,
	});
}

const ADMINISTRATOR_ROLE_OPTIONS = menuOf(ADMINISTRATOR_ROLES, (role) => ROLE_NAMES[role]);

export const administratorRole = choice(
	{
		label: 'Role',
		description:
			'Role of the new administrators; team roles need the ID of a team, company roles that of a company',
	},
	ADMINISTRATOR_ROLE_OPTIONS,
	'team_viewer',
);

/**
 * The role that typed data is compared with. With Any, every administrator role passes; of the inner
 * `typed_data` alone, every role.
 */
export const expectedRole = choice<AdministratorRole | 'any', 'unset'>(
	{
		label: 'Expected Role',
		description: 'The only role that the typed data may give',
		empty: 'unset',
	},
	[
		{ name: 'Any', value: 'any', description: 'Only with a provided signature' },
		...ADMINISTRATOR_ROLE_OPTIONS,
	],
	'',
);

const roleCode = filledTrimmed.regex(
	/^(?:0|[1-9]\d{0,77}|0x[0-9a-fA-F]{64})$/,
	'must be a whole number, e.g. 2, or 0x followed by 64 hex characters',
);

export const roleOptions = {
	expectedRoleCode: text(
		{
			label: 'Expected Role Code',
			description:
				'Code that stands for the role above, as the service’s support says; any other code is refused',
			example: '2',
			empty: 'refuse',
			expressions: 'never',
		},
		roleCode,
	),
};

export function balanceCurrencies(description: string) {
	return choices(
		{ label: 'Currencies', description, empty: 'unset' },
		menuOf(BALANCE_CURRENCIES, (currency) => currency),
	);
}

export function emails<IfEmpty extends Empty = 'required'>(wording: Wording<IfEmpty>) {
	return textList({ ...wording, example: 'ana@example.com, ben@example.com' }, email);
}

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
		{ label: 'Signature From', description: 'Who signs' },
		menu({
			provided: 'Send a signature made outside n8n',
			wallet: 'Check, then sign with the wallet in the credentials',
		}),
		'wallet',
	),
	signature: shownWhen(
		{ signatureSource: ['provided'] },
		text(
			{
				label: 'Signature',
				description:
					'0x and 130 hex characters. To see what to sign, leave it empty and turn on Check Only.',
				example: '0x4f1c…1b',
				empty: 'unset',
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

/**
 * A provided signature may be missing in a check, so that it can be made from what the check shows.
 * @throws {UserError} if it's missing in a run that would send it
 */
export function requireSignature(
	{ signatureSource, signature }: Partial<InputOf<typeof signatureFields>>,
	isCheckOnly: boolean,
): void {
	if (signatureSource !== 'provided' || signature !== undefined || isCheckOnly) return;
	throw new UserError(`${labelOf(signatureFields.signature)} is missing`, {
		hint: 'Enter the signature. What has to be signed is shown by Check Only under Options.',
	});
}

const object = z.record(z.unknown(), {
	invalid_type_error: 'must be a JSON object',
	required_error: 'is missing',
});

/** An optional JSON object. n8n shows an empty one as "{}", which counts as blank. */
export function optionalJsonObject(wording: Omit<Wording, 'empty'>) {
	const filled = object.transform((each) => (Object.keys(each).length === 0 ? undefined : each));
	return json({ ...wording, empty: 'unset' }, filled);
}

export function jsonObject(
	wording: Wording<'required'> & { readonly preset?: string },
): Field<Record<string, unknown>> {
	const filled = object.refine((each) => Object.keys(each).length > 0, 'is missing');
	return json(
		wording,
		z.preprocess((value) => (isBlank(value) ? undefined : value), filled),
	);
}

/** The name of a body field that the service doesn't document (docs/api.md, Endpoints 8 and 9). */
export function bodyFieldName(wording: { label: string; description: string }, preset: string) {
	/* The same bodies use two names for other values. */
	const name = anyText
		.regex(
			/^[A-Za-z][A-Za-z0-9_]{0,63}$/,
			'must start with a letter and contain only letters, digits and _',
		)
		.refine(
			(each) => !['review_version', 'version'].includes(each),
			'is already the name of another field',
		);
	return text({ ...wording, preset, empty: 'preset' }, name);
}
