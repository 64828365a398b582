import type { INodeProperties } from 'n8n-workflow';

import { z } from 'zod';
import { email } from '../../shared/email';
import { Refusal } from '../../shared/errors';
import { titleOf, type Field } from '../fields/field';
import { json } from '../fields/kinds';

/** The fields of a prefill, in the service's order (docs/api.md, Invite prefill). */
const PREFILL_FIELDS = [
	'first_name',
	'middle_name',
	'last_name',
	'phone',
	'company_name',
	'job_title',
	'company_size',
	'company_website',
	'company_industry',
	'company_address',
	'company_city',
	'company_state',
	'company_zip',
	'company_country',
] as const;

/** One person to invite, in the service's format. */
export interface Invitee {
	readonly email: string;
	readonly prefill?: Readonly<Record<string, string>>;
}

function camelCase(name: string): string {
	return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

/** A spreadsheet cell. Spreadsheets turn digits into numbers. */
const cell = z
	.union([z.string(), z.number(), z.boolean(), z.null(), z.undefined()], {
		errorMap: () => ({ message: 'must be text' }),
	})
	.transform((value) => (value === null || value === undefined ? '' : String(value)));

/** Email address and prefill in one flat row, with names in snake_case or camelCase. */
const row = z.record(z.unknown()).transform((columns, context): Invitee => {
	const address = email.safeParse(columns.email);
	if (!address.success) {
		for (const issue of address.error.issues) context.addIssue({ ...issue, path: ['email'] });
		return z.NEVER;
	}
	const prefill: Record<string, string> = {};
	for (const name of PREFILL_FIELDS) {
		const value = cell.safeParse(columns[name] ?? columns[camelCase(name)]);
		if (!value.success) {
			context.addIssue({ code: 'custom', message: 'must be text', path: [name] });
			return z.NEVER;
		}
		prefill[name] = value.data;
	}
	const isBegun = Object.values(prefill).some((value) => value.trim() !== '');
	return isBegun ? { email: address.data, prefill } : { email: address.data };
});

/** The service's own format. Missing prefill fields become empty text. */
const documentedInvitee = z
	.object({
		email,
		prefill: z
			.object(Object.fromEntries(PREFILL_FIELDS.map((name) => [name, cell])))
			.strict()
			.optional(),
	})
	.strict();

/** Refuses a repeated address, since it isn't clear which prefill to use. */
function withoutRepeats<Schema extends z.ZodType<Invitee[], z.ZodTypeDef, unknown>>(list: Schema) {
	return list.superRefine((invitees, context) => {
		const seen = new Map<string, number>();
		invitees.forEach((invitee, index) => {
			const first = seen.get(invitee.email.toLowerCase());
			seen.set(invitee.email.toLowerCase(), first ?? index);
			if (first === undefined) return;
			context.addIssue({
				code: 'custom',
				path: [index, 'email'],
				message: `repeats the address of entry ${first + 1}`,
			});
		});
	});
}

function prefillProperties(): INodeProperties[] {
	return PREFILL_FIELDS.map(
		(name): INodeProperties => ({
			displayName: titleOf(name),
			name: camelCase(name),
			type: 'string',
			default: '',
		}),
	).sort((a, b) => a.displayName.localeCompare(b.displayName, 'en'));
}

/** Invitees in n8n's form. */
export function inviteesOnForm(): Field<Invitee[]> {
	return {
		form: {
			displayName: 'Invitees',
			type: 'fixedCollection',
			typeOptions: {
				multipleValues: true,
				hideOptionalFields: true,
				addOptionalFieldButtonText: 'Add Prefill Field',
			},
			placeholder: 'Add Invitee',
			default: { invitee: [{ email: '' }] },
			description: 'People to invite; the optional fields prefill their sign-up form',
			options: [
				{
					displayName: 'Invitee',
					name: 'invitee',
					values: [
						{
							/* n8n's lint requires alphabetical labels; this one keeps the email first. */
							displayName: 'Address (Email)',
							name: 'email',
							type: 'string',
							required: true,
							placeholder: 'e.g. ana@example.com',
							default: '',
						},
						...prefillProperties(),
					],
				},
			],
		},
		schema: z
			.unknown()
			.transform((value) => {
				const collection = z.object({ invitee: z.unknown() }).safeParse(value);
				return collection.data?.invitee ?? [];
			})
			.pipe(withoutRepeats(z.array(row).min(1, 'is empty. Add at least one invitee'))),
		required: true,
	};
}

/** Invitees as JSON in the service's format. */
export function inviteesAsJson(): Field<Invitee[]> {
	return json(
		{
			label: 'Invitees (JSON)',
			description: 'List of invitees, each with an email and an optional prefill',
		},
		withoutRepeats(
			z
				.array(documentedInvitee, { invalid_type_error: 'must be a JSON list' })
				.min(1, 'is empty. Add at least one invitee'),
		),
		'[{ "email": "ana@example.com" }]',
	);
}

/**
 * The invitee that one input item describes.
 * @throws {Refusal} if a column isn't valid, by its name
 */
export function inviteeOfRow(columns: Readonly<Record<string, unknown>>): Invitee {
	const invitee = row.safeParse(columns);
	if (invitee.success) return invitee.data;
	const issue = invitee.error.issues[0];
	const column = String(issue?.path[0] ?? 'email');
	throw new Refusal(`Column ${column} ${issue?.message ?? "isn't valid"}`, {
		field: column,
		hint: 'Nothing was sent. Correct this row, then run the node again. Each row needs a column email.',
	});
}
